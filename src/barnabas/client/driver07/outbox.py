"""Outbox: collects messages; a thread sends them together. Bounded."""

import logging
import threading
from collections import deque

from barnabas.client.driver07.sender import MessageSender, MessagesToSend
from barnabas.config.driver07 import ProducerConfig07
from barnabas.errors import KafkaError, LocalProtocolError

log = logging.getLogger(__name__)


class SendQueue:
    """Sends when `batch.size` messages wait, or one has waited for `queue.time`."""

    def __init__(self, sender: MessageSender, config: ProducerConfig07) -> None:
        self._sender = sender
        self._config = config
        self._waiting: deque[MessagesToSend] = deque()
        self._count = self._put_in = self._gone = 0
        self._changed = threading.Condition()
        self._hurry = self._closing = False
        self.given_up = 0
        self._thread = threading.Thread(target=self._run, name="barnabas-driver07", daemon=True)
        self._thread.start()

    def put(self, outgoing: MessagesToSend) -> None:
        """Queue a message; any thread.

        Raises:
            LocalProtocolError: there is no space, and none became free in time; or it is closing.
        """
        count = len(outgoing.payloads)
        patience = self._config.queue_enqueueTimeout_ms
        with self._changed:
            room = self._changed.wait_for(
                lambda: (
                    self._closing
                    or not self._count
                    or self._count + count <= self._config.queue_size
                ),
                None if patience < 0 else patience / 1000,
            )
            if self._closing:
                # No thread will send it any more.
                raise LocalProtocolError("the producer is closed")
            if not room:
                raise LocalProtocolError(
                    f"{self._count} messages wait to be sent (queue.size={self._config.queue_size})"
                )
            self._waiting.append(outgoing)
            self._count += count
            self._put_in += count
            self._changed.notify_all()

    def flush(self, timeout_s: float | None) -> bool:
        """Wait until everything queued so far was sent; return whether it was."""
        with self._changed:
            target = self._put_in
            self._hurry = True
            self._changed.notify_all()
            return self._changed.wait_for(lambda: self._gone >= target, timeout_s)

    def close(self) -> None:
        """Send what waits, and end the thread; callers that wait for space are refused."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        while (batch := self._next()) is not None:
            count = sum(len(one.payloads) for one in batch)
            try:
                self._sender.send(batch)
            # A user's partitioner may raise anything; without this, waiting callers would never
            # learn of it.
            except Exception as error:
                known = isinstance(error, KafkaError)
                log.warning(
                    "messages dropped",
                    extra={"messages": count, "error": error},
                    exc_info=None if known else error,
                )
                self.given_up += count
            with self._changed:
                self._gone += count
                self._hurry = self._hurry and bool(self._waiting)
                self._changed.notify_all()

    def _next(self) -> list[MessagesToSend] | None:
        """The next messages to send, once it is time; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            self._changed.wait_for(
                lambda: self._count >= self._config.batch_size or self._hurry or self._closing,
                self._config.queue_time / 1000,
            )
            batch: list[MessagesToSend] = []
            size = 0
            while self._waiting and size < self._config.batch_size:
                batch.append(self._waiting.popleft())
                size += len(batch[-1].payloads)
            self._count -= size
            self._changed.notify_all()
            return batch or (None if self._closing else [])
