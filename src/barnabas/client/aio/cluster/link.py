"""One connection to one broker: the I/O of `core.connection`. It looks into no message."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from barnabas.client.aio.cluster.link_output import LinkOutput
from barnabas.client.aio.cluster.pending_requests import OnAnswer, PendingRequests
from barnabas.client.core.cluster.connection import Connection
from barnabas.client.core.cluster.other_protocols import other_protocol
from barnabas.client.core.cluster.requests import api_of
from barnabas.client.core.cluster.responses import BufferPool, ResponseReader
from barnabas.client.core.cluster.throttling import throttle_s
from barnabas.client.core.metrics import Traffic
from barnabas.errors import (
    ApiVersionsUnanswered,
    ConnectionFailed,
    ConnectionSetupTimeout,
    KafkaError,
    RemoteProtocolError,
    RequestTimeout,
)
from barnabas.ports import Channel, Network
from barnabas.protocol.api_keys import ApiKey
from barnabas.wire.send import Send

log = logging.getLogger(__name__)

_TOO_OLD: Final = (
    "if it is a Kafka before 0.10, set broker.version.fallback to its release, for example 0.9.0"
)


@dataclass(frozen=True, slots=True)
class LinkOptions:
    """Options shared by the links of a client. Sizes in bytes, times in seconds.

    `assumed_release`: the release line that brokers are taken to be of, without being asked; empty: ask.
    """

    client_id: str
    software_version: str
    setup_timeout_s: float = 10.0
    request_timeout_s: float = 30.0
    max_response_bytes: int = 256 * 1024 * 1024
    buffers: tuple[int, int] = (-1, -1)
    assumed_release: str = ""


class _NoKafka(Exception):
    """The peer answers ApiVersions in another protocol."""


class Link:
    """A connection with its pending requests. Make all calls on the loop's thread.

    `on_change` runs when the link becomes ready and when it is lost; `failure` says why, `unanswered`
    whether because the broker did not respond to ApiVersions. While the broker throttles the client
    (throttle_time_ms, KIP-219), the link is not ready.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        address: tuple[str, int],
        options: LinkOptions,
        pool: BufferPool,
        on_change: "Callable[[Link], None]",
        traffic: Traffic,
    ) -> None:
        self._traffic = traffic
        self.address = address
        self.failure: KafkaError | None = None
        self.unanswered = False
        self.protocol = Connection(
            options.client_id, options.software_version, options.assumed_release
        )
        self._loop = loop
        self._options = options
        self._on_change = on_change
        self._reader = ResponseReader(options.max_response_bytes, pool)
        self._channel: Channel | None = None
        self._output: LinkOutput | None = None
        self._pending = PendingRequests(loop, traffic, self._on_late)
        self._setting_up: asyncio.TimerHandle | None = None
        self._give_up: Callable[[], None] | None = None
        self._mute: asyncio.TimerHandle | None = None
        self._has_received = False
        self._used_at = loop.time()

    def __str__(self) -> str:
        return f"{self.address[0]}:{self.address[1]}"

    @property
    def ready(self) -> bool:
        """Whether it accepts requests."""
        return self.protocol.ready and self._mute is None

    @property
    def closed(self) -> bool:
        """Whether it is closed; a closed link never opens again."""
        return self.failure is not None

    @property
    def waiting(self) -> int:
        """The number of pending requests."""
        return len(self._pending)

    def idle_since(self) -> float | None:
        """The time of the last request, on the loop's clock; None while a response is pending."""
        return None if self._pending or not self.ready else self._used_at

    def open(self, network: Network) -> None:
        """Start to connect and to negotiate versions; `on_change` reports the result."""
        seconds = self._options.setup_timeout_s
        self._setting_up = self._loop.call_later(seconds, self._set_up_too_slowly)
        self._give_up = network.connect(
            *self.address, self._connected, buffers=self._options.buffers
        )

    def send(
        self,
        api: ApiKey,
        message: object,
        on_answer: OnAnswer,
        *,
        version: int | None = None,
        timeout_s: float | None = None,
        answered: bool = True,
    ) -> None:
        """Send a request; by default in the highest version that both sides support.

        Raises:
            BrokerError: the broker and this client share no version of this API.
            LocalProtocolError: the link is not ready.
        """
        self._used_at = self._loop.time()
        chosen = self.protocol.version_of(api) if version is None else version
        _, send = self.protocol.request(api, message, chosen, answered=answered)
        self._traffic.requests += 1
        if answered:
            seconds = self._options.request_timeout_s if timeout_s is None else timeout_s
            self._pending.add(on_answer, self._used_at, seconds)
        self._write(send)
        if not answered:
            self._loop.call_soon(on_answer, self.failure)

    async def ask(
        self, message: object, *, version: int | None = None, timeout_s: float | None = None
    ) -> Any:
        """Send a request and return its response.

        Raises:
            ConnectionFailed, RequestTimeout: no response arrived.
            BrokerError: the broker and this client share no version of this API.
            LocalProtocolError: the link is not ready.
        """
        future: asyncio.Future[Any] = self._loop.create_future()

        def answered(result: Any) -> None:
            if future.done():
                return
            if isinstance(result, KafkaError):
                future.set_exception(result)
            else:
                future.set_result(result)

        self.send(api_of(message), message, answered, version=version, timeout_s=timeout_s)
        return await future

    def close(self, why: KafkaError | None = None) -> None:
        """Close it; pending requests fail with a ConnectionFailed that says why.

        A second call does nothing.
        """
        if self.closed:
            return
        self.failure = why if why is not None else ConnectionFailed(f"this client closed {self}")
        if self._give_up is not None:
            self._give_up()
        self._pending.cancel()
        for timer in (self._setting_up, self._mute):
            if timer is not None:
                timer.cancel()
        if self._channel is not None:
            self._channel.close()
        if self._output is not None:
            self._output.clear()
        self._reader.close()
        self.protocol.close()
        self._pending.fail(self.failure)
        self._on_change(self)

    def _connected(self, result: Channel | Exception) -> None:
        self._give_up = None
        if self.closed:
            if not isinstance(result, Exception):
                result.close()
            return
        if isinstance(result, Exception):
            if not isinstance(result, KafkaError):
                result = ConnectionFailed(f"connecting to {self}: {result}")
            self.close(result)
            return
        self._channel = result
        self._output = LinkOutput(result, self._traffic, self._on_send_failure)
        result.on_readable(self._readable)
        hello = self.protocol.hello()
        if hello is not None:
            self._write(hello)
        else:
            self._now_ready()

    def _set_up_too_slowly(self) -> None:
        seconds = f"{self._options.setup_timeout_s:g} s"
        if self._channel is None or self._has_received:
            self.close(ConnectionSetupTimeout(f"connecting to {self} took longer than {seconds}"))
        else:
            what = f"{self} did not answer ApiVersions within {seconds}: is it busy, or no Kafka? "
            what += f"Or {_TOO_OLD}"
            self.unanswered = True
            self.close(ConnectionSetupTimeout(what))

    def _readable(self) -> None:
        try:
            self._receive()
        except _NoKafka as error:
            self.close(ApiVersionsUnanswered(f"{self} is no Kafka broker: {error}"))
        except RemoteProtocolError as error:
            # As with a lost connection, requests may have taken effect or not; callers may retry
            # over another one.
            log.warning("connection abandoned broker=%s why=%s", self, error)
            self.close(ConnectionFailed(f"{self} broke the protocol: {error}"))
        except ConnectionFailed as error:
            self.unanswered = not self._has_received and not self.protocol.ready
            what = f"{self} closes the connection at ApiVersions; {_TOO_OLD}"
            self.close(ApiVersionsUnanswered(what) if self.unanswered else error)
        except KafkaError as error:
            self.close(error)
        except Exception as error:  # the one place that owns this connection
            log.exception("connection abandoned after an internal error broker=%s", self)
            self.close(ConnectionFailed(f"{self}: {type(error).__name__}: {error}"))

    def _receive(self) -> None:
        channel, reader = self._channel, self._reader
        while channel is not None and not self.closed:
            target = reader.target()
            count = channel.receive_into(target)
            if count < 0:
                return
            if count == 0:
                raise ConnectionFailed(f"{self} closed the connection")
            if not self._has_received and (other := other_protocol(target[:count])):
                raise _NoKafka(other)
            self._has_received = True
            self._traffic.bytes_received += count
            for frame in reader.received(count):
                self._take(frame)
            if count < len(target):
                return

    def _take(self, frame: memoryview) -> None:
        if self.closed:
            return
        was_ready = self.protocol.ready
        answer, send = self.protocol.receive(frame)
        if send is not None:
            self._write(send)
        if answer is not None:
            self._be_quiet(throttle_s(answer))
            self._pending.answered(answer.message)
        elif self.ready and not was_ready:
            self._now_ready()

    def _now_ready(self) -> None:
        if self._setting_up is not None:
            self._setting_up.cancel()
            self._setting_up = None
        self._on_change(self)

    def _be_quiet(self, seconds: float) -> None:
        """Send nothing for this time, or until an earlier throttle ends if that is later."""
        if not seconds:
            return
        until = self._loop.time() + seconds
        if self._mute is not None:
            if self._mute.when() >= until:
                return
            self._mute.cancel()
        log.debug("throttled broker=%s seconds=%g", self, seconds)
        self._mute = self._loop.call_at(until, self._speak_again)

    def _speak_again(self) -> None:
        self._mute = None
        self._on_change(self)

    def _write(self, send: Send) -> None:
        assert self._output is not None, "it is connected"
        self._output.write(send)

    def _on_send_failure(self, error: ConnectionFailed) -> None:
        # Later: callers of `send` do not expect that it closes the link.
        self._loop.call_soon(self.close, error)

    def _on_late(self) -> None:
        count = len(self._pending)
        self.close(RequestTimeout(f"{self} left {count} requests unanswered for too long"))
