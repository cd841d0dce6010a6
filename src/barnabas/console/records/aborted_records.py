"""Which records of a page belong to aborted transactions.

No record says so itself, nor does a consumer: a second one reads the same offsets with read_committed, and
what that one is not given, although it is stable, was aborted.
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
"""How much longer a page may take for this."""

Place = tuple[int, int]
"""Partition and offset."""


class AbortedRecords(NamedTuple):
    """The places of records that were aborted; `unchecked`: how many records nobody looked at in time."""

    places: frozenset[Place]
    unchecked: int = 0


async def aborted_among(
    settings: ConsoleSettings, topic: str, records: Iterable[Record], ends: Mapping[int, int]
) -> AbortedRecords:
    """Those of these records that were aborted.

    Args:
        settings: of the console, for the cluster.
        topic: of all the records.
        records: of a page, read with read_uncommitted.
        ends: where the first open transaction of each partition begins, or its end; what is behind is
            not looked at. Without a partition here, its brokers know no transactions.
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
