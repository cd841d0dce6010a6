"""The options of reading: Spark's own names, checked as Spark's own source checks them.

Source: Spark's "Structured Streaming + Kafka Integration Guide"; KafkaSourceProvider.scala.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from barnabas.spark.errors import OptionError
from barnabas.spark.options.formats import NAMES as FORMAT_NAMES
from barnabas.spark.options.formats import Formats, read_formats
from barnabas.spark.options.offsets import (
    EARLIEST,
    LATEST,
    AllPartitions,
    AtOffsets,
    Position,
    read_position,
)
from barnabas.spark.options.option_values import Options
from barnabas.spark.options.selection import NAMES as SELECTION_NAMES
from barnabas.spark.options.selection import Selection, read_selection

Mode = Literal["batch", "stream", "either"]
"""Spark requests the schema before the mode is known ("either")."""

STARTING = ("startingTimestamp", "startingOffsetsByTimestamp", "startingOffsets")
ENDING = ("endingTimestamp", "endingOffsetsByTimestamp", "endingOffsets")
STREAM_ONLY = (
    "maxOffsetsPerTrigger",
    "minOffsetsPerTrigger",
    "maxTriggerDelay",
    "commitOffsetsToGroup",
)

NAMES = (
    *SELECTION_NAMES,
    *STARTING,
    *ENDING,
    *STREAM_ONLY,
    *FORMAT_NAMES,
    "startingOffsetsByTimestampStrategy",
    "failOnDataLoss",
    "minPartitions",
    "maxRecordsPerPartition",
    "includeHeaders",
    "groupIdPrefix",
    "kafkaConsumer.pollTimeoutMs",
    "fetchOffset.numRetries",
    "fetchOffset.retryIntervalMs",
    "batchRows",
    "fetchBytes",
    "columns",
)
"""All options of reading but `kafka.*`. The last three, `commitOffsetsToGroup` and formats are not Spark's."""

ELSEWHERE = {
    "topic": "is an option of writing; to read from a topic use 'subscribe'",
    "path": "is not used; call load() without a path and name the topics with 'subscribe'",
    "checkpointLocation": "belongs to writeStream, not to readStream",
}

REFUSED_KAFKA = {
    "auto.offset.reset": "is not used; set 'startingOffsets' to earliest or latest instead",
    "key.deserializer": "is not used; keys are bytes: decode them with DataFrame operations",
    "value.deserializer": "is not used; values are bytes: decode them with DataFrame operations",
    "enable.auto.commit": "is not used; Spark's checkpoint keeps the offsets; remove it",
    "interceptor.classes": "is not supported; remove it",
}

DEFAULT_BATCH_ROWS = 20_000
DEFAULT_FETCH_BYTES = 4 << 20

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """One reading query. Invariant: it passed every check that needs no broker."""

    kafka: Mapping[str, str]
    selection: Selection
    starting: Position
    ending: Position
    error_without_match: bool = True
    fail_on_data_loss: bool = True
    min_partitions: int | None = None
    max_records_per_partition: int | None = None
    max_offsets_per_trigger: int | None = None
    min_offsets_per_trigger: int | None = None
    max_trigger_delay_ms: int = 900_000
    commit_offsets_to_group: str | None = None
    formats: Formats = field(default_factory=Formats)
    include_headers: bool = False
    group_id_prefix: str = "spark-barnabas-source"
    poll_timeout_ms: int = 120_000
    fetch_retries: int = 3
    fetch_retry_interval_ms: int = 1000
    batch_rows: int = DEFAULT_BATCH_ROWS
    fetch_bytes: int = DEFAULT_FETCH_BYTES
    columns: tuple[str, ...] | None = None


