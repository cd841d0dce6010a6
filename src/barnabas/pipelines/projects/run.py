"""Run a project over the records that its topics have now."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from barnabas.pipelines.projects import run_state
from barnabas.pipelines.projects.checkpoints import flow_name
from barnabas.pipelines.projects.definitions import register, sentence
from barnabas.pipelines.projects.errors import RunFailed
from barnabas.pipelines.projects.pipeline_session import pipeline_session
from barnabas.pipelines.projects.project import Project
from barnabas.pipelines.projects.run_state import RunState
from barnabas.spark.workers.worker_retries import despite_late_workers

OnEvent = Callable[[str], object]
"""Gets each line that Spark reports of a run."""

FLOW: Final = re.compile(r"Flow '?(?P<flow>[\w.`$-]+)'? (?:(?:is|has) )?(?P<state>[A-Z]+)\b")
"""Spark's events have no fields but their text: this is how FlowProgressEventLogger words them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Options of a run: `dry` only checks; outputs to `refresh` (all, if none), or to fill again."""

    dry: bool = False
    refresh: Sequence[str] = ()
    full_refresh: Sequence[str] = ()
    full_refresh_all: bool = False
    master: str = "local[*]"


def run(
    project: Project,
    options: RunOptions,
    on_event: OnEvent,
    again: Callable[[], bool] = lambda: False,
) -> RunState:
    """Run the project; a query that failed because Python was late resumes from its checkpoint.

    Args:
        project: what to run.
        options: how.
        on_event: called in this thread with each of Spark's events.
        again: called after each run; may wait, and returns whether to run again.

    Raises:
        ProjectError: a file of the project is wrong, or another process runs it.
        RunFailed: Spark refused or failed; nothing that was written is lost.
        JavaMissing: there is no Java 17 or later.
    """
    with run_state.only_run(project.folder):
        state = run_state.begin()

        def seen(message: str) -> None:
            found = FLOW.search(message)
            if found and not options.dry:
                state.flows[flow_name(found["flow"])] = found["state"]
                run_state.save(project.folder, state)
            if found:
                message = message.replace(found["flow"], flow_name(found["flow"]))
            on_event(message)

        try:
            with pipeline_session(project, master=options.master) as spark:
                despite_late_workers(lambda: _run_once(project, options, spark, seen))
                _end(project, options, state, None)
                while again():
                    despite_late_workers(lambda: _run_once(project, options, spark, seen))
                    _end(project, options, state, None)
        except PySparkException as error:
            failure = RunFailed(f"pipeline {project.name} failed: {sentence(error)}")
            _end(project, options, state, str(failure))
            raise failure from error
        except BaseException as error:
            _end(project, options, state, str(error) or "interrupted")
            raise
    return state


def _end(project: Project, options: RunOptions, state: RunState, error: str | None) -> None:
    """A dry run leaves no trace: the last run is still the one before it."""
    if not options.dry:
        run_state.end(project.folder, state, error)


def _run_once(
    project: Project, options: RunOptions, spark: SparkSession, on_event: OnEvent
) -> None:
    """Define the graph in Spark, start it and follow its events to the end.

    Raises:
        ProjectError: a file of the project is wrong.
        PySparkException: Spark failed; with the reason, which Spark itself gives in an event only.
    """
    from pyspark.pipelines.add_pipeline_analysis_context import add_pipeline_analysis_context
    from pyspark.pipelines.block_session_mutations import block_session_mutations
    from pyspark.pipelines.spark_connect_graph_element_registry import (
        SparkConnectGraphElementRegistry,
    )
    from pyspark.pipelines.spark_connect_pipeline import create_dataflow_graph, start_run

    graph = create_dataflow_graph(
        spark,
        default_catalog=project.spec.catalog,
        default_database=project.spec.database,
        sql_conf=project.configuration,
    )
    analysis = partial(
        add_pipeline_analysis_context, spark=spark, dataflow_graph_id=graph, flow_name=None
    )
    with block_session_mutations():
        register(project, SparkConnectGraphElementRegistry(spark, graph), spark, analysis)
    failures = []
    try:
        for result in start_run(
            spark,
            graph,
            full_refresh=options.full_refresh,
            full_refresh_all=options.full_refresh_all,
            refresh=options.refresh,
            dry=options.dry,
            storage=project.spec.storage,
        ):
            if "pipeline_event_result" in result:
                message = result["pipeline_event_result"].event.message
                if "FAILED" in message or "rror" in message:
                    failures.append(message)
                on_event(message)
    except PySparkException as error:
        raise PySparkException("\n".join([*failures, str(error)])) from error
