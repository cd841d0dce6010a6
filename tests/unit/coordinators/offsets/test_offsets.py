from collections.abc import Iterable
from pathlib import Path
from sys import getrefcount

import pytest

from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.offsets.offset_records import OffsetAndMetadata
from barnabas.coordinators.offsets.offsets import OffsetsShard
from barnabas.errors import DecodeError, ErrorCode
from barnabas.records.columns.reading import decode_records
from barnabas.types import TopicPartition

DOGS = TopicPartition("dogs", 0)
CATS = TopicPartition("cats", 3)
VECTORS = Path(__file__).parents[3] / "vectors" / "logs"


def a_shard() -> OffsetsShard:
    return OffsetsShard(metadata_max_bytes=10)


def an_offset(offset: int, metadata: str = "", **more: int) -> OffsetAndMetadata:
    return OffsetAndMetadata(offset, 2, metadata, 1000, more.get("expire_timestamp", -1), bytes(16))


def replay(shard: OffsetsShard, records: Iterable[CoordinatorRecord]) -> None:
    for key, value in records:
        shard.replay(key, value)


def test_a_commit_counts_when_it_is_replayed() -> None:
    shard = a_shard()
    result = shard.commit("kennel", {DOGS: an_offset(7, "here")})
    assert result.reply == {DOGS: ErrorCode.NONE}
    assert shard.fetch("kennel", [DOGS]) == [None]
    replay(shard, result.records)
    assert shard.fetch("kennel", [CATS, DOGS]) == [None, an_offset(7, "here")]
    assert shard.positions("kennel") == [DOGS]
    assert shard.fetch("other", [DOGS]) == [None]


def test_a_loaded_shard_is_the_live_one() -> None:
    live, loaded = a_shard(), a_shard()
    log: list[CoordinatorRecord] = []
    for offset in range(3):
        records = live.commit(
            "kennel", {DOGS: an_offset(offset), CATS: an_offset(2 * offset)}
        ).records
        log += records
        replay(live, records)
    records = tuple(live.forget_topics(live.groups(), {"cats"}))
    log += records
    replay(live, records)
    replay(loaded, tuple(log))
    assert loaded.groups() == live.groups() == ["kennel"]
    assert loaded.fetch("kennel", [DOGS, CATS]) == live.fetch("kennel", [DOGS, CATS])
    assert live.fetch("kennel", [DOGS, CATS]) == [an_offset(2), None]


def test_commits_that_are_replayed_late_or_never_have_the_same_answers() -> None:
    live, loaded = a_shard(), a_shard()
    lost = [live.commit("kennel", {DOGS: an_offset(50 + n)}).records for n in range(3)]
    first, second = (live.commit("kennel", {DOGS: an_offset(n)}).records for n in (1, 2))
    removed = live.forget("kennel", [DOGS])
    for records in (first, second, removed):
        replay(live, records)
        replay(loaded, [_copied(one) for one in records])
        assert live.fetch("kennel", [DOGS]) == loaded.fetch("kennel", [DOGS])
    assert live.fetch("kennel", [DOGS]) == [an_offset(2)]
    replay(live, lost[1])
    assert live.fetch("kennel", [DOGS]) == [an_offset(51)]


def test_what_could_not_be_written_is_not_kept() -> None:
    shard = a_shard()
    records = shard.commit("kennel", {DOGS: an_offset(1, "é")}).records
    value = records[0].value
    before = getrefcount(value)
    shard.not_kept(records)
    after = getrefcount(value)
    assert after == before - 1
    replay(shard, records)
    assert shard.fetch("kennel", [DOGS]) == [an_offset(1, "é")]


def _copied(record: CoordinatorRecord) -> CoordinatorRecord:
    value = None if record.value is None else bytes(bytearray(record.value))
    return CoordinatorRecord(record.key, value)


def test_long_metadata_is_refused_and_the_rest_is_kept() -> None:
    result = a_shard().commit(
        "kennel", {DOGS: an_offset(1, "x" * 11), CATS: an_offset(1, "x" * 10)}
    )
    assert result.reply == {DOGS: ErrorCode.OFFSET_METADATA_TOO_LARGE, CATS: ErrorCode.NONE}
    assert len(result.records) == 1


@pytest.mark.parametrize(
    ("metadata", "code"),
    [
        ("\u00fc" * 10, ErrorCode.NONE),
        ("\U0001f600" * 5, ErrorCode.NONE),
        ("\U0001f600" * 5 + "x", ErrorCode.OFFSET_METADATA_TOO_LARGE),
    ],
)
def test_metadata_is_as_long_as_java_says(metadata: str, code: ErrorCode) -> None:
    assert a_shard().commit("kennel", {DOGS: an_offset(1, metadata)}).reply == {DOGS: code}


def test_offsets_grow_old_from_their_commit_or_from_the_end_of_the_group() -> None:
    shard = a_shard()
    both = {DOGS: an_offset(1), CATS: an_offset(2, expire_timestamp=1500)}
    replay(shard, shard.commit("kennel", both).records)
    assert shard.expired("kennel", 1499, 1000, None) == []
    assert shard.expired("kennel", 1500, 1000, None) == [CATS]
    assert shard.expired("kennel", 2000, 1000, None) == [DOGS, CATS]
    assert shard.expired("kennel", 2000, 1000, 1001) == [CATS]
    replay(shard, shard.forget("kennel", [DOGS, CATS, TopicPartition("other", 0)]))
    assert shard.groups() == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (b"\0", b""),
        (b"\0\1\0\7kennel", b""),
        (b"\0\1\0\1k\0\1d\0\0\0\0", b"\0\5" + bytes(40)),
        (b"\0\1\0\1k\0\1d\0\0\0\0", b"\0\3" + bytes(4)),
    ],
)
def test_a_damaged_record_is_an_error(key: bytes, value: bytes) -> None:
    with pytest.raises(DecodeError):
        a_shard().replay(key, value)


def test_records_of_groups_are_passed_over() -> None:
    shard = a_shard()
    shard.replay(b"\0\2\0\6kennel", b"\0\3whatever")
    shard.replay(None, b"")
    assert shard.groups() == []


@pytest.mark.kernels
@pytest.mark.parametrize("version", ["3.9.2", "4.3.0"])
def test_what_kafka_committed_is_understood(version: str) -> None:
    name = f"kafka-{version}/__consumer_offsets-0/00000000000000000000.log"
    shard = a_shard()
    for record in decode_records((VECTORS / name).read_bytes(), "__consumer_offsets", 0)[0]:
        shard.replay(record.key, record.value)
    corpus = [TopicPartition("corpus", 0), TopicPartition("corpus", 1)]
    found = {
        group_id: [one and one.offset for one in shard.fetch(group_id, corpus)]
        for group_id in shard.groups()
    }
    assert found == {"corpus-group": [7, 11], "corpus-txn-group": [5, 6]}
