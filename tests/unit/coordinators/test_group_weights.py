"""Groups weigh no less than they take, and not very much more."""

import gc
import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import pytest

from barnabas.coordinators.classic_group import joining
from barnabas.coordinators.classic_group.joining import Join
from barnabas.coordinators.consumer_group.heartbeats import ConsumerHeartbeat
from barnabas.coordinators.group_growth import (
    grown_by_assignments,
    grown_by_heartbeat,
    grown_by_join,
)
from barnabas.coordinators.group_weights import weight_of
from barnabas.coordinators.groups_shard import GroupShard
from barnabas.coordinators.share_group.groups import ShareHeartbeat, ShareSettings
from barnabas.coordinators.streams_group.heartbeats import StreamsHeartbeat
from barnabas.coordinators.streams_group.member import MemberEndpoint
from barnabas.coordinators.streams_group.settings import StreamsSettings
from barnabas.coordinators.streams_group.tasks import NO_TASKS
from barnabas.coordinators.streams_group.topology import Topology
from barnabas.protocol.internal.streams_group_records import Subtopology
from tests.unit.coordinators.classic_group.acting import Acting
from tests.unit.coordinators.some_topics import SomeTopics, a_shard

SHARE = ShareSettings(session_ms=1000, heartbeat_ms=100, assignment_interval_ms=0, max_size=10)
WHO = {"client_id": "c", "client_host": "/h"}


def join(shard: GroupShard, name: str, metadata: bytes = b"me") -> None:
    group = shard.group_to_join(name)
    joining.join(group, a_join(name, metadata), name, 0)


def a_join(name: str, metadata: bytes, member_id: str = "", *, invited: bool = False) -> Join:
    protocols = (("range", metadata), ("sticky", metadata[:-1] + b"!"))
    return Join(
        member_id, None, f"{name}-id", "", "c", "/h", 10, 10, "consumer", protocols, invited,
        skips_assignment=False,
    )  # fmt: skip


def classic_groups(shard: GroupShard) -> None:
    for number in range(100):
        join(shard, f"group {number}")


def large_members(shard: GroupShard) -> None:
    for number in range(10):
        join(shard, f"group {number}", bytes(100_000))


def invitations(shard: GroupShard) -> None:
    group = shard.group_to_join("g")
    for number in range(1000):
        joining.join(group, a_join(f"member number {number}", b"", invited=True), "w", 0)


def classic_with_long_names(shard: GroupShard) -> None:
    for number in range(20):
        group = shard.group_to_join(f"{number}g" * 3000)
        asked = a_join(f"{number}m" * 3000, b"me")._replace(
            instance_id=f"{number}i" * 3000, protocol_type=f"{number}t" * 3000
        )
        joining.join(group, asked, "w", 0)


def consumers(shard: GroupShard, **given: object) -> None:
    for number in range(50):
        asked = ConsumerHeartbeat(
            group_id=f"group {number}", member_id=f"m{number}", epoch=0, rebalance_timeout_ms=500,
            owned=frozenset(), **WHO, **({"topics": ("dogs",)} | given),  # type: ignore[arg-type]
        )  # fmt: skip
        shard.consumer.heartbeat(asked, None, 0)


def consumers_of_much(shard: GroupShard) -> None:
    consumers(shard, topics=("cats",))


def consumers_with_many_names(shard: GroupShard) -> None:
    asked = ConsumerHeartbeat(
        group_id="g", member_id="m", epoch=0, rebalance_timeout_ms=500, owned=frozenset(),
        topics=tuple(f"{number:06}" for number in range(20_000)), **WHO,
    )  # fmt: skip
    shard.consumer.heartbeat(asked, None, 0)


def consumers_with_long_names(shard: GroupShard) -> None:
    # Made anew for each: what several share is taken once.
    for number in range(20):
        long = [f"{number}{kind}" * 3000 for kind in "riua"]
        asked = ConsumerHeartbeat(
            group_id=f"{number}g" * 3000, member_id=f"{number}\N{PAW PRINTS}" * 3000, epoch=0,
            rebalance_timeout_ms=500, owned=frozenset(), topics=("dogs",), rack_id=long[0],
            instance_id=long[1], assignor="uniform", **WHO,
        )  # fmt: skip
        shard.consumer.heartbeat(asked, None, 0)


def shares_with_long_names(shard: GroupShard) -> None:
    shares(shard, "n" * 6000)


def shares(shard: GroupShard, name: str = "") -> None:
    for number in range(50):
        asked = ShareHeartbeat(
            group_id=f"g{number}{name}", member_id=f"m{number}{name}", epoch=0, topics=("cats",),
            rack_id=f"{number}{name}" if name else None, **WHO,
        )  # fmt: skip
        shard.share.heartbeat(asked, SHARE, 0)


def streams_with_long_names(shard: GroupShard) -> None:
    for number in range(20):
        long = [f"{number}{kind}" * 3000 for kind in "mpeh"]
        asked = StreamsHeartbeat(
            group_id=str(number), member_id=long[0], epoch=0, rebalance_timeout_ms=500,
            owned=NO_TASKS, topology=Topology(0, ()), process_id=long[1], rack_id=long[2],
            endpoint=MemberEndpoint(long[3], 1), tags=(), client_id="c", client_host="/h",
        )  # fmt: skip
        shard.streams.heartbeat(asked, None, StreamsSettings(1000, 100, 0, 0, 0, 100), 0)


