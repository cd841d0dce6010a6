"""Producers whose transactions others ended: which may continue, with which epoch, and until when."""

from itertools import count
from typing import Any

import pytest

from barnabas.coordinators.common.shard import CoordinatorRecord, CoordinatorResult
from barnabas.coordinators.transaction.adding import AddRequest
from barnabas.coordinators.transaction.ending import EndRequest, EndResult
from barnabas.coordinators.transaction.initiating import InitRequest, InitResult
from barnabas.coordinators.transaction.shard import TransactionShard
from barnabas.coordinators.transaction.transaction import (
    LAST_EPOCH,
    NOBODY,
    VERSION_2,
    ProducerIdAndEpoch,
    Transaction,
)
from barnabas.coordinators.transaction.transaction_records import encode_transaction
from barnabas.coordinators.transaction.transaction_states import TransactionState
from barnabas.errors import ErrorCode
from barnabas.types import TopicPartition

PLACES = frozenset({TopicPartition("dogs", 0)})
TIMEOUT_MS = 1000
_E = ErrorCode


class Coordinated:
    """One transactional id, its coordinator and its time. Markers are written at once."""

    def __init__(self, version: int, *, record_version: int = 1) -> None:
        self.version, self.record_version, self.now = version, record_version, 1
        self._ids = count(100)
        self.log: list[CoordinatorRecord] = []
        self.restart()

    def restart(self) -> None:
        self.shard = TransactionShard(lambda: next(self._ids), self.record_version)
        for record in self.log:
            self.shard.replay(*record)

    def begin_at(self, producer: ProducerIdAndEpoch) -> None:
        kept = Transaction(
            transactional_id="t",
            producer=producer,
            timeout_ms=TIMEOUT_MS,
            state=TransactionState.EMPTY,
            updated_ms=1,
        )
        self._keep(CoordinatorResult(None, (encode_transaction(kept, self.record_version),)))

    def initiate(self, expected: ProducerIdAndEpoch = NOBODY) -> InitResult:
        asked = InitRequest("t", TIMEOUT_MS, expected)
        done: InitResult = self._keep(self.shard.initiate(asked, self.now))
        self._mark()
        return done

    def add(self, producer: ProducerIdAndEpoch) -> ErrorCode:
        asked = AddRequest("t", producer, PLACES, self.version)
        code: ErrorCode = self._keep(self.shard.add(asked, self.now))
        return code

    def end(self, producer: ProducerIdAndEpoch) -> EndResult:
        asked = EndRequest("t", producer, commit=True, version=self.version)
        ended: EndResult = self._keep(self.shard.end(asked, self.now))
        self._mark()
        return ended

    def time_out(self) -> None:
        self.now += TIMEOUT_MS + 1
        for name in self.shard.overdue(self.now):
            self._keep(self.shard.fence_overdue(name, self.now))
        self._mark()

    @property
    def producer(self) -> ProducerIdAndEpoch:
        known = self.shard.find("t")
        assert known is not None
        return known.producer

    def _mark(self) -> None:
        known = self.shard.find("t")
        if known is not None and known.is_decided:
            self._keep(self.shard.complete("t", self.now))

    def _keep(self, result: CoordinatorResult[Any]) -> Any:
        for record in result.records:
            self.log.append(record)
            self.shard.replay(*record)
        return result.reply


@pytest.fixture(params=[0, VERSION_2], ids=["version 1", "version 2"])
def one(request: pytest.FixtureRequest) -> Coordinated:
    return Coordinated(request.param)


def timed_out(one: Coordinated) -> ProducerIdAndEpoch:
    """A producer whose transaction was open for too long."""
    producer = one.initiate().producer
    assert one.add(producer) is _E.NONE
    one.time_out()
    return producer


def test_who_timed_out_goes_on_with_the_epoch_that_fenced_it(one: Coordinated) -> None:
    was = timed_out(one)
    assert one.add(was) is _E.PRODUCER_FENCED
    now = one.initiate(was)
    assert (now.error, now.producer) == (_E.NONE, was.bumped())
    assert one.initiate(was).producer == now.producer, "asked again, as its answer was lost"
    assert one.add(was) is _E.PRODUCER_FENCED
    assert one.add(now.producer) is _E.NONE
    assert one.end(now.producer).error is _E.NONE


def test_it_may_time_out_time_and_again(one: Coordinated) -> None:
    first = timed_out(one)
    second = one.initiate(first).producer
    assert one.add(second) is _E.NONE
    one.time_out()
    assert one.initiate(first).error is _E.PRODUCER_FENCED
    assert one.initiate(second).producer == second.bumped()


def test_another_in_between_fences_it_for_good(one: Coordinated) -> None:
    was = timed_out(one)
    another = one.initiate().producer
    assert another == was.bumped().bumped()
    for old in (was, was.bumped()):
        assert one.initiate(old).error is _E.PRODUCER_FENCED
    assert one.add(another) is _E.NONE


def test_who_was_interrupted_goes_on_if_the_other_never_came_back(one: Coordinated) -> None:
    was = one.initiate().producer
    assert one.add(was) is _E.NONE
    assert one.initiate().error is _E.CONCURRENT_TRANSACTIONS
    assert one.initiate(was).producer == was.bumped()
    assert one.initiate().producer == was.bumped().bumped()
    assert one.initiate(was).error is _E.PRODUCER_FENCED


def test_who_has_an_open_transaction_may_begin_anew_itself(one: Coordinated) -> None:
    was = one.initiate().producer
    assert one.add(was) is _E.NONE
    assert one.initiate(was).error is _E.CONCURRENT_TRANSACTIONS
    assert one.initiate(was).producer == was.bumped()


def test_an_epoch_that_an_end_bumped_is_known_too() -> None:
    one = Coordinated(VERSION_2)
    was = one.initiate().producer
    assert one.add(was) is _E.NONE
    assert one.end(was).producer == was.bumped()
    assert one.initiate(was).producer == was.bumped()


def test_with_its_last_epoch_it_gets_a_new_id(one: Coordinated) -> None:
    last = ProducerIdAndEpoch(7, LAST_EPOCH)
    one.begin_at(last)
    assert one.add(last) is _E.NONE
    one.time_out()
    assert one.producer == ProducerIdAndEpoch(100, 0)
    assert one.add(last) is _E.INVALID_PRODUCER_ID_MAPPING
    assert one.initiate(last).producer == ProducerIdAndEpoch(100, 0)
    assert one.initiate().producer == ProducerIdAndEpoch(100, 1)
    assert one.initiate(last).error is _E.PRODUCER_FENCED


def test_it_is_forgotten_with_the_broker(one: Coordinated) -> None:
    was = timed_out(one)
    one.restart()
    assert one.initiate(was).error is _E.PRODUCER_FENCED


def test_a_cluster_without_version_2_fences_it_for_good() -> None:
    one = Coordinated(0, record_version=0)
    was = timed_out(one)
    assert one.producer == was.bumped()
    assert one.initiate(was).error is _E.PRODUCER_FENCED
    assert one.initiate().producer == was.bumped().bumped()
