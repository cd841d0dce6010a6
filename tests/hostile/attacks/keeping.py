"""Attacks by what a broker keeps for a client after its request: sessions, members, producers, names."""

import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import islice

from barnabas.protocol.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from barnabas.protocol.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from barnabas.protocol.share_fetch import FetchPartition, FetchTopic, ShareFetchRequest
from barnabas.protocol.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from tests.hostile.attacks.attack import Attack, Strike, Target
from tests.hostile.attacks.frames import MEGABYTE, frame_of
from tests.interop.brokers import InteropBroker
from tests.interop.raw import Raw, framed, header

_ANSWER_SECONDS = 120.0
Frames = Callable[[str], Iterable[bytes]]
"""Requests, given the name of a topic that there is."""


def _answered(
    frames: Frames, *, at_once: int = 1, partitions: int = 1
) -> Callable[[Target], Strike]:
    """Send them on one connection, `at_once` before their answers are read, and close it."""

    def prepare(broker: Target) -> Strike:
        topic = InteropBroker(broker).new_topic(partitions=partitions)
        all_frames = list(frames(topic))

        def strike(attackers: ExitStack) -> None:
            attacker = attackers.enter_context(Raw(broker.bootstrap_servers, _ANSWER_SECONDS))
            left = iter(all_frames)
            while some := list(islice(left, at_once)):
                attacker.send(b"".join(some[:-1]))
                attacker.ask(some[-1])
                for _ in some[1:]:
                    attacker.ask(b"")

        return strike

    return prepare


def _on_connections(frame: Callable[[int], bytes], count: int) -> Callable[[Target], Strike]:
    """Send one on each of many connections, and close them without reading."""

    def prepare(broker: Target) -> Strike:
        def strike(attackers: ExitStack) -> None:
            for number in range(count):
                attacker = attackers.enter_context(Raw(broker.bootstrap_servers, _ANSWER_SECONDS))
                attacker.send(frame(number))

        return strike

    return prepare


def _fetch_sessions(count: int, partitions: int) -> Frames:
    """Fetch 7 that begins a session of partitions that do not exist."""
    head = struct.pack(">iiiibii", -1, 0, 1, MEGABYTE, 0, 0, 0)
    head += struct.pack(">ih", 1, 4) + b"none" + struct.pack(">i", partitions)
    places = b"".join(struct.pack(">iqqi", index, 0, -1, MEGABYTE) for index in range(partitions))
    return lambda _topic: [framed(header(1, 7) + head + places + struct.pack(">i", 0))] * count


def _join(group: str, metadata: bytes, version: int) -> bytes:
    protocol = JoinGroupRequestProtocol(name="range", metadata=metadata)
    return frame_of(
        JoinGroupRequest(
            group_id=group, session_timeout_ms=60_000, rebalance_timeout_ms=60_000, member_id="",
            protocol_type="consumer", protocols=[protocol],
        ),
        version,
    )  # fmt: skip


def _many_groups(_topic: str) -> Iterator[bytes]:
    return (_join(f"group {number}", b"", 5) for number in range(100_000))


def _member(number: int, names: list[str] | None, regex: str | None = None) -> bytes:
    return frame_of(
        ConsumerGroupHeartbeatRequest(
            group_id=f"group {number}", member_id=f"member {number}", member_epoch=0,
            rebalance_timeout_ms=60_000, subscribed_topic_names=names,
            subscribed_topic_regex=regex, topic_partitions=[],
        ),
        0 if regex is None else 1,
    )  # fmt: skip


def _many_protocols(number: int) -> bytes:
    """Of a member that knows what all know, and likes it in an order of its own."""
    names = [f"{(7 * index + number) % 1000:03}" for index in range(1000)]
    return frame_of(
        JoinGroupRequest(
            group_id="group", session_timeout_ms=60_000, rebalance_timeout_ms=60_000,
            member_id="", protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol(name=name, metadata=b"") for name in names],
        ),
        3,
    )  # fmt: skip


def _many_names(_topic: str) -> Iterator[bytes]:
    names = [f"{number:05x}" for number in range(100_000)]
    return (_member(number, names) for number in range(60))


def _many_partitions(_topic: str) -> Iterator[bytes]:
    return (_member(number, None, ".*") for number in range(400))


def _share_sessions(_topic: str) -> Iterator[bytes]:
    topics = [
        FetchTopic(
            topic_id=struct.pack(">qq", 1, number + 1),
            partitions=[FetchPartition(partition_index=0, acknowledgement_batches=[])],
        )
        for number in range(10_000)
    ]
    for number in range(200):
        request = ShareFetchRequest(
            group_id=f"group {number}", member_id="member", share_session_epoch=0, max_wait_ms=0,
            min_bytes=0, max_bytes=1, max_records=1, batch_size=1, topics=topics,
            forgotten_topics_data=[],
        )  # fmt: skip
        yield frame_of(request, 1)


def _markers(topic: str) -> Iterator[bytes]:
    place = [WritableTxnMarkerTopic(name=topic, partition_indexes=[0])]
    for first in range(10**6, 10**6 + 150_000, 100):
        markers = [
            WritableTxnMarker(
                producer_id=number, producer_epoch=0, transaction_result=True, topics=place,
                coordinator_epoch=0,
            )
            for number in range(first, first + 100)
        ]  # fmt: skip
        yield frame_of(WriteTxnMarkersRequest(markers=markers), 1)


ATTACKS = (
    Attack(
        "fetch-sessions",
        "three fetch sessions of 200,000 partitions that do not exist (15 MB)",
        _answered(_fetch_sessions(3, 200_000)),
    ),
    Attack(
        "many-fetch-sessions",
        "60 fetch sessions of 10,000 partitions that do not exist (15 MB)",
        _answered(_fetch_sessions(60, 10_000)),
    ),
    Attack(
        "large-members",
        "200 connections with a JoinGroup of 1 MB each, for one group",
        _on_connections(lambda _number: _join("group", bytes(MEGABYTE), 3), 200),
    ),
    Attack(
        "large-members-of-many-groups",
        "the same, each for a group of its own",
        _on_connections(lambda number: _join(f"group {number}", bytes(MEGABYTE), 3), 200),
    ),
    Attack(
        "many-protocols",
        "300 connections with a JoinGroup of 1,000 protocols each, for one group (3 MB)",
        _on_connections(_many_protocols, 300),
    ),
    Attack(
        "many-groups",
        "100,000 JoinGroup for groups of their own (9 MB)",
        _answered(_many_groups, at_once=200),
    ),
    Attack(
        "many-names",
        "60 members of consumer groups with 100,000 topics each (36 MB)",
        _answered(_many_names),
    ),
    Attack(
        "many-partitions",
        "400 members of consumer groups that subscribe to .* with 5,000 partitions (28 KB)",
        _answered(_many_partitions, partitions=5000),
    ),
    Attack(
        "share-sessions",
        "200 share sessions of 10,000 partitions that do not exist (48 MB)",
        _answered(_share_sessions),
    ),
    Attack(
        "markers-of-many-producers",
        "1,500 WriteTxnMarkers of 100 producers that nobody knows (5 MB)",
        _answered(_markers, at_once=10),
    ),
)
