"""Attacks by one long name that the broker keeps, or removes, once for each of thousands of partitions."""

import struct
import time
from collections.abc import Iterable
from contextlib import ExitStack

from barnabas.protocol.delete_groups import DeleteGroupsRequest
from barnabas.protocol.initialize_share_group_state import (
    InitializeShareGroupStateRequest,
    InitializeStateData,
    PartitionData,
)
from barnabas.protocol.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from tests.hostile.attacks.attack import Attack, Strike, Target
from tests.hostile.attacks.frames import frame_of
from tests.interop.brokers import InteropBroker
from tests.interop.raw import Raw, framed, header

_NAME = "g" * 32_000
_PARTITIONS = 5000
_ANSWER_SECONDS = 120.0
_AT_ONCE = 30
"""So many offsets of such a group are no more than __consumer_offsets takes as one batch."""


def _commit(topic: str, partitions: Iterable[int]) -> bytes:
    """OffsetCommit 2, from outside of a membership."""
    rows = b"".join(struct.pack(">iqh", index, 0, -1) for index in partitions)
    parts = (
        struct.pack(">h", len(_NAME)), _NAME.encode(), struct.pack(">ihq", -1, 0, -1),
        struct.pack(">ih", 1, len(topic)), topic.encode(), struct.pack(">i", len(rows) // 14), rows,
    )  # fmt: skip
    return framed(header(8, 2) + b"".join(parts))


def _struck(broker: Target, *frames: bytes) -> Strike:
    def strike(_attackers: ExitStack) -> float:
        begun = time.monotonic()
        with Raw(broker.bootstrap_servers, _ANSWER_SECONDS) as connection:
            for frame in frames:
                assert connection.ask(frame) is not None
        return time.monotonic() - begun

    return strike


def _committed(broker: Target) -> Strike:
    topic = InteropBroker(broker).new_topic(partitions=_PARTITIONS)
    return _struck(broker, _commit(topic, range(_PARTITIONS)))


def _removed(broker: Target) -> Strike:
    topic = InteropBroker(broker).new_topic(partitions=_PARTITIONS)
    with Raw(broker.bootstrap_servers, _ANSWER_SECONDS) as connection:
        for first in range(0, _PARTITIONS, _AT_ONCE):
            some = range(first, min(first + _AT_ONCE, _PARTITIONS))
            assert connection.ask(_commit(topic, some)) is not None
    partitions = [OffsetDeleteRequestPartition(partition_index=at) for at in range(_PARTITIONS)]
    named = OffsetDeleteRequestTopic(name=topic, partitions=partitions)
    return _struck(
        broker,
        frame_of(OffsetDeleteRequest(group_id=_NAME, topics=[named]), 0),
        frame_of(DeleteGroupsRequest(groups_names=[_NAME]), 1),
    )


def _begun(broker: Target) -> Strike:
    begun = [
        PartitionData(partition=index, state_epoch=0, start_offset=0)
        for index in range(_PARTITIONS)
    ]
    data = InitializeStateData(topic_id=b"attacked topic--", partitions=begun)
    return _struck(
        broker, frame_of(InitializeShareGroupStateRequest(group_id=_NAME, topics=[data]), 0)
    )


ATTACKS = (
    Attack("name-committed", "OffsetCommit of 5,000 partitions for a group of 32 KB", _committed),
    Attack("name-removed", "OffsetDelete, then DeleteGroups, of what such a group has", _removed),
    Attack(
        "name-begun",
        "InitializeShareGroupState of 5,000 partitions for a group of 32 KB",
        _begun,
    ),
)
