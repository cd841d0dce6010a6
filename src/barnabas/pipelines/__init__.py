"""Pipelines on Spark: functions of a session and options. What its users call is here by name.

`archive` and `replay` move topics to Parquet and back, `mirror` to another cluster; `compare` says
whether two places have the same records, `topic_statistics` what a topic is like.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from barnabas.pipelines.archive_replay import ReplayOptions, ReplayResult, replay
    from barnabas.pipelines.comparison import CompareOptions, Comparison, compare
    from barnabas.pipelines.errors import PipelineRefused, RecordsDiffer
    from barnabas.pipelines.mirror_07 import Kafka07Address
    from barnabas.pipelines.record_statistics import (
        StatisticsOptions,
        TopicStatistics,
        topic_statistics,
    )
    from barnabas.pipelines.running import PipelineProgress
    from barnabas.pipelines.sides import ArchiveSide, TopicSide
    from barnabas.pipelines.topic_archive import ArchiveOptions, ArchiveResult, archive
    from barnabas.pipelines.topic_frames import ClusterAddress
    from barnabas.pipelines.topic_mirror import MirrorOptions, MirrorResult, mirror

_HOME = {
    "ArchiveOptions": "topic_archive",
    "ArchiveSide": "sides",
    "ArchiveResult": "topic_archive",
    "ClusterAddress": "topic_frames",
    "CompareOptions": "comparison",
    "Comparison": "comparison",
    "Kafka07Address": "mirror_07",
    "MirrorOptions": "topic_mirror",
    "MirrorResult": "topic_mirror",
    "PipelineProgress": "running",
    "PipelineRefused": "errors",
    "RecordsDiffer": "errors",
    "ReplayOptions": "archive_replay",
    "ReplayResult": "archive_replay",
    "StatisticsOptions": "record_statistics",
    "TopicSide": "sides",
    "TopicStatistics": "record_statistics",
    "archive": "topic_archive",
    "compare": "comparison",
    "mirror": "topic_mirror",
    "replay": "archive_replay",
    "topic_statistics": "record_statistics",
}

__all__ = [
    "ArchiveOptions",
    "ArchiveResult",
    "ArchiveSide",
    "ClusterAddress",
    "CompareOptions",
    "Comparison",
    "Kafka07Address",
    "MirrorOptions",
    "MirrorResult",
    "PipelineProgress",
    "PipelineRefused",
    "RecordsDiffer",
    "ReplayOptions",
    "ReplayResult",
    "StatisticsOptions",
    "TopicSide",
    "TopicStatistics",
    "archive",
    "compare",
    "mirror",
    "replay",
    "topic_statistics",
]


def __getattr__(name: str) -> object:
    """Find a name where it is defined, and keep it: Spark is imported when it is first asked for."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = found
    return found
