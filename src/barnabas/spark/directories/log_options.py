"""The options of `format("barnabas-log")`: those of `format("barnabas")` that need no broker, and paths.

Positions, selections and columns are read and checked as there, by the same code.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from barnabas.spark.errors import OptionError
from barnabas.spark.options import formats
from barnabas.spark.options.option_values import BOOTSTRAP, KAFKA_PREFIX, Options
from barnabas.spark.options.read_options import (
    ENDING,
    STARTING,
    STREAM_ONLY,
    ReadOptions,
    read_options,
)
from barnabas.spark.options.selection import NAMES as SELECTION_NAMES

ISOLATION = "kafka.isolation.level"
DEFAULT_SPLIT_BYTES = 128 << 20
"""Like the default of `spark.sql.files.maxPartitionBytes`, for files that Spark reads itself."""

OURS = ("path", "paths", "splitBytes")
SHARED = (
    *SELECTION_NAMES,
    *STARTING,
    *ENDING,
    "startingOffsetsByTimestampStrategy",
    "failOnDataLoss",
    "minPartitions",
    "maxRecordsPerPartition",
    "includeHeaders",
    "batchRows",
    "fetchBytes",
    "columns",
)
OF_BROKERS = "is of format 'barnabas', which asks brokers; files are read without one: remove it"
NOT_DECODED = "is of format 'barnabas'; here .schema('key STRING, value STRING') gives text"
ELSEWHERE = {
    "isolation.level": f"is written {ISOLATION} here, as for format 'barnabas'",
    "groupIdPrefix": OF_BROKERS,
    "kafkaConsumer.pollTimeoutMs": OF_BROKERS,
    "fetchOffset.numRetries": OF_BROKERS,
    "fetchOffset.retryIntervalMs": OF_BROKERS,
    "topic": "is an option of writing; to read a topic use 'subscribe'",
    **dict.fromkeys(formats.NAMES, NOT_DECODED),
} | dict.fromkeys(STREAM_ONLY, "is for streams; log directories are read by batch queries only")

_ALL_TOPICS = ".*"
_NOBODY = "localhost:1"


@dataclass(frozen=True, slots=True)
class LogOptions:
    """The options of one query. `read`: those that both formats share; its brokers are never used."""

    paths: tuple[str, ...]
    read: ReadOptions
    split_bytes: int

    @property
    def committed_only(self) -> bool:
        """Whether records of transactions count only if these are committed."""
        return self.read.kafka.get("isolation.level") == "read_committed"


def log_options(given: Mapping[str, str]) -> LogOptions:
    """Read and check the options. By default all topics but internal ones are read.

    Raises:
        OptionError: an option is unknown, missing, contradictory or invalid.
    """
    options = Options(given)
    options.check_names((*OURS, *SHARED), ELSEWHERE)
    ours = {name.lower() for name in OURS}
    shared = {name: value for name, value in given.items() if name.lower() not in ours}
    for name in shared:
        if name.lower().startswith(KAFKA_PREFIX) and name.lower() != ISOLATION:
            raise OptionError(name, OF_BROKERS)
    if not options.given(SELECTION_NAMES):
        shared["subscribePattern"] = _ALL_TOPICS
    # Shared options are checked as for a broker, whose address is not used.
    read = read_options({**shared, BOOTSTRAP: _NOBODY}, "batch")
    split = options.integer("splitBytes", least=1, most=1 << 40) or DEFAULT_SPLIT_BYTES
    return LogOptions(_paths(options), read, split)


def _paths(options: Options) -> tuple[str, ...]:
    """Those of `load(path)`, comma-separated as in Kafka's log.dirs, or of `load([path, ...])`."""
    given = options.given(("path", "paths"))
    if len(given) > 1:
        raise OptionError("paths", "cannot be together with 'path'; give only one of them")
    name = given[0] if given else "path"
    value = options.text(name) or ""
    if name == "paths":
        found = _listed(value)
    else:
        found = [part.strip() for part in value.split(",") if part.strip()]
    if not found:
        raise OptionError(name, "is missing; call load('/var/lib/kafka') with a log directory")
    return tuple(_local(name, path) for path in found)


def _listed(value: str) -> list[str]:
    wanted = f'must be like ["/data/a","/data/b"], not {value}'
    try:
        parsed = json.loads(value)
    except ValueError:
        raise OptionError("paths", wanted) from None
    if not isinstance(parsed, list) or not all(isinstance(each, str) for each in parsed):
        raise OptionError("paths", wanted)
    return parsed


def _local(name: str, path: str) -> str:
    scheme, separator, rest = path.partition(":/")
    if separator and scheme != "file":
        raise OptionError(
            name, f"must be on a file system that the driver and the executors see, not {path}"
        )
    return str(Path("/" + rest.lstrip("/") if separator else path).absolute())
