"""Members of groups at rest: a thousand of each kind that do nothing but to be heard.

Both brokers as in `coordinators`, in turns of some seconds. What a broker does of its own then, and
what the machine does to it, is in the figure, so that one turn says little: several are measured.
"""

from benchmarks.brokers import BOUNDED, create_topic, delete_topic
from benchmarks.coordinators import CPU, PRODUCERS, TOPIC, Loads, Table
from benchmarks.plan import Plan
from benchmarks.results import Result

GROUP = "idle"
KINDS = {"idle": "classic", "idle-consumer": "KIP-848", "idle-share": "share"}
MEMBERS, GROUPS = 1_000, 20
SECONDS, BEAT_MS = 5, 3_000
TURNS = 2
PERCENT = 2.0
"""Of a core, at the most."""


def _turn(loads: Loads, table: Table, mode: str) -> None:
    beats = loads.plan.requests(SECONDS * MEMBERS * 1000 // BEAT_MS)
    line = loads.run(mode, beats, members=MEMBERS, groups=GROUPS, wait=BEAT_MS)
    title = f"{MEMBERS:,} members of {KINDS[mode]} groups heard every {BEAT_MS // 1000} s"
    share = 100 * line["broker_cpu"] / line["seconds"]
    table.add(loads.broker, title, "% of a core", share, CPU)


def measure(plan: Plan) -> list[Result]:
    """The rows of this group, both brokers in turns."""
    ours, peer = brokers = plan.brokers()
    table = Table(plan, GROUP)
    loads = [Loads(plan, broker) for broker in brokers]
    for each in loads:
        create_topic(each.broker, TOPIC, PRODUCERS, BOUNDED)
        each.prepare()
        for mode in KINDS:
            _turn(each, Table(plan), mode)
    for _ in range(plan.rounds * TURNS):
        for mode in KINDS:
            for each in loads:
                _turn(each, table, mode)
    for broker in brokers:
        delete_topic(broker, TOPIC)
    rows = table.results(ours, peer)
    alone = (Result(GROUP, row.measure, row.unit, row.ours, target=PERCENT) for row in rows)
    return [*rows, *alone]
