"""The progress of a streaming query: its lag per partition, and a log line for each batch.

Spark's `lastProgress` has no metrics for Python sources, and shows a Java class in place of the topics; but it
contains the offsets.
"""

import json
import logging
from typing import Any

from pyspark.sql.streaming.listener import (
    QueryIdleEvent,
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
    StreamingQueryProgress,
)
from pyspark.sql.streaming.query import StreamingQuery

from barnabas.spark.options.offsets import OffsetMap, offsets_from_json
from barnabas.types import TopicPartition

_log = logging.getLogger(__name__)


def lag(query: StreamingQuery) -> dict[TopicPartition, int]:
    """How many records of each partition the query has not finished, as of its last progress.

    Empty before its first progress. Spark reports one after each batch, and every ten seconds
    while no records arrive (`spark.sql.streaming.noDataProgressEventInterval`). Works for Spark's own
    Kafka source as well.
    """
    progress = query.lastProgress
    return {} if progress is None else lag_at(progress)


def lag_at(progress: StreamingQueryProgress) -> dict[TopicPartition, int]:
    """Like `lag`, from one progress report; sources that read no topics are left out."""
    behind: dict[TopicPartition, int] = {}
    for source in progress.sources:
        done, newest = _offsets(source.endOffset), _offsets(source.latestOffset)
        for where, end in newest.items():
            # The first offset of a new partition is unknown here; most start at 0.
            behind[where] = behind.get(where, 0) + max(end - done.get(where, 0), 0)
    return behind


def _offsets(text: Any) -> OffsetMap:
    """The offsets that Spark shows; none if the source reads no topics."""
    try:
        parsed = json.loads(text) if isinstance(text, str) else text
        return offsets_from_json(parsed)
    except (ValueError, TypeError, AttributeError):
        return {}


class ProgressLog(StreamingQueryListener):
    """Logs a line for each batch: rows, rate and lag. `spark.streams.addListener(ProgressLog())`.

    The logger is `barnabas.spark.monitoring`, the level INFO. A line names at most `partitions` partitions:
    those with the greatest lag.
    """

    def __init__(self, partitions: int = 5) -> None:
        self._partitions = partitions

    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802 (Spark's name)
        """Log the start."""
        _log.info("stream started query=%s run=%s", event.name or event.id, event.runId)

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802
        """Log one batch."""
        progress = event.progress
        behind = lag_at(progress)
        worst = sorted(behind, key=lambda where: (-behind[where], where))[: self._partitions]
        _log.info(
            "stream progress query=%s batch=%d rows=%d rows_per_s=%.1f lag=%d%s",
            progress.name or progress.id,
            progress.batchId,
            progress.numInputRows,
            progress.processedRowsPerSecond,
            sum(behind.values()),
            "".join(f" {each.topic}-{each.partition}={behind[each]}" for each in worst),
        )

    def onQueryIdle(self, event: QueryIdleEvent) -> None:  # noqa: N802
        """Do nothing: the last progress is still valid."""

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802
        """Log the end."""
        if event.exception:
            first = event.exception.strip().splitlines()[0]
            _log.error("stream failed query=%s why=%s", event.id, first)
        else:
            _log.info("stream ended query=%s", event.id)
