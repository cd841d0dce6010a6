"""Evaluate a project's flows as batch queries over what its streams have read."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Self

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

from barnabas.errors import ConfigError
from barnabas.pipelines.projects.definition_list import DefinedFlow, DefinitionList
from barnabas.spark.options.offsets import OffsetMap, offsets_to_json
from barnabas.spark.options.option_values import Options
from barnabas.spark.options.selection import Partitions, Topics, read_selection
from barnabas.types import TopicPartition

_REPLACED: Final = {
    *("subscribe", "subscribepattern", "assign"),
    "maxoffsetspertrigger",
    "minoffsetspertrigger",
    "maxtriggerdelay",
    "commitoffsetstogroup",
    "startingoffsets",
}


class NotComparable(ConfigError):
    """There is no batch to compare an output with."""


@dataclass(slots=True)
class PlainBatch:
    """The rows that a flow should have written, and what is known of them.

    `ordered`: each key's rows are in the order of their topic. `open_ended`: a watermark decides
    which rows were written already.
    """

    rows: DataFrame
    ordered: bool
    open_ended: bool


@dataclass(slots=True)
class Evaluation:
    """The evaluation of one flow: `ends` is where it is in its topics."""

    spark: SparkSession
    definitions: DefinitionList
    ends: OffsetMap
    watermarked: bool = False
    read_topics: bool = False

    def evaluate(self, flow: DefinedFlow) -> PlainBatch:
        """The flow's rows by a plain batch over the same topics and tables.

        Raises:
            NotComparable: the flow reads what a batch cannot read again.
        """
        with self._as_batch():
            rows = self._query(flow)
        plan = rows._jdf.queryExecution().executedPlan()  # noqa: SLF001
        ordered = self.read_topics and not _exchanges(plan)
        return PlainBatch(rows, ordered, self.watermarked)

    def table(self, name: str) -> DataFrame:
        """A view of the project, or a table as it is now."""
        view = self.definitions.views.get(name)
        return self.spark.read.table(name) if view is None else self._query(view)

    def _query(self, flow: DefinedFlow) -> DataFrame:
        for name, view in self.definitions.views.items():
            if re.search(rf"\b{re.escape(name)}\b", flow.text):
                self._query(view).createOrReplaceTempView(name)
        return flow.query()

    @contextmanager
    def _as_batch(self) -> Iterator[None]:
        """Streams are read as batches, and watermarks noted, by all that runs in the block."""

        def no_watermark(frame: DataFrame, *_: str) -> DataFrame:
            self.watermarked = True
            return frame

        reader = property(lambda _spark: StreamAsBatch(self))
        with (
            _replaced(SparkSession, "readStream", reader),
            _replaced(ClassicDataFrame, "withWatermark", no_watermark),
        ):
            yield


def _exchanges(plan: Any) -> bool:
    """Whether a physical plan of Spark's JVM has a node that moves rows between tasks."""
    if plan.nodeName() == "AdaptiveSparkPlan":
        return _exchanges(plan.initialPlan())
    children = plan.children()
    return plan.nodeName().endswith("Exchange") or any(
        _exchanges(children.apply(number)) for number in range(children.size())
    )


@contextmanager
def _replaced(owner: type, name: str, value: object) -> Iterator[None]:
    """Give a class another member for the block: a project's files get at Spark by its own names."""
    before = vars(owner)[name]
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


@dataclass(slots=True)
class StreamAsBatch:
    """Replaces `spark.readStream` while a flow is evaluated: same names, but it reads a batch."""

    evaluation: Evaluation
    name: str = ""
    given: dict[str, str] = field(default_factory=dict)
    columns: Any = None

    def format(self, source: str) -> Self:
        """As of a reader of streams."""
        self.name = source
        return self

    def option(self, key: str, value: object) -> Self:
        """As of a reader of streams."""
        self.given[key] = str(value)
        return self

    def options(self, **options: object) -> Self:
        """As of a reader of streams."""
        for key, value in options.items():
            self.option(key, value)
        return self

    def schema(self, schema: Any) -> Self:
        """As of a reader of streams."""
        self.columns = schema
        return self

    def table(self, name: str) -> DataFrame:
        """All rows of a table or a view."""
        return self.evaluation.table(name)

    def load(self, path: str | None = None) -> DataFrame:
        """The topics from their beginning to where the flow is, or the files that are there."""
        reader = self.evaluation.spark.read.format(self.name)
        if self.name == "barnabas":
            reader = reader.options(**self._topic_options())
            self.evaluation.read_topics = True
        else:
            reader = reader.options(**self.given)
        if self.columns is not None:
            reader = reader.schema(self.columns)
        return reader.load(path) if path else reader.load()

    def _topic_options(self) -> Mapping[str, str]:
        lower = {key.lower(): value for key, value in self.given.items()}
        start = lower.get("startingoffsets", "latest")
        if start != "earliest":
            raise NotComparable(f"starts at {start}: only what starts at earliest is compared")
        selection = read_selection(Options(lower))
        ends = {
            where: end
            for where, end in self.evaluation.ends.items()
            if selection.matching([where.topic])
            and (not isinstance(selection, Partitions) or where in selection.partitions)
        }
        if not ends:
            raise NotComparable("has not finished a batch yet")
        kept = {key: value for key, value in lower.items() if key not in _REPLACED}
        if (
            isinstance(selection, Topics)
            and "schemaregistryurl" in kept
            and len(selection.names) == 1
        ):
            # A default of `subscribe` alone.
            kept.setdefault("valuesubject", f"{next(iter(selection.names))}-value")
        return {
            **kept,
            # Partitions that were added since the batch are not in it.
            "assign": json.dumps(_assigned(ends)),
            "startingOffsets": "earliest",
            "endingOffsets": json.dumps(offsets_to_json(ends)),
        }


def _assigned(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """The value of option `assign`."""
    found: dict[str, list[int]] = {}
    for where in sorted(partitions):
        found.setdefault(where.topic, []).append(where.partition)
    return found
