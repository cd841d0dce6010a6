"""The status of each flow of a project, and its lag."""

from collections.abc import Mapping
from dataclasses import dataclass

from barnabas import Admin
from barnabas.client.core.admin.descriptions import LATEST
from barnabas.pipelines.projects import run_state
from barnabas.pipelines.projects.checkpoints import FlowPosition, flow_positions
from barnabas.pipelines.projects.project import Project
from barnabas.types import TopicPartition


@dataclass(frozen=True, slots=True)
class FlowStatus:
    """One flow: its state in the last run, and its last batch with the lag of each topic.

    `state` is running, completed, failed, ... in Spark's words, interrupted where a run ended in
    between, and none for a flow of earlier runs. Views have no batches. A topic that is gone has no lag.
    """

    flow: str
    state: str | None
    position: FlowPosition | None
    lag: Mapping[str, int | None]


def flow_statuses(project: Project, admin: Admin) -> list[FlowStatus]:
    """The flows of the project as far as they have run, by name; asks the brokers for ends of topics."""
    positions = {each.flow: each for each in flow_positions(project.storage)}
    last = run_state.last_run(project.folder)
    states = {} if last is None else last.flows
    running = run_state.is_running(project.folder)
    ends = _ends(admin, {where for each in positions.values() for where in each.offsets})
    found = []
    for flow in sorted({*positions, *states}):
        position = positions.get(flow)
        state = _now(states[flow], running=running) if flow in states else None
        lag = {} if position is None else _lag(position, ends)
        found.append(FlowStatus(flow, state, position, lag))
    return found


def _lag(position: FlowPosition, ends: Mapping[TopicPartition, int]) -> dict[str, int | None]:
    behind: dict[str, int | None] = {}
    for where, offset in position.offsets.items():
        before, end = behind.get(where.topic, 0), ends.get(where)
        if before is None or end is None:
            behind[where.topic] = None
        else:
            behind[where.topic] = before + max(end - offset, 0)
    return behind


def _ends(admin: Admin, wanted: set[TopicPartition]) -> dict[TopicPartition, int]:
    """The ends of those partitions that still exist."""
    if not wanted:
        return {}
    known = admin.describe_topics()
    there = [
        where
        for where in wanted
        if where.topic in known and known[where.topic].numbered(where.partition) is not None
    ]
    found = admin.list_offsets(dict.fromkeys(there, LATEST)) if there else {}
    return {where: each.offset for where, each in found.items()}


def _now(state: str, *, running: bool) -> str:
    unfinished = state in {"QUEUED", "PLANNING", "STARTING", "RUNNING"}
    return "interrupted" if unfinished and not running else state.lower()
