"""Batches of a producer against a broker that forgets, as Kafka does when it has recovered.

The broker here is a model: the log of one partition, what it remembers of producers (in a run the last five
batches, after recovery of some only the last one, or nothing), and answers that are lost before or
after the append. Nothing may be stored twice or acknowledged and missing, nor be out of order.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from barnabas.client.core.producer.delivery import FailedBatch, Sent
from barnabas.client.core.producer.send_plan import ProduceBatches
from barnabas.errors import ConnectionFailed, ErrorCode
from barnabas.records.batches.batch import read_header
from tests.sending_harness import Harness, records_of, reply

IN_RUN = 5
DELIVERY_S = 10.0
ROUNDS = 200
REFUSALS = (
    ErrorCode.NOT_ENOUGH_REPLICAS,
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.INVALID_RECORD,
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
)
AFTER_APPEND = (
    ErrorCode.REQUEST_TIMED_OUT,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.UNKNOWN_SERVER_ERROR,
)


class Stored(NamedTuple):
    """A batch in the log."""

    producer: int
    epoch: int
    first: int
    last: int
    base_offset: int
    values: tuple[bytes, ...]


class Answered(NamedTuple):
    """What the broker says of a request."""

    outgoing: ProduceBatches
    code: ErrorCode
    offset: int = -1


@dataclass(slots=True)
class Broker:
    """The leader of one partition. `lenient`: takes any sequence of a producer that it does not know.

    `acknowledged`: so many batches are safe, as the broker has acknowledged them.
    """

    lenient: bool
    log: list[Stored] = field(default_factory=list)
    known: dict[int, deque[Stored]] = field(default_factory=dict)
    acknowledged: int = 0
    most_records: int = 99

    def append(self, outgoing: ProduceBatches) -> Answered:
        (batch,) = outgoing.batches
        assert batch.payload is not None
        header = read_header(batch.payload)
        new = Stored(
            header.producer_id, header.producer_epoch, header.base_sequence, header.last_sequence,
            sum(len(one.values) for one in self.log),
            tuple(record.value for record in records_of(batch.payload)),
        )  # fmt: skip
        if len(new.values) > self.most_records:
            return Answered(outgoing, ErrorCode.MESSAGE_TOO_LARGE)
        code, base = self._check(new)
        if code is ErrorCode.NONE and base < 0:
            base = new.base_offset
            self.log.append(new)
            self._remember(new)
        return Answered(outgoing, code, base)

    def _check(self, new: Stored) -> tuple[ErrorCode, int]:
        """As Kafka's ProducerAppendInfo; the offset if it is a duplicate."""
        known = self.known.get(new.producer)
        if known is None:
            if self.lenient or new.first == 0:
                return ErrorCode.NONE, -1
            return ErrorCode.UNKNOWN_PRODUCER_ID, -1
        last = known[-1]
        if new.epoch < last.epoch:
            return ErrorCode.INVALID_PRODUCER_EPOCH, -1
        for one in known:
            if (one.epoch, one.first, one.last) == (new.epoch, new.first, new.last):
                return ErrorCode.NONE, one.base_offset
        expected = last.last + 1 if new.epoch == last.epoch else 0
        return (ErrorCode.NONE if new.first == expected else OUT_OF_ORDER), -1

    def _remember(self, new: Stored) -> None:
        known = self.known.get(new.producer)
        if known is None or known[-1].epoch != new.epoch:
            known = self.known[new.producer] = deque(maxlen=IN_RUN)
        known.append(new)

    def succeed(self, answer: Answered) -> None:
        """A batch is acknowledged, and all before it are as safe."""
        if answer.code is ErrorCode.NONE:
            ends = (n for n, one in enumerate(self.log, 1) if one.base_offset == answer.offset)
            self.acknowledged = max(self.acknowledged, *ends)

    def recover(self, remembered: int, lost: int) -> None:
        """Start again with what is in the log, but for some batches that were not safe."""
        del self.log[max(self.acknowledged, len(self.log) - lost) :]
        self.known.clear()
        for one in self.log:
            self._remember(one)
        for known in self.known.values():
            while len(known) > remembered:
                known.popleft()


OUT_OF_ORDER = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


