"""Which records of a page belong to aborted transactions.

Neither records nor consumers report it. So a second consumer reads the same offsets with read_committed:
stable records that it does not receive were aborted.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple

from barnabas.console.records.record_filter import RecordFilter
from barnabas.console.records.record_query import reading
from barnabas.console.records.record_scan import RecordScan
from barnabas.console.records.scan_budget import ScanBudget
from barnabas.console.settings import ConsoleSettings
from barnabas.records.columns.record import Record
from barnabas.runtime.clock import SystemClock

_GAP: Final = 500
"""Offsets between two records of a page from which on they are read apart."""

_SECONDS: Final = 1.0
"""How much longer a page may take for this check."""

Place = tuple[int, int]
"""Partition and offset."""


class AbortedRecords(NamedTuple):
    """The places of aborted records; `unchecked`: the number of records that were not checked in time."""

    places: frozenset[Place]
    unchecked: int = 0


async def aborted_among(
    settings: ConsoleSettings, topic: str, records: Iterable[Record], ends: Mapping[int, int]
) -> AbortedRecords:
    """The records among these that were aborted.

    Args:
        settings: of the console, for the cluster.
        topic: of all the records.
        records: of a page, read with read_uncommitted.
        ends: where the first open transaction of each partition begins, or its end; later records
            are not checked. If a partition is missing here, its brokers have no transactions.
    """
    stable = sorted(
        (one.partition, one.offset) for one in records if one.offset < ends.get(one.partition, 0)
    )
    if not stable:
        return AbortedRecords(frozenset())
    budget = ScanBudget(SystemClock(), seconds=_SECONDS)
    committed: set[Place] = set()
    checked: set[Place] = set()
    async with reading(settings, "committed") as consumer:
        scan = RecordScan(consumer, topic, RecordFilter().chosen, budget)
        for turn in zip_longest(*_stretches(stable).values()):
            stretches = {run[0][0]: run for run in turn if run is not None}
            firsts = {one: run[0][1] for one, run in stretches.items()}
            bounds = {one: (run[0][1], run[-1][1] + 1) for one, run in stretches.items()}
            found = await scan.forward(firsts, bounds, sys.maxsize)
            committed.update((one.partition, one.offset) for one in found.records)
            for one, run in stretches.items():
                reached = found.following.get(one, bounds[one][1])
                checked.update(place for place in run if place[1] < reached)
            if not budget.left or found.problem:
                break
    return AbortedRecords(frozenset(checked - committed), len(stable) - len(checked))


def _stretches(places: Sequence[Place]) -> dict[int, list[list[Place]]]:
    """The places of each partition in runs without wide gaps."""
    found: dict[int, list[list[Place]]] = {}
    for place in places:
        runs = found.setdefault(place[0], [])
        if runs and place[1] - runs[-1][-1][1] <= _GAP:
            runs[-1].append(place)
        else:
            runs.append([place])
    return found
