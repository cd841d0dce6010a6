"""A large broker: 10,000 topics of one partition with a record each, stopped in order and started again.

`ONLY=at_size python -m benchmarks` measures this alone. Each round stops a broker that has just taken
a record in every partition, so that every log has files to sync; then 5,000 connections idle beside
them. Rows are bounds on ours alone, with Kafka's figures of the same round in the note.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from statistics import median

from barnabas import Admin, NewTopic, Producer
from benchmarks.broker.resident import resident_mb
from benchmarks.peers.brokers import BenchKafka, BenchOurs
from benchmarks.plan import Plan
from benchmarks.report.result import Result, figure
from tests.interop.raw import Raw, framed, header

PARTITIONS, CONNECTIONS = 10_000, 5_000
AT_ONCE = 500
STOP_SECONDS = 300.0
START, STOP, RESIDENT = 5.0, 5.0, 300.0

Sized = BenchOurs | BenchKafka


@dataclass(slots=True)
class Figures:
    """What each round has found of one broker: seconds to start and stop, MB with idle connections."""

    start: list[float] = field(default_factory=list)
    stop: list[float] = field(default_factory=list)
    resident: list[float] = field(default_factory=list)


def names(plan: Plan) -> list[str]:
    """The topics."""
    return [f"sized-{number}" for number in range(plan.requests(PARTITIONS))]


def fill(broker: Sized, topics: list[str]) -> None:
    """Make the topics."""
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        for first in range(0, len(topics), AT_ONCE):
            some = [NewTopic(name, 1) for name in topics[first : first + AT_ONCE]]
            admin.create_topics(some, timeout_s=STOP_SECONDS)


def touch(broker: Sized, topics: list[str]) -> None:
    """Send a record to every partition."""
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for name in topics:
            producer.send(name, b"a record of a few bytes")
        producer.flush()


@contextmanager
def idle(broker: Sized, count: int) -> Iterator[None]:
    """So many connections that have asked for versions once and ask for nothing more."""
    question = framed(header(18, 0))
    with ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(Raw(broker.bootstrap_servers)).ask(question)
        yield


def bounce(broker: Sized) -> tuple[float, float]:
    """Seconds to stop in order and to start again, to the first answer."""
    begun = time.monotonic()
    broker.child.stop_seconds = STOP_SECONDS
    assert broker.child.stop() in {0, 143}, broker.child.tail()
    stopped = time.monotonic() - begun
    if isinstance(broker, BenchOurs):
        broker.start(step=0.001)
    else:
        broker.start()
    return stopped, broker.start_seconds


def measure(plan: Plan) -> list[Result]:
    """The rows of this group, both brokers in turns."""
    topics = names(plan)
    found = {"ours": Figures(), "kafka": Figures()}
    with BenchOurs() as ours, BenchKafka() as kafka:
        both: list[tuple[Figures, Sized]] = [(found["ours"], ours), (found["kafka"], kafka)]
        for _, broker in both:
            fill(broker, topics)
        for _ in range(plan.rounds):
            for figures, broker in both:
                touch(broker, topics)
                stop, start = bounce(broker)
                figures.stop.append(stop)
                figures.start.append(start)
                with idle(broker, plan.requests(CONNECTIONS)):
                    figures.resident.append(resident_mb(broker.pid))
    what = f"{len(topics):,} partitions"
    beside = f"RSS with {plan.requests(CONNECTIONS):,} idle connections"
    return [
        _row(f"start on {what}, to the first answer", "s", found, "start", START),
        _row(f"stop in order with {what} written to", "s", found, "stop", STOP),
        _row(f"{beside}, {what}", "MB", found, "resident", RESIDENT),
    ]


def _row(measured: str, unit: str, found: dict[str, Figures], name: str, target: float) -> Result:
    ours, theirs = (tuple(getattr(found[each], name)) for each in ("ours", "kafka"))
    note = f"Kafka 4.3.0: {figure(median(theirs))} {unit}"
    return Result("at_size", measured, unit, ours, target=target, note=note)