class Producing(RuleBasedStateMachine):
    """One producer, one partition, one connection at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.client = Harness(delivery_timeout_s=DELIVERY_S, batch_size=10_000)
        self.broker = Broker(lenient=True)
        self.requests: deque[ProduceBatches] = deque()
        self.answers: deque[Answered] = deque()
        self.sent: list[tuple[bytes, Sent]] = []
        self.records_at_last = 99

    @initialize(
        lenient=st.booleans(),
        known=st.sampled_from([True, True, False]),
        at_last=st.sampled_from([99, 99, 1]),
    )
    def begin(self, *, lenient: bool, known: bool, at_last: int) -> None:
        self.broker.lenient = lenient
        self.records_at_last = at_last
        if known:  # Else batches go out one at a time.
            self.send(1, 1)
            self.serve(1)
            self.answer(1)

    @precondition(lambda self: len(self.client.records.unsettled) < 9)
    @rule(batches=st.integers(1, 6), records=st.integers(1, 2))
    def send(self, batches: int, records: int) -> None:
        for _ in range(batches):
            for _ in range(records):
                value = b"%05d" % len(self.sent)
                self.sent.append((value, self.client.send(value)))
            self.ship()

    def ship(self) -> None:
        while outgoings := self.client.plan().outgoing:
            self.requests.extend(outgoings)

    @precondition(lambda self: self.requests)
    @rule(count=st.sampled_from([1, 2, 9]))
    def serve(self, count: int) -> None:
        for _ in range(min(count, len(self.requests))):
            answer = self.broker.append(self.requests.popleft())
            self.broker.succeed(answer)
            self.answers.append(answer)

    @precondition(lambda self: self.requests)
    @rule(code=st.sampled_from(AFTER_APPEND))
    def leave_open(self, code: ErrorCode) -> None:
        answer = self.broker.append(self.requests.popleft())
        self.answers.append(answer._replace(code=answer.code or code))

    @precondition(lambda self: self.requests)
    @rule(code=st.sampled_from(REFUSALS))
    def refuse(self, code: ErrorCode) -> None:
        self.answers.append(Answered(self.requests.popleft(), code))

    @precondition(lambda self: self.answers)
    @rule(count=st.sampled_from([1, 2, 9]))
    def answer(self, count: int) -> None:
        for _ in range(min(count, len(self.answers))):
            outgoing, code, offset = self.answers.popleft()
            self.client.sender.answered(outgoing, reply(outgoing, code, offset), self.client.now)
        self.ship()

    @rule(served=st.integers(0, 5))
    def cut(self, served: int) -> None:
        """The connection is lost with all answers on it, and with requests that were not served."""
        waiting = [answer.outgoing for answer in self.answers] + list(self.requests)
        for outgoing in list(self.requests)[:served]:
            self.broker.append(outgoing)
        self.requests.clear()
        self.answers.clear()
        for outgoing in waiting:
            self.client.sender.failed(outgoing, ConnectionFailed("cut"), self.client.now)
        self.client.sender.reconnected(1)

    @rule(
        served=st.integers(0, 5),
        remembered=st.sampled_from([1, 1, 1, 5, 0]),
        lost=st.sampled_from([0, 0, 0, 1, 2, 9]),
    )
    def kill(self, served: int, remembered: int, lost: int) -> None:
        """The broker is started again, and may have lost what it has not acknowledged.

        It knows nothing of a producer only if nothing that is in doubt is in the log: else no
        client could be right.
        """
        self.cut(served)
        self.broker.recover(max(remembered, 1), lost)
        unsettled = {value for value, sent in self.sent if not sent.done()}
        there = {value for one in self.broker.log for value in one.values}
        if not remembered and not unsettled & there:
            self.broker.known.clear()

    @rule(seconds=st.sampled_from([0.1, 0.1, DELIVERY_S / 2, DELIVERY_S + 1]))
    def wait(self, seconds: float) -> None:
        self.client.later(seconds)
        self.ship()

    @precondition(lambda self: not self.client.records.unsettled)
    @rule()
    def expire(self) -> None:
        """After a day without a record the broker knows nothing of the producer."""
        self.client.later(86_400.0)
        self.broker.known.clear()

    @rule(records=st.sampled_from([1, 2, 99]))
    def limit(self, records: int) -> None:
        self.broker.most_records = records

    @invariant()
    def stored_once_and_in_order(self) -> None:
        found = [value for one in self.broker.log for value in one.values]
        assert found == sorted(set(found))

    @invariant()
    def outcomes_are_true(self) -> None:
        found = [value for one in self.broker.log for value in one.values]
        places = {value: offset for offset, value in enumerate(found)}
        for value, sent in self.sent:
            outcome = sent.batch.of_record(sent.index)[0].outcome  # type: ignore[attr-defined]
            if isinstance(outcome, FailedBatch):
                assert outcome.error.may_be_stored or value not in places, (value, outcome.error)
            elif outcome is not None:
                assert value in places, f"{value!r} is acknowledged and missing"
                assert sent.result(0).offset in (-1, places[value])

    def teardown(self) -> None:
        """With a broker that answers again, everything gets its outcome."""
        self.broker.most_records = self.records_at_last
        for _ in range(ROUNDS):
            if not self.client.records.unsettled:
                break
            self.ship()
            self.serve(99)
            self.answer(99)
            self.client.later(0.1)
        assert not self.client.records.unsettled
        self.stored_once_and_in_order()
        self.outcomes_are_true()


TestProducing = Producing.TestCase
TestProducing.settings = settings(max_examples=1000, stateful_step_count=30, deadline=None)
