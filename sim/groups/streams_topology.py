"""What the members of a simulated streams group run: parts with topics between them, one with state."""

from collections.abc import Iterable
from typing import Protocol

from barnabas.protocol.streams_group_heartbeat import (
    KeyValue,
    Subtopology,
    TaskIds,
    TopicInfo,
    Topology,
)
from sim.build import Build
from sim.events import Place, StreamsTask
from sim.scenario import STREAMERS_GROUP, TOPIC

REPARTITIONED = f"{STREAMERS_GROUP}-by-key-repartition"
_KEPT = f"{STREAMERS_GROUP}-counts-changelog"
_TOTALED = f"{STREAMERS_GROUP}-by-total-repartition"
_PARTS = {"0": TOPIC, "1": REPARTITIONED, "2": _TOTALED}
"""What each subtopology reads."""
WITH_STATE = "1"


def topology(build: Build) -> Topology:
    """As members say it when they join."""
    parts = {
        "0": _part("0", [TOPIC], writes=[REPARTITIONED]),
        WITH_STATE: _part(
            WITH_STATE,
            [],
            reads=[REPARTITIONED],
            writes=[_TOTALED] if "2" in build.parts else [],
            keeps=[_KEPT],
        ),
        "2": _part("2", [], reads=[_TOTALED]),
    }
    return Topology(epoch=build.epoch, subtopologies=[parts[one] for one in build.parts])


def _part(
    name: str,
    sources: list[str],
    *,
    reads: Iterable[str] = (),
    writes: Iterable[str] = (),
    keeps: Iterable[str] = (),
) -> Subtopology:
    return Subtopology(
        subtopology_id=name,
        source_topics=sources,
        source_topic_regex=[],
        state_changelog_topics=[_internal(one, "compact") for one in keeps],
        repartition_sink_topics=list(writes),
        repartition_source_topics=[_internal(one, "delete") for one in reads],
        copartition_groups=[],
    )


def _internal(name: str, cleanup: str) -> TopicInfo:
    configs = [KeyValue(key="cleanup.policy", value=cleanup)]
    return TopicInfo(name=name, partitions=0, replication_factor=-1, topic_configs=configs)


def inputs(build: Build) -> list[str]:
    """What it reads."""
    return [_PARTS[part] for part in build.parts]


def places_of(tasks: Iterable[StreamsTask]) -> tuple[Place, ...]:
    """What these tasks read."""
    return tuple((_PARTS[part], partition) for part, partition in sorted(tasks))


def all_tasks(build: Build, partitions: int) -> list[StreamsTask]:
    """What there is to do, sorted, where the topic has so many partitions."""
    return [(part, partition) for part in build.parts for partition in range(partitions)]


class _Row(Protocol):
    subtopology_id: str
    partitions: list[int]


def tasks_in(rows: Iterable[_Row]) -> tuple[StreamsTask, ...]:
    """Tasks as messages have them, sorted."""
    return tuple(sorted((row.subtopology_id, one) for row in rows for one in row.partitions))


def rows_of(tasks: Iterable[StreamsTask]) -> list[TaskIds]:
    """The other way round."""
    found: dict[str, list[int]] = {}
    for part, partition in sorted(tasks):
        found.setdefault(part, []).append(partition)
    return [TaskIds(subtopology_id=part, partitions=each) for part, each in found.items()]
