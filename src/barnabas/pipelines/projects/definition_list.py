"""The definitions of a project, without Spark's engine: outputs, flows, and views by name."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from pyspark.errors import ParseException
from pyspark.pipelines.flow import AutoCdcFlow, Flow
from pyspark.pipelines.graph_element_registry import GraphElementRegistry
from pyspark.pipelines.output import Output, Sink, TemporaryView
from pyspark.sql import DataFrame, SparkSession

from barnabas.pipelines.projects.definitions import sentence
from barnabas.pipelines.projects.errors import ProjectError
from barnabas.pipelines.projects.sql_statements import statements

_CREATE: Final = re.compile(
    r"CREATE\s+(?:OR\s+REFRESH\s+)?(?P<kind>STREAMING\s+TABLE|MATERIALIZED\s+VIEW|TEMPORARY\s+VIEW)\s+"
    r"(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>[\w.`]+)\b(?P<more>.*?)\bAS\s+(?P<query>(?:SELECT|WITH)\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_STREAM: Final = re.compile(
    r"\b(FROM|JOIN)\s+STREAM(?:\s*\(\s*([\w.`]+)\s*\)|\s+([\w.`]+))", re.IGNORECASE
)

Query = Callable[[], DataFrame]


@dataclass(frozen=True, slots=True)
class DefinedFlow:
    """A flow: its name, the output that it fills, and its query. `text` is its SQL, if it is SQL."""

    name: str
    target: str
    query: Query
    text: str = ""


@dataclass(slots=True)
class DefinitionList(GraphElementRegistry):
    """Collects definitions. `unknown` are those that are not understood here, in a few words."""

    spark: SparkSession
    sinks: dict[str, Sink] = field(default_factory=dict)
    views: dict[str, DefinedFlow] = field(default_factory=dict)
    flows: list[DefinedFlow] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    _view_names: set[str] = field(default_factory=set)

    def register_output(self, output: Output) -> None:
        """Keep a sink, and that a name is one of a view."""
        if isinstance(output, Sink):
            self.sinks[output.name] = output
        elif isinstance(output, TemporaryView):
            self._view_names.add(output.name)

    def register_flow(self, flow: Flow) -> None:
        """Keep a flow, or the query of a view."""
        found = DefinedFlow(flow.name, flow.target, flow.func)
        if flow.target in self._view_names:
            self.views[flow.target] = found
        else:
            self.flows.append(found)

    def register_auto_cdc_flow(self, flow: AutoCdcFlow) -> None:
        """Keep that there is one: what it merges is not evaluated here."""
        self.unknown.append(f"AUTO CDC into {flow.target}")

    def register_sql(self, sql_text: str, file_path: Path) -> None:
        """Keep what a file's CREATE ... AS statements define; streams become plain reads."""
        for statement in statements(sql_text):
            found = _CREATE.fullmatch(statement)
            if found is None:
                self.unknown.append(f"{file_path}: {' '.join(statement.split())[:60]}")
                continue
            name = found["name"].replace("`", "")
            text = _STREAM.sub(lambda one: f"{one[1]} {one[2] or one[3]}", found["query"])
            flow = DefinedFlow(name, name, partial(self._parsed, text, file_path), text)
            if found["kind"].upper().startswith("TEMP"):
                self.views[name] = flow
            else:
                self.flows.append(flow)

    def _parsed(self, text: str, file_path: Path) -> DataFrame:
        """The query of an SQL file.

        Raises:
            ProjectError: Spark does not understand it; names the file.
        """
        try:
            return self.spark.sql(text)
        except ParseException as error:
            raise ProjectError(f"{file_path}: {sentence(error)}") from error
