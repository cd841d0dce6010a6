"""Offsets of open transactions: deleted with what they are of, and seen while they are open."""

from collections.abc import Callable

import pytest

from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.groups_shard import GroupShard
from barnabas.coordinators.offsets.commit import Commit
from barnabas.coordinators.offsets.offset_records import OffsetAndMetadata, encode_commit
from barnabas.errors import ErrorCode
from barnabas.types import TopicPartition
from tests.steps import outcome_of
from tests.unit.coordinators.refusals import refused_first
from tests.unit.coordinators.some_topics import a_shard

DOGS, CATS = TopicPartition("dogs", 0), TopicPartition("cats", 3)
ONE, TWO, DAY_MS = 1, 2, 86_400_000


def an_offset(offset: int) -> OffsetAndMetadata:
    return OffsetAndMetadata(offset, 2, "", 1000)


class Logged:
    """A shard, and one that is loaded from its log at any time."""

    def __init__(self) -> None:
        self.shard = a_shard()
        self._log: list[Callable[[GroupShard], None]] = []

    def happens(self, what: Callable[[GroupShard], None]) -> None:
        self._log.append(what)
        what(self.shard)

    def replay(self, *records: CoordinatorRecord) -> None:
        for record in records:
            self.happens(lambda shard, record=record: shard.replay(*record))  # type: ignore[misc]

    def opens(self, producer: int, offset: int, *positions: TopicPartition) -> None:
        for one in positions or (DOGS,):
            record = encode_commit("kennel", one, an_offset(offset))
            self.happens(
                lambda shard, record=record: shard.replay_in_transaction(producer, *record)  # type: ignore[misc]
            )

    def commits(self, offset: int) -> None:
        self.replay(*self.shard.offsets.commit("kennel", {DOGS: an_offset(offset)}).records)

    def ends(self, producer: int, *, committed: bool = True) -> None:
        self.happens(lambda shard: shard.end_transaction(producer, committed=committed))

    def offset(self) -> int | None:
        """What both say."""
        loaded = a_shard()
        for what in self._log:
            what(loaded)
        (known,) = self.shard.offsets.fetch("kennel", [DOGS])
        assert loaded.offsets.fetch("kennel", [DOGS]) == [known]
        assert loaded.offsets.groups() == self.shard.offsets.groups()
        return known.offset if known else None


def delete_group(shard: GroupShard) -> tuple[CoordinatorRecord, ...]:
    result = refused_first(shard, lambda: shard.delete_group("kennel"))
    assert result.reply is ErrorCode.NONE
    return result.records


def delete_offset(shard: GroupShard) -> tuple[CoordinatorRecord, ...]:
    result = outcome_of(shard.delete_offsets("kennel", [DOGS, CATS]))
    assert result.reply == [ErrorCode.NONE, ErrorCode.NONE]
    return result.records


def delete_topic(shard: GroupShard) -> tuple[CoordinatorRecord, ...]:
    return tuple(shard.offsets.forget_topics(shard.offsets.groups(), {"dogs"}))


@pytest.mark.parametrize("deletes", [delete_group, delete_offset, delete_topic])
@pytest.mark.parametrize("plain", [False, True])
def test_what_was_deleted_does_not_come_back_at_commit(
    deletes: Callable[[GroupShard], tuple[CoordinatorRecord, ...]], *, plain: bool
) -> None:
    logged = Logged()
    logged.opens(ONE, 9)
    logged.opens(TWO, 8)
    if plain:
        logged.commits(7)
    logged.replay(*deletes(logged.shard))
    assert logged.offset() is None
    assert list(logged.shard.views()) == []
    logged.ends(ONE)
    logged.ends(TWO)
    assert logged.offset() is None
    assert list(logged.shard.views()) == []


def test_what_comes_after_a_deletion_counts() -> None:
    logged = Logged()
    logged.opens(ONE, 9)
    logged.replay(*delete_topic(logged.shard))
    logged.opens(ONE, 3)
    logged.ends(ONE)
    assert logged.offset() == 3


def test_offsets_of_other_topics_stay_when_one_is_deleted() -> None:
    logged = Logged()
    logged.opens(ONE, 9, DOGS, CATS)
    offsets = logged.shard.offsets
    logged.replay(*offsets.forget_topics(offsets.groups(), {"cats"}))
    logged.ends(ONE)
    assert logged.offset() == 9
    assert logged.shard.offsets.positions("kennel") == [DOGS]


def test_a_group_of_open_transactions_alone_is_seen_and_known() -> None:
    logged = Logged()
    logged.opens(ONE, 9)
    shard = logged.shard
    assert [one.group_id for one in shard.views()] == ["kennel"]
    assert shard.offsets.positions("kennel") == []
    asked = Commit(
        "kennel", Identity("rex"), 3, {DOGS: an_offset(1)}, ErrorCode.ILLEGAL_GENERATION,
        in_transaction=True,
    )  # fmt: skip
    assert shard.commit(asked, 0).reply == {DOGS: ErrorCode.UNKNOWN_MEMBER_ID}
    assert tuple(shard.expire(shard.may_expire(), 10 * DAY_MS, DAY_MS)) == ()
    logged.ends(ONE, committed=False)
    assert shard.view("kennel") is None


def test_the_latest_that_counts_is_kept_and_what_is_open_stays_pending() -> None:
    logged = Logged()
    logged.opens(ONE, 1)
    logged.opens(TWO, 2)
    logged.ends(TWO)
    assert logged.offset() == 2
    assert logged.shard.offsets.is_pending("kennel", DOGS)
    logged.opens(TWO, 4)
    logged.ends(ONE)
    assert logged.offset() == 2
    logged.commits(3)
    assert logged.shard.offsets.is_pending("kennel", DOGS)
    logged.ends(TWO)
    assert logged.offset() == 3
    assert not logged.shard.offsets.is_pending("kennel", DOGS)