def read_options(given: Mapping[str, str], mode: Mode) -> ReadOptions:
    """Read and check the options of `spark.read` ("batch") or `spark.readStream` ("stream").

    "either" skips the checks of only one of the two.

    Raises:
        OptionError: an option is unknown, missing, contradictory or invalid.
    """
    options = Options(given)
    options.check_names(NAMES, ELSEWHERE)
    starting = read_position(options, "starting", default=EARLIEST if mode == "batch" else LATEST)
    ending = _ending(options, mode)
    if mode == "batch":
        _check_batch(options, starting, ending)
    least = options.integer("minOffsetsPerTrigger", least=1)
    most = options.integer("maxOffsetsPerTrigger", least=1)
    if least is not None and most is not None and least > most:
        raise OptionError(
            "minOffsetsPerTrigger", f"is {least}, more than maxOffsetsPerTrigger, {most}; lower it"
        )
    kafka = options.kafka(refused=REFUSED_KAFKA)
    selection, formats = read_selection(options), read_formats(options)
    if formats.bad_topic is not None and selection.matching([formats.bad_topic]):
        raise OptionError(
            "badRecordsTopic", f"is {formats.bad_topic}, which the query itself reads; name another"
        )
    return ReadOptions(
        kafka=kafka,
        selection=selection,
        starting=starting,
        ending=ending,
        error_without_match=_strategy(options) == "error",
        fail_on_data_loss=options.flag("failOnDataLoss", default=True),
        min_partitions=options.integer("minPartitions", least=1),
        max_records_per_partition=options.integer("maxRecordsPerPartition", least=1),
        max_offsets_per_trigger=most,
        min_offsets_per_trigger=least,
        max_trigger_delay_ms=options.duration_ms("maxTriggerDelay", default=900_000),
        commit_offsets_to_group=_group(options),
        formats=formats,
        include_headers=options.flag("includeHeaders", default=False),
        group_id_prefix=options.text("groupIdPrefix") or "spark-barnabas-source",
        poll_timeout_ms=options.integer("kafkaConsumer.pollTimeoutMs", least=1) or 120_000,
        fetch_retries=options.integer("fetchOffset.numRetries", least=1) or 3,
        fetch_retry_interval_ms=_or(options.integer("fetchOffset.retryIntervalMs", least=0), 1000),
        batch_rows=options.integer("batchRows", least=1, most=10_000_000) or DEFAULT_BATCH_ROWS,
        fetch_bytes=options.integer("fetchBytes", least=1024, most=1 << 30) or DEFAULT_FETCH_BYTES,
        columns=column_names(options),
    )


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def _ending(options: Options, mode: Mode) -> Position:
    given = options.given(ENDING)
    if mode == "stream" and given:
        raise OptionError(given[0], "is for batch queries; a streaming query has no end: remove it")
    return read_position(options, "ending", default=LATEST)


def _check_batch(options: Options, starting: Position, ending: Position) -> None:
    """Check that a batch does not start at the end, or end at the start."""
    name = "startingOffsets"
    if starting == AllPartitions(LATEST):
        raise OptionError(name, "cannot be latest in a batch query; use earliest or offsets")
    if isinstance(starting, AtOffsets):
        for topic, partition in sorted(p for p, at in starting.offsets.items() if at == LATEST):
            problem = f"cannot be latest (-1) for {topic}-{partition} in a batch query"
            raise OptionError(name, f"{problem}; use -2 or an offset")
    name = "endingOffsets"
    if ending == AllPartitions(EARLIEST):
        raise OptionError(name, "cannot be earliest in a batch query; use latest or offsets")
    if isinstance(ending, AtOffsets):
        for topic, partition in sorted(p for p, at in ending.offsets.items() if at == EARLIEST):
            problem = f"cannot be earliest (-2) for {topic}-{partition} in a batch query"
            raise OptionError(name, f"{problem}; use -1 or an offset")
    for ignored in options.given(STREAM_ONLY):
        _log.warning("option %s is ignored in a batch query", ignored)


def _group(options: Options) -> str | None:
    name = "commitOffsetsToGroup"
    value = options.text(name)
    if value == "":
        raise OptionError(name, "is empty; name a group that only this query uses, or leave it out")
    return value


def _strategy(options: Options) -> str:
    name = "startingOffsetsByTimestampStrategy"
    value = (options.text(name) or "error").lower()
    if value not in {"error", "latest"}:
        raise OptionError(name, f"must be error or latest, not '{value}'")
    return value


def column_names(options: Options) -> tuple[str, ...] | None:
    """The columns in option `columns`, in order.

    Raises:
        OptionError: it is empty.
    """
    value = options.text("columns")
    if value is None:
        return None
    names = tuple(part.strip() for part in value.split(",") if part.strip())
    if not names:
        raise OptionError("columns", "names no column; write for example key,value")
    return names
