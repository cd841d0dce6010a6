"""The progress of each flow of a project, read from its checkpoint without Spark.

Spark keeps `storage/_checkpoints/TABLE/FLOW/VERSION` with a file for each batch in `offsets`, written
before the batch, and in `commits`, written after it. A full refresh begins a new version.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from barnabas.spark.options.offsets import OffsetMap, offsets_from_json


@dataclass(frozen=True, slots=True)
class FlowPosition:
    """The last batch that a flow has finished, when it was planned, and where its sources are after it."""

    flow: str
    checkpoint: Path
    batch: int
    planned_ms: int
    offsets: OffsetMap
    pending: bool
    """Whether a later batch was planned but did not end: it will run again."""


def flow_name(flow: str) -> str:
    """The name of a flow as its checkpoint has it: Spark's events put catalog and database in front."""
    return flow.replace("`", "").rsplit(".", 1)[-1]


def flow_positions(storage: Path) -> list[FlowPosition]:
    """The streaming flows that have finished a batch, by name. Materialized views have none."""
    newest: dict[Path, Path] = {}
    for offsets in storage.rglob("offsets"):
        version = offsets.parent
        known = newest.get(version.parent)
        if known is None or _number(version) > _number(known):
            newest[version.parent] = version
    found = [_position(flow.name, version) for flow, version in sorted(newest.items())]
    return [each for each in found if each is not None]


def _position(flow: str, checkpoint: Path) -> FlowPosition | None:
    planned = _batches(checkpoint / "offsets")
    finished = _batches(checkpoint / "commits") & planned
    if not finished:
        return None
    last = max(finished)
    lines = (checkpoint / "offsets" / str(last)).read_text(encoding="utf-8").splitlines()
    offsets: OffsetMap = {}
    for line in lines[2:]:
        offsets |= _topic_offsets(line)
    planned_ms = int(json.loads(lines[1])["batchTimestampMs"])
    return FlowPosition(flow, checkpoint, last, planned_ms, offsets, max(planned) > last)


def _topic_offsets(line: str) -> OffsetMap:
    """A source's offsets; none where it reads a table or has not begun."""
    try:
        return offsets_from_json(json.loads(line))
    except (ValueError, TypeError, AttributeError):
        return {}


def _batches(folder: Path) -> set[int]:
    return {int(each.name) for each in folder.glob("*") if each.name.isdigit()}


def _number(version: Path) -> int:
    return int(version.name) if version.name.isdigit() else -1
