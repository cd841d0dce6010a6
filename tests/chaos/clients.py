"""Clients of librdkafka that continue through all faults, and note the responses."""

import random
import sys
import threading
import time
from collections.abc import Sequence
from itertools import count

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)

from tests.chaos.history import History, Outcome, Place, Read, Run, Sent, Transaction, Value

PLAIN, LISTS = "plain", "lists"
_NEVER = 3_600_000
_SHORT_SECONDS = 30.0
_COMMON = {
    "retry.backoff.ms": 50,
    "retry.backoff.max.ms": 300,
    "reconnect.backoff.ms": 50,
    "reconnect.backoff.max.ms": 500,
    "socket.timeout.ms": 10_000,
    "topic.metadata.refresh.interval.ms": 5000,
    "log_level": 0,
}
_MOST_UNDER_WAY = 2000
_PACE_SECONDS = 0.05
_A_RUN_SECONDS = (10.0, 60.0)
_MOST_AGAIN = 5000
"""Records of each partition that a reader reads once more when it begins a run."""


class Client:
    """Something that runs on a thread until it is asked to finish."""

    def __init__(self, name: str, history: History) -> None:
        self.name = name
        self.history = history
        self.stopping = threading.Event()
        self._thread = threading.Thread(target=self._guarded, name=name, daemon=True)
        self._failure: BaseException | None = None

    def start(self) -> None:
        self._thread.start()

    def finish(self, seconds: float) -> None:
        """Let it finish what is under way.

        Raises:
            AssertionError: it did not, or failed before.
        """
        self.stopping.set()
        self._thread.join(seconds)
        assert not self._thread.is_alive(), f"{self.name} waits for an answer that never comes"
        if self._failure is not None:
            raise AssertionError(f"{self.name} failed") from self._failure

    def _guarded(self) -> None:
        try:
            self.run()
        except BaseException as error:  # noqa: BLE001 (given on by `finish`)
            self._failure = error

    def run(self) -> None:
        raise NotImplementedError


class PlainWriter(Client):
    """An idempotent producer with acks=all: each record must be there once, in its order."""

    def __init__(
        self, name: str, history: History, servers: str, partitions: int, *, safe: bool
    ) -> None:
        """With `safe` false it requests acks of the leader alone, and is not idempotent."""
        super().__init__(name, history)
        self._partitions = partitions
        self._producer = Producer(
            {
                **_COMMON,
                "bootstrap.servers": servers,
                "client.id": name,
                "enable.idempotence": safe,
                "acks": "all" if safe else "1",
                "linger.ms": 2,
                "message.timeout.ms": _NEVER,
            }
        )

    def run(self) -> None:
        for number in count():
            if self.stopping.is_set():
                break
            while len(self._producer) > _MOST_UNDER_WAY and not self.stopping.is_set():
                self._producer.poll(0.1)
            self._producer.produce(
                PLAIN,
                str(Value(self.name, number)),
                partition=number % self._partitions,
                on_delivery=self._answered,
            )
            self._producer.poll(0)
            if number % (5 * self._partitions) == 0:
                self.stopping.wait(_PACE_SECONDS)
        self._producer.flush()

    def _answered(self, error: KafkaError | None, message: Message) -> None:
        value = (message.value() or b"").decode()
        partition, offset = message.partition(), message.offset()
        if error is not None or partition is None or offset is None:
            self.history.given_up.append(value)
            self.history.errors.append(f"given up: {value}: {error}")
        else:
            self.history.sent.append(Sent((PLAIN, partition), offset, value))


