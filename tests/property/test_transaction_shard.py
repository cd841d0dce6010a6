"""The coordinator of transactions: what its log gives back, and what producers may rely on."""

from itertools import count
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from barnabas.coordinators.common.shard import CoordinatorRecord, CoordinatorResult
from barnabas.coordinators.transaction.adding import AddRequest
from barnabas.coordinators.transaction.ending import EndRequest
from barnabas.coordinators.transaction.initiating import InitRequest
from barnabas.coordinators.transaction.shard import TransactionShard
from barnabas.coordinators.transaction.transaction import (
    LAST_EPOCH,
    NOBODY,
    ProducerIdAndEpoch,
    Transaction,
)
from barnabas.coordinators.transaction.transaction_records import encode_transaction
from barnabas.coordinators.transaction.transaction_states import DECIDED, TransactionState
from barnabas.errors import ErrorCode
from barnabas.types import TopicPartition

NAMES = ("a", "b")
SECOND = 1000
PLACES = [TopicPartition("dogs", index) for index in range(3)]
_S = TransactionState

Step = tuple[Any, ...]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("initiate"), st.sampled_from(NAMES), st.sampled_from(["same", "other"])),
        st.tuples(
            st.just("add"),
            st.sampled_from(NAMES),
            st.frozensets(st.sampled_from(PLACES), min_size=1),
            st.sampled_from([0, 2]),
        ),
        st.tuples(
            st.just("end"),
            st.sampled_from(NAMES),
            st.sampled_from(["commit", "abort"]),
            st.sampled_from([0, 2]),
        ),
        st.tuples(st.just("complete"), st.sampled_from(NAMES)),
        st.tuples(st.just("wait"), st.sampled_from([1, 40, 900])),
        st.tuples(st.just("forget"), st.sampled_from(NAMES)),
    ),
    max_size=40,
)


class Coordinator:
    """A shard with its log, and the answers of producers that never lose one."""

    def __init__(self, record_version: int, epoch: int) -> None:
        self.record_version = record_version
        self._ids = count(1000)
        self.shard = self.loaded([])
        self.log: list[CoordinatorRecord] = []
        self.now = 1
        self.received: dict[str, ProducerIdAndEpoch] = {}
        if epoch:
            first = Transaction(
                transactional_id="a",
                producer=ProducerIdAndEpoch(7, epoch),
                timeout_ms=30 * SECOND,
                state=_S.EMPTY,
                updated_ms=1,
            )
            self.keep(CoordinatorResult(None, (encode_transaction(first, record_version),)))

    def loaded(self, records: list[CoordinatorRecord]) -> TransactionShard:
        shard = TransactionShard(lambda: next(self._ids), self.record_version)
        for record in records:
            shard.replay(*record)
        return shard

    def keep(self, result: CoordinatorResult[Any]) -> Any:
        for record in result.records:
            self.log.append(record)
            self.shard.replay(*record)
        return result.reply

    def take(self, step: Step) -> None:
        kind, *rest = step
        getattr(self, kind)(*rest)

    def initiate(self, name: str, who: str) -> None:
        expected = self.received.get(name, NOBODY) if who == "same" else NOBODY
        done = self.keep(self.shard.initiate(InitRequest(name, 30 * SECOND, expected), self.now))
        if done.error is ErrorCode.NONE:
            self.received[name] = done.producer

    def add(self, name: str, places: frozenset[TopicPartition], by: int) -> None:
        producer = self.received.get(name, NOBODY)
        self.keep(self.shard.add(AddRequest(name, producer, places, by), self.now))

    def end(self, name: str, outcome: str, by: int) -> None:
        was = self.shard.find(name)
        producer = self.received.get(name, NOBODY)
        asked = EndRequest(name, producer, outcome == "commit", by)
        done = self.keep(self.shard.end(asked, self.now))
        if done.error is ErrorCode.NONE:
            self.received[name] = done.producer
            now = self.shard.find(name)
            assert was is not None
            assert now is not None
            assert now.partitions == was.partitions or was.is_decided

    def complete(self, name: str) -> None:
        known = self.shard.find(name)
        if known is not None and known.is_decided:
            self.keep(self.shard.complete(name, self.now))

    def wait(self, seconds: int) -> None:
        self.now += seconds * SECOND
        for name in self.shard.overdue(self.now):
            self.keep(self.shard.fence_overdue(name, self.now))

    def forget(self, name: str) -> None:
        self.keep(self.shard.expire(name, self.now, 800 * SECOND))


def known(shard: TransactionShard) -> dict[str, Transaction]:
    return {one.transactional_id: one for one in shard.all()}


def compacted(log: list[CoordinatorRecord]) -> list[CoordinatorRecord]:
    return [CoordinatorRecord(key, value) for key, value in dict(log).items()]


@given(steps=STEPS, version=st.sampled_from([0, 1]), epoch=st.sampled_from([0, LAST_EPOCH - 2]))
def test_any_beginning_of_the_log_gives_back_what_was_then(
    steps: list[Step], version: int, epoch: int
) -> None:
    coordinator = Coordinator(version, epoch)
    states = [(len(coordinator.log), known(coordinator.shard))]
    for step in steps:
        before = len(coordinator.log)
        coordinator.take(step)
        if len(coordinator.log) > before:
            states.append((len(coordinator.log), known(coordinator.shard)))
    for length, state in states:
        log = coordinator.log[:length]
        assert known(coordinator.loaded(log)) == state
        assert known(coordinator.loaded(compacted(log))) == state


@given(steps=STEPS, epoch=st.sampled_from([0, LAST_EPOCH - 2]))
def test_a_producer_that_was_replaced_changes_nothing(steps: list[Step], epoch: int) -> None:
    coordinator = Coordinator(1, epoch)
    for step in steps:
        coordinator.take(step)
    for name in NAMES:
        old = coordinator.received.get(name)
        for _ in range(4):
            coordinator.initiate(name, "other")
            coordinator.complete(name)
        assert coordinator.received[name] != old
        if old is None:
            continue
        now = coordinator.now
        asked = AddRequest(name, old, frozenset(PLACES), 2)
        refused = {ErrorCode.PRODUCER_FENCED, ErrorCode.INVALID_PRODUCER_ID_MAPPING}
        added = coordinator.shard.add(asked, now)
        assert added.reply in refused
        assert not added.records
        for by in (0, 2):
            ended = coordinator.shard.end(EndRequest(name, old, commit=True, version=by), now)
            assert ended.reply.error in refused
            assert not ended.records


@given(steps=STEPS, epoch=st.sampled_from([0, LAST_EPOCH - 2]))
def test_no_epoch_is_used_by_two_transactions_of_version_2(steps: list[Step], epoch: int) -> None:
    coordinator = Coordinator(1, epoch)
    ended: set[ProducerIdAndEpoch] = set()
    for step in steps:
        before = {name: coordinator.shard.find(name) for name in NAMES}
        coordinator.take(step)
        for name in NAMES:
            now = coordinator.shard.find(name)
            if now is None or now == before[name] or now.state not in DECIDED:
                continue
            assert 0 <= now.producer.epoch <= LAST_EPOCH + 1
            if now.client_version == 2:
                assert now.producer not in ended
                ended.add(now.producer)
