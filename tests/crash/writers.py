"""Producers that continue through crashes, and remember which records were acknowledged."""

import threading
from dataclasses import dataclass, field

from confluent_kafka import KafkaError, Message, Producer

# Longer than any test: a record may only be lost by the broker, never given up by the client.
NEVER_GIVE_UP_MS = 600_000
PACE_SECONDS = 0.005
BURST = 10


@dataclass(slots=True)
class Promises:
    """What a broker acknowledged: (partition, offset) to value; and what failed for good."""

    kept: dict[tuple[int, int], bytes] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    sent: int = 0


class Writer:
    """Sends numbered values `name:partition:number` to every partition in turn, on a thread.

    An idempotent writer has five requests in flight; the other has one, so that a retry of it
    may repeat records but never swap them.
    """

    def __init__(
        self, name: str, address: str, topic: str, partitions: int, *, idempotent: bool, codec: str
    ) -> None:
        self.name = name
        self.idempotent = idempotent
        self.promises = Promises()
        self._topic = topic
        self._partitions = partitions
        self._stopping = threading.Event()
        self._producer = Producer(
            {
                "bootstrap.servers": address,
                "enable.idempotence": idempotent,
                "acks": "all",
                "max.in.flight": 5 if idempotent else 1,
                "compression.type": codec,
                "linger.ms": 2,
                "queue.buffering.max.messages": 2_000_000,
                "message.timeout.ms": NEVER_GIVE_UP_MS,
                "retries": 1_000_000,
                "retry.backoff.ms": 20,
                "retry.backoff.max.ms": 100,
                "reconnect.backoff.ms": 20,
                "reconnect.backoff.max.ms": 100,
                "socket.timeout.ms": 10_000,
                "log_level": 0,
            }
        )
        self._thread = threading.Thread(target=self._run, name=f"writer {name}")

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def finish(self, seconds: float) -> None:
        """Stop sending and wait for what is under way.

        Raises:
            TimeoutError: some records were neither acknowledged nor refused.
        """
        self._stopping.set()
        self._thread.join(seconds)
        left = self._producer.flush(seconds)
        if left:
            raise TimeoutError(f"writer {self.name}: {left} records without an answer")

    def _run(self) -> None:
        number = 0
        while not self._stopping.wait(PACE_SECONDS):
            for _ in range(BURST):
                for partition in range(self._partitions):
                    value = b"%s:%d:%d" % (self.name.encode(), partition, number)
                    self._producer.produce(
                        self._topic, value, partition=partition, on_delivery=self._answered
                    )
                number += 1
            self.promises.sent = number
            self._producer.poll(0)

    def _answered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.promises.broken.append(error.str())
            return
        partition, offset = message.partition(), message.offset()
        assert partition is not None
        assert offset is not None
        self.promises.kept[partition, offset] = message.value() or b""