class TransactionalWriter(Client):
    """Appends to some lists at once; a list is a partition. One transaction in six is aborted."""

    def __init__(self, name: str, history: History, servers: str, partitions: int) -> None:
        super().__init__(name, history)
        self._servers = servers
        self._partitions = partitions
        self._chance = random.Random(name)
        self._numbers = count()

    def run(self) -> None:
        producer: Producer | None = None
        for number in count():
            if self.stopping.is_set():
                return
            if producer is None:
                producer = self._begin()
                if producer is None:
                    continue
            one = Transaction(f"{self.name}:{number}")
            self.history.transactions.append(one)
            if not self._attempt(producer, one):
                # Fatal for this producer; the next one ends what it left.
                producer = None
            self.stopping.wait(_PACE_SECONDS)

    def _begin(self) -> Producer | None:
        producer = Producer(
            {
                **_COMMON,
                "bootstrap.servers": self._servers,
                "client.id": self.name,
                "transactional.id": self.name,
                "transaction.timeout.ms": 20_000,
                "linger.ms": 2,
            }
        )
        while not self.stopping.is_set():
            try:
                producer.init_transactions(_SHORT_SECONDS)
            except KafkaException as raised:
                if not raised.args[0].retriable():
                    return None
            else:
                return producer
        return None

    def _attempt(self, producer: Producer, one: Transaction) -> bool:
        """Make one transaction; whether the producer can make another."""
        aborting = self._chance.random() < 1 / 6
        committing = False
        all_was_sent = True
        one.outcome = Outcome.ABORTED
        try:
            producer.begin_transaction()
            for partition in self._chance.sample(
                range(self._partitions), self._chance.randint(1, self._partitions)
            ):
                for _ in range(self._chance.randint(1, 3)):
                    value = str(Value(self.name, next(self._numbers)))
                    one.appended.setdefault((LISTS, partition), []).append(value)
                    producer.produce(LISTS, value, partition=partition)
                    producer.poll(0)
            if aborting:
                all_was_sent = producer.flush(_SHORT_SECONDS) == 0
            else:
                committing = True
                one.outcome = Outcome.UNKNOWN
                self._insist(producer.commit_transaction)
                one.outcome = Outcome.COMMITTED
                return True
        except KafkaException as raised:
            if not raised.args[0].txn_requires_abort():
                self._note_end(one, raised.args[0], may_be_unknown=False)
                return False
            all_was_sent = False
        try:
            self._insist(producer.abort_transaction)
        except KafkaException as raised:
            self._note_end(one, raised.args[0], may_be_unknown=not all_was_sent)
            return False
        if committing:
            # The client says so: the commit did not begin.
            one.outcome = Outcome.ABORTED
        return True

    def _note_end(self, one: Transaction, error: KafkaError, *, may_be_unknown: bool) -> None:
        """Keep why the producer is of no more use.

        `may_be_unknown`: no partition may have got into the transaction before its records timed out.
        librdkafka aborts it nevertheless, and Kafka, too, has INVALID_TXN_STATE for that.
        """
        line = f"{one.name}: {error}"
        self.history.ended.append(line)
        if error.code() == KafkaError.INVALID_TXN_STATE and not may_be_unknown:
            self.history.errors.append(f"refused: {line}")

    @staticmethod
    def _insist(call: object) -> None:
        assert callable(call)
        while True:
            try:
                call(_SHORT_SECONDS)
            except KafkaException as raised:
                if not raised.args[0].retriable():
                    raise
            else:
                return


class Reader(Client):
    """Reads all partitions; now and then it goes back a little, and begins a run."""

    def __init__(
        self, name: str, history: History, servers: str, places: Sequence[Place], *, committed: bool
    ) -> None:
        super().__init__(name, history)
        self._servers = servers
        self._places = places
        self._committed = committed
        self._chance = random.Random(name)
        self._next: dict[Place, int] = dict.fromkeys(places, 0)

    def run(self) -> None:
        consumer = Consumer(
            {
                **_COMMON,
                "bootstrap.servers": self._servers,
                "client.id": self.name,
                "group.id": self.name,
                "enable.auto.commit": False,
                "isolation.level": "read_committed" if self._committed else "read_uncommitted",
                # A reader that is behind nothing is never sent elsewhere.
                "auto.offset.reset": "error",
                "fetch.error.backoff.ms": 50,
                "fetch.wait.max.ms": 200,
            }
        )
        try:
            while not self.stopping.is_set():
                run = Run(self.name, self._committed)
                self.history.runs.append(run)
                self._read(consumer, run)
        finally:
            consumer.close()

    def _read(self, consumer: Consumer, run: Run) -> None:
        begin = {
            place: max(0, end - self._chance.randint(0, _MOST_AGAIN))
            for place, end in self._next.items()
        }
        consumer.assign([TopicPartition(*place, offset) for place, offset in begin.items()])
        deadline = time.monotonic() + self._chance.uniform(*_A_RUN_SECONDS)
        while time.monotonic() < deadline and not self.stopping.is_set():
            for message in consumer.consume(500, 0.2):
                error = message.error()
                if error is None:
                    read = read_record(message)
                    run.records.append(read)
                    self._next[read.place] = read.offset + 1
                elif error.code() == KafkaError._AUTO_OFFSET_RESET:
                    self.history.errors.append(f"out of range: {self.name}: {error.str()}")
                    return


def read_record(message: Message) -> Read:
    """Place, offset and value of a record."""
    topic, partition, offset, value = (
        message.topic(), message.partition(), message.offset(), message.value(),
    )  # fmt: skip
    assert topic is not None
    assert partition is not None
    assert offset is not None
    # One string for all who read it: runs have millions of records.
    return Read((sys.intern(topic), partition), offset, sys.intern((value or b"").decode()))


def read_all(
    servers: str, places: Sequence[Place], *, committed: bool
) -> dict[Place, list[tuple[int, str]]]:
    """All records of these partitions, to their ends of now."""
    found: dict[Place, list[tuple[int, str]]] = {place: [] for place in places}
    consumer = Consumer(
        {
            **_COMMON,
            "bootstrap.servers": servers,
            "group.id": "all",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "isolation.level": "read_committed" if committed else "read_uncommitted",
            "auto.offset.reset": "error",
        }
    )
    try:
        consumer.assign([TopicPartition(*place, OFFSET_BEGINNING) for place in places])
        left = set(places)
        while left:
            message = consumer.poll(_SHORT_SECONDS * 2)
            assert message is not None, f"no records of {sorted(left)} any more, and no end"
            error = message.error()
            if error is None:
                place, offset, value = read_record(message)
                found[place].append((offset, value))
            elif error.code() == KafkaError._PARTITION_EOF:
                left.discard((str(message.topic()), int(message.partition() or 0)))
            else:
                assert error.code() != KafkaError._AUTO_OFFSET_RESET, error
    finally:
        consumer.close()
    return found