def streams(shard: GroupShard, delay_ms: int = 0) -> None:
    sources = [f"source {number}" for number in range(3000)]
    names = [*sources, "cats"]
    one = Subtopology(
        subtopology_id="0", source_topics=names, source_topic_regex=[], state_changelog_topics=[],
        repartition_sink_topics=[], repartition_source_topics=[], copartition_groups=[],
    )  # fmt: skip
    topology = Topology(0, (one,))
    asked = StreamsHeartbeat(
        group_id="g", member_id="m", epoch=0, rebalance_timeout_ms=500, topology=topology,
        owned=NO_TASKS, process_id="p", tags=(), client_id="c", client_host="/h",
    )  # fmt: skip
    settings = StreamsSettings(1000, 100, 0, delay_ms, 0, 10)
    shard.streams.heartbeat(asked, None, settings, 0)


@pytest.mark.parametrize(
    "fill",
    [
        classic_groups, large_members, invitations, consumers, consumers_of_much,
        consumers_with_many_names, consumers_with_long_names, shares, shares_with_long_names,
        streams, streams_with_long_names, classic_with_long_names,
    ],
)  # fmt: skip
def test_they_weigh_what_they_take(fill: Callable[[GroupShard], None]) -> None:
    # The first shard makes what is made once for all. A table of the interpreter's that grows meanwhile
    # (or another thread) is counted as well, but not three times: the least is what the groups take.
    topics = SomeTopics(dogs=1, cats=300)
    fill(a_shard(topics))
    taken = min(memory_of(fill, a_shard(topics)) for _ in range(3))
    shard = a_shard(topics)
    fill(shard)
    kinds = (shard.groups(), shard.consumer.all(), shard.share.all(), shard.streams.all())
    names = [one.group_id for groups in kinds for one in groups]
    weight = sum(weight_of(shard, name) for name in names)
    assert taken <= weight <= 5 * taken


def memory_of(fill: Callable[[GroupShard], None], shard: GroupShard) -> int:
    """The bytes that stay allocated after `fill`."""
    gc.collect()
    tracemalloc.start()
    try:
        fill(shard)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def test_tasks_weigh_before_they_are_assigned() -> None:
    others = {f"source {number}": 1 for number in range(3000)}
    shards = [a_shard(SomeTopics(**others, cats=count)) for count in (1, 300)]
    for shard in shards:
        streams(shard, delay_ms=3000)
    few, many = (weight_of(shard, "g") for shard in shards)
    assert many - few > 299 * 300


def test_only_what_is_new_is_asked_for() -> None:
    shard = a_shard(SomeTopics(dogs=1))
    first = grown_by_join("rex", None, a_join("rex", bytes(1000)))
    join(shard, "rex", bytes(1000))
    group = shard.group("rex")
    assert group is not None
    second = grown_by_join("rex", group, a_join("tom", bytes(1000)))
    assert first > second > 2000
    assert first >= weight_of(shard, "rex")
    assert grown_by_join("rex", group, a_join("rex", bytes(1000), "rex-id")) == 0
    assert grown_by_join("rex", group, a_join("rex", bytes(1500), "rex-id")) == 1000


def test_assignments_are_asked_for_as_far_as_they_are_larger() -> None:
    acting = Acting()
    acting.settle("rex", "tom")
    assert grown_by_assignments(acting.group, {"rex": b"rextom"}) == 0
    assert grown_by_assignments(acting.group, {"rex": bytes(100), "tom": b""}) == 94


def test_a_member_that_repeats_itself_is_charged_nothing() -> None:
    shard = a_shard(SomeTopics(dogs=1))
    consumers(shard)
    shares(shard)
    again = {"epoch": 2, **WHO}
    beat = ConsumerHeartbeat(group_id="group 3", member_id="m3", topics=("dogs",), **again)  # type: ignore[arg-type]
    assert grown_by_heartbeat(shard, beat) == 0
    more = replace(beat, topics=("dogs", "x" * 500))
    assert 500 < grown_by_heartbeat(shard, more) < 600
    racked = replace(beat, rack_id="r" * 500, regex="x" * 300)
    assert 800 <= grown_by_heartbeat(shard, racked) < 900
    known = ShareHeartbeat(group_id="g3", member_id="m3", topics=None, **again)  # type: ignore[arg-type]
    assert grown_by_heartbeat(shard, known) == 0
    new = ShareHeartbeat(group_id="g3", member_id="other", topics=("cats",), **again)  # type: ignore[arg-type]
    assert grown_by_heartbeat(shard, new) > 1000


def test_what_is_without_members_weighs_nothing_unless_it_stays_for_ever() -> None:
    shard = a_shard(SomeTopics(dogs=1, cats=1))
    consumers(shard)
    shares(shard)
    for kind in ("group 3", "g3"):
        group = shard.consumer.get(kind) or shard.share.get(kind)
        assert group is not None
        for member_id in list(group.members):
            del group.members[member_id]
    assert weight_of(shard, "group 3") == 0
    assert weight_of(shard, "g3") > 0
    assert weight_of(shard, "nothing") == 0
