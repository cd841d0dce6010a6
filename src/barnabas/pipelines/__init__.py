"""Pipelines on Spark: functions of a session and options. What its users call is here by name.

`archive` and `replay` move topics to Parquet and back, `mirror` to another cluster; `compare` checks
whether two places have the same records; `topic_statistics` describes a topic.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from barnabas.pipelines.archives.archive_replay import ReplayOptions, ReplayResult, replay
    from barnabas.pipelines.archives.topic_archive import ArchiveOptions, ArchiveResult, archive
    from barnabas.pipelines.comparisons.comparison import CompareOptions, Comparison, compare
    from barnabas.pipelines.errors import PipelineRefused, RecordsDiffer
    from barnabas.pipelines.mirrors.mirror_07 import Kafka07Address
    from barnabas.pipelines.mirrors.mirror_options import MirrorOptions
    from barnabas.pipelines.mirrors.topic_mirror import MirrorResult, mirror
    from barnabas.pipelines.record_statistics import (
        StatisticsOptions,
        TopicStatistics,
        topic_statistics,
    )
    from barnabas.pipelines.running import PipelineProgress
    from barnabas.pipelines.sides import ArchiveSide, TopicSide
    from barnabas.pipelines.topic_frames import ClusterAddress

_HOME = {
    "ArchiveOptions": "archives.topic_archive",
    "ArchiveSide": "sides",
    "ArchiveResult": "archives.topic_archive",
    "ClusterAddress": "topic_frames",
    "CompareOptions": "comparisons.comparison",
    "Comparison": "comparisons.comparison",
    "Kafka07Address": "mirrors.mirror_07",
    "MirrorOptions": "mirrors.mirror_options",
    "MirrorResult": "mirrors.topic_mirror",
    "PipelineProgress": "running",
    "PipelineRefused": "errors",
    "RecordsDiffer": "errors",
    "ReplayOptions": "archives.archive_replay",
    "ReplayResult": "archives.archive_replay",
    "StatisticsOptions": "record_statistics",
    "TopicSide": "sides",
    "TopicStatistics": "record_statistics",
    "archive": "archives.topic_archive",
    "compare": "comparisons.comparison",
    "mirror": "mirrors.topic_mirror",
    "replay": "archives.archive_replay",
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
    """Import a name on first use, and keep it: Spark is not imported before."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = found
    return found
