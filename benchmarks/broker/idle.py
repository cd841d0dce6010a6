"""Members of groups at rest: a thousand of each kind that send nothing but heartbeats.

Both brokers as in `coordinators`, in turns of some seconds. What a broker does of its own then, and
what the machine does to it, is in the figure, so that one turn says little: several are measured.
"""

from benchmarks.broker.coordinators import CPU, Loads, Table, Turn, in_turns
from benchmarks.plan import Plan
from benchmarks.report.result import Result

GROUP = "idle"
KINDS = {"idle": "classic", "idle-consumer": "KIP-848", "idle-share": "share"}
MEMBERS, GROUPS = 1_000, 20
SECONDS, BEAT_MS = 5, 3_000
TURNS = 2
PERCENT = 2.0
"""Of a core, at the most."""


def _idle(mode: str, kind: str) -> Turn:
    def turn(loads: Loads, table: Table) -> None:
        beats = loads.plan.requests(SECONDS * MEMBERS * 1000 // BEAT_MS)
        line = loads.run(mode, beats, members=MEMBERS, groups=GROUPS, wait=BEAT_MS)
        title = f"{MEMBERS:,} members of {kind} groups, a heartbeat every {BEAT_MS // 1000} s"
        share = 100 * line["broker_cpu"] / line["seconds"]
        table.add(loads.broker, title, "% of a core", share, CPU)

    return turn


def measure(plan: Plan) -> list[Result]:
    """The rows of this group, both brokers in turns."""
    turns = [_idle(mode, kind) for mode, kind in KINDS.items()]
    rows = in_turns(plan, GROUP, turns, warm=1, times=TURNS)
    alone = (Result(GROUP, row.measure, row.unit, row.ours, target=PERCENT) for row in rows)
    return [*rows, *alone]
