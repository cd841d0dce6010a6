"""Checks the options of a project's sinks where they are defined: Spark does it with the first batch."""

from pathlib import Path

from pyspark.pipelines.flow import AutoCdcFlow, Flow
from pyspark.pipelines.graph_element_registry import GraphElementRegistry
from pyspark.pipelines.output import Output, Sink

from barnabas.spark.options.write_options import write_options


class SinkCheck(GraphElementRegistry):
    """Hands all definitions on to another registry; a sink of ours with wrong options is an error."""

    def __init__(self, registry: GraphElementRegistry) -> None:
        self._registry = registry

    def register_output(self, output: Output) -> None:
        """Check a sink.

        Raises:
            OptionError: an option is unknown, missing or impossible.
        """
        if isinstance(output, Sink) and output.format == "barnabas":
            write_options({name.lower(): str(value) for name, value in output.options.items()})
        self._registry.register_output(output)

    def register_flow(self, flow: Flow) -> None:
        """Hand it on."""
        self._registry.register_flow(flow)

    def register_auto_cdc_flow(self, flow: AutoCdcFlow) -> None:
        """Hand it on."""
        self._registry.register_auto_cdc_flow(flow)

    def register_sql(self, sql_text: str, file_path: Path) -> None:
        """Hand it on: SQL defines no sinks."""
        self._registry.register_sql(sql_text, file_path)
