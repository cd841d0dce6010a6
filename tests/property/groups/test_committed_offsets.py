"""Records of committed offsets that are loaded at once leave what replaying one by one leaves."""

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.coordinators.common.record_rows import RecordRows, rows_of
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.offsets.offset_records import (
    OffsetAndMetadata,
    encode_commit,
    encode_removal,
)
from barnabas.coordinators.offsets.offsets import OffsetsShard
from barnabas.errors import DecodeError
from barnabas.kernels.wire import committed_offsets
from barnabas.protocol.internal.offset_commit_record import OffsetCommitKey, OffsetCommitValue
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.columns import ColumnSelection, decode_columns
from barnabas.types import TopicPartition
from barnabas.wire.compiler import Codec as MessageCodec
from tests.kernel_forms import source

pytestmark = pytest.mark.kernels

PLAIN = source("wire.committed_offsets")
INT32, INT64 = st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)
GROUPS = st.sampled_from(["kennel", "cattery", "", "zwinger-ß"])
POSITIONS = st.builds(TopicPartition, st.sampled_from(["dogs", "cats"]), st.integers(0, 3))
TEXTS = st.text(max_size=5) | st.just("long " * 40)
IDS = st.just(bytes(16)) | st.just(b"\7" * 16)
COMMITS = st.builds(
    OffsetAndMetadata, INT64, INT32, TEXTS, INT64, st.just(-1) | st.integers(0, 2**40), IDS
)


@st.composite
def old_commits(draw: st.DrawFn) -> CoordinatorRecord:
    """A record as releases before wrote it."""
    key, _ = encode_removal(draw(GROUPS), draw(POSITIONS))
    version = draw(st.integers(0, 4))
    value = OffsetCommitValue(
        offset=draw(INT64), metadata=draw(TEXTS), commit_timestamp=draw(INT64)
    )
    data = MessageCodec.of(OffsetCommitValue, version).encode(value)
    return CoordinatorRecord(key, struct.pack(">h", version) + data)


@st.composite
def damaged(draw: st.DrawFn) -> CoordinatorRecord:
    """A record of which bytes are missing, too many or others."""
    key, value = draw(st.builds(encode_commit, GROUPS, POSITIONS, COMMITS))
    assert value is not None
    parts = [key, value]
    which = draw(st.integers(0, 1))
    at = draw(st.integers(0, len(parts[which])))
    cut = draw(st.integers(0, 3))
    parts[which] = parts[which][:at] + draw(st.binary(max_size=3)) + parts[which][at + cut :]
    return CoordinatorRecord(*parts)


RECORDS = st.lists(
    st.builds(encode_commit, GROUPS, POSITIONS, COMMITS)
    | st.builds(encode_removal, GROUPS, POSITIONS)
    | old_commits()
    | damaged()
    | st.builds(CoordinatorRecord, st.just(struct.pack(">hh", 2, 0)), st.just(b"of a group")),
    min_size=1,
    max_size=12,
)


def rows_from(records: list[CoordinatorRecord]) -> RecordRows:
    builder = BatchBuilder(Codec.NONE, 1 << 20)
    for key, value in records:
        builder.append(0, key, value)
    return rows_of(
        decode_columns(
            [builder.build()], wanted=ColumnSelection.KEY | ColumnSelection.VALUE, start=0
        )
    )


def kept(shard: OffsetsShard) -> dict[str, dict[TopicPartition, OffsetAndMetadata | None]]:
    """All that a shard knows."""
    return {
        group: dict(zip(places, shard.fetch(group, places), strict=True))
        for group in shard.groups()
        if (places := shard.positions(group))
    }


def one_by_one(shard: OffsetsShard, record: CoordinatorRecord) -> str | None:
    """Replay a record; gives what is wrong with it."""
    try:
        shard.replay(*record)
    except DecodeError as error:
        return str(error)
    return None


@given(RECORDS)
def test_at_once_as_one_by_one(records: list[CoordinatorRecord]) -> None:
    single, at_once = OffsetsShard(100), OffsetsShard(100)
    wrong = [one_by_one(single, record) for record in records]
    names: dict[bytes, tuple[str, str]] = {}
    rows, row = rows_from(records), 0
    found: list[str | None] = [None] * len(records)
    while (row := at_once.replay_rows(names, rows, row)) < len(records):
        key = rows.key(row)
        assert key is not None
        found[row] = one_by_one(at_once, CoordinatorRecord(key, rows.value(row)))
        row += 1
    assert found == wrong
    assert kept(at_once) == kept(single)


@given(RECORDS)
def test_both_forms_of_the_kernel_do_the_same(records: list[CoordinatorRecord]) -> None:
    keys, key_ends, _, values, value_ends, has_value = rows_from(records)
    results = []
    for form in (committed_offsets, PLAIN):
        groups: dict[str, Any] = {}
        names: dict[bytes, tuple[str, str]] = {}
        stops, row = [], 0
        while row < len(records):
            row = form.replay(
                keys, key_ends, values, value_ends, has_value,
                row, groups, names, TopicPartition, OffsetAndMetadata,
            )  # fmt: skip
            stops.append(row)
            row += 1
        results.append((stops, groups, names))
    assert results[0] == results[1]


def test_what_is_written_today_is_taken_in_at_once() -> None:
    """With a topic id, with none, with a text, and a removal: none of them is left to the codecs."""
    place = TopicPartition("dogs", 1)
    records = [
        encode_commit("kennel", place, OffsetAndMetadata(1, 2, "", 3, topic_id=b"\7" * 16)),
        encode_commit("kennel", TopicPartition("dogs", 2), OffsetAndMetadata(4, 5, "text", 6)),
        encode_removal("kennel", place),
    ]
    shard = OffsetsShard(100)
    assert shard.replay_rows({}, rows_from(records), 0) == len(records)
    assert kept(shard) == {
        "kennel": {TopicPartition("dogs", 2): OffsetAndMetadata(4, 5, "text", 6)}
    }


@given(GROUPS, POSITIONS, COMMITS)
def test_records_are_written_as_the_codecs_write_them(
    group: str, position: TopicPartition, committed: OffsetAndMetadata
) -> None:
    key = struct.pack(">h", 1) + MessageCodec.of(OffsetCommitKey, 0).encode(
        OffsetCommitKey(group=group, topic=position.topic, partition=position.partition)
    )
    value = OffsetCommitValue(
        offset=committed.offset,
        leader_epoch=committed.leader_epoch,
        metadata=committed.metadata,
        commit_timestamp=committed.commit_timestamp,
        topic_id=committed.topic_id,
    )
    data = struct.pack(">h", 4) + MessageCodec.of(OffsetCommitValue, 4).encode(value)
    parts = (
        committed.offset, committed.leader_epoch, committed.metadata,
        committed.commit_timestamp, committed.topic_id,
    )  # fmt: skip
    for form in (committed_offsets, PLAIN):
        assert form.key_of(group, *position) == key
        assert form.value_of(*parts) == (data if len(committed.metadata.encode()) < 127 else None)
