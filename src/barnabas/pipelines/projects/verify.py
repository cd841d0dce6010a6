"""Compare a project's outputs with batch queries over the same topics and tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce

from pyspark.errors import PySparkException
from pyspark.pipelines.output import Sink
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from barnabas.pipelines.projects import run_state
from barnabas.pipelines.projects.checkpoints import flow_positions
from barnabas.pipelines.projects.comparing import RowComparison, compare, compare_order
from barnabas.pipelines.projects.definition_list import DefinedFlow, DefinitionList
from barnabas.pipelines.projects.definitions import register, sentence
from barnabas.pipelines.projects.errors import RunFailed
from barnabas.pipelines.projects.pipeline_session import QUIET_DERBY
from barnabas.pipelines.projects.plain_batch import Evaluation, NotComparable
from barnabas.pipelines.projects.project import Project, start_settings
from barnabas.spark.options.offsets import OffsetMap
from barnabas.spark.sessions.local_session import session
from barnabas.spark.workers.worker_retries import despite_late_workers

_RECORD = ("key", "value", "headers")
"""The columns that are compared of a topic."""


@dataclass(frozen=True, slots=True)
class OutputCheck:
    """The result for one output; `note` names parts that were not compared, and the reason."""

    output: str
    found: RowComparison | None
    open_ended: bool = False
    note: str = ""

    @property
    def right(self) -> bool:
        """Whether nothing is missing, doubled, unexpected or out of order; or nothing was compared.

        Rows that a watermark still holds back are not missing.
        """
        one = self.found
        if one is None:
            return True
        missing = 0 if self.open_ended else one.missing
        return not (missing or one.doubled or one.unexpected or one.disordered)


def verify(project: Project, *, master: str = "local[*]") -> list[OutputCheck]:
    """Check each output of the project; none of them may be written meanwhile.

    Raises:
        ProjectError: a file of the project is wrong, or it is being run.
        RunFailed: Spark failed.
        JavaMissing: there is no Java 17 or later.
    """
    with run_state.only_run(project.folder):
        settings = {**QUIET_DERBY, **start_settings(project)}
        spark = session(project.name, master=master, settings=settings)
        try:
            if project.spec.catalog:
                spark.catalog.setCurrentCatalog(project.spec.catalog)
            if project.spec.database:
                spark.catalog.setCurrentDatabase(project.spec.database)
            definitions = DefinitionList(spark)
            register(project, definitions, spark)
            positions = {each.flow: each.offsets for each in flow_positions(project.storage)}
            outputs: dict[str, list[DefinedFlow]] = {}
            for flow in definitions.flows:
                outputs.setdefault(flow.target, []).append(flow)
            checks = [
                despite_late_workers(partial(_check, spark, definitions, positions, output, filled))
                for output, filled in outputs.items()
            ]
        except PySparkException as error:
            raise RunFailed(f"verify of {project.name} failed: {sentence(error)}") from error
        finally:
            spark.stop()
    return checks + [OutputCheck(each, None, note="not understood") for each in definitions.unknown]


def _check(
    spark: SparkSession,
    definitions: DefinitionList,
    positions: Mapping[str, OffsetMap],
    output: str,
    flows: Sequence[DefinedFlow],
) -> OutputCheck:
    """Compare one output with the batches of all flows that fill it."""
    sink = definitions.sinks.get(output)
    if sink is not None and (note := _not_compared(sink)):
        return OutputCheck(output, None, note=note)
    try:
        batches = [
            Evaluation(spark, definitions, positions.get(flow.name, {})).evaluate(flow)
            for flow in flows
        ]
    except NotComparable as error:
        return OutputCheck(output, None, note=str(error))
    expected = reduce(DataFrame.unionByName, (each.rows for each in batches))
    open_ended = any(each.open_ended for each in batches)
    if sink is None:
        actual = spark.read.table(output).select(*expected.columns)
        return OutputCheck(output, compare(expected, actual), open_ended)
    columns = [each for each in _RECORD if each in expected.columns]
    actual = _written(spark, sink).select(*columns)
    expected = expected.select(*map(_as_record, columns))
    found = compare(expected, actual)
    if "key" in columns and len(batches) == 1 and batches[0].ordered and not open_ended:
        compare_order(expected, actual, found)
    return OutputCheck(output, found, open_ended)


def _not_compared(sink: Sink) -> str:
    """Why what a sink wrote cannot be found again; empty where it can."""
    if sink.format != "barnabas":
        return f"a sink of format {sink.format} is not compared"
    if "topic" not in _options(sink):
        return "a sink whose rows name their topics is not compared"
    return ""


def _options(sink: Sink) -> dict[str, str]:
    return {name.lower(): value for name, value in sink.options.items()}


def _written(spark: SparkSession, sink: Sink) -> DataFrame:
    """All committed records of a sink's topic."""
    options = _options(sink)
    reader = spark.read.format("barnabas").option("subscribe", options["topic"])
    reader = reader.option("kafka.bootstrap.servers", options["kafka.bootstrap.servers"])
    reader = reader.option("kafka.isolation.level", "read_committed")
    return reader.option("includeHeaders", "true").load()


def _as_record(name: str) -> Column:
    return f.col(name) if name == "headers" else f.col(name).cast("binary").alias(name)
