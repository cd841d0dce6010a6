"""How long Spark's driver takes to plan a batch over very many partitions, each of one record."""

import time

from confluent_kafka import Producer

from benchmarks.peers.brokers import UNBOUNDED, create_topic
from benchmarks.report.result import Result
from benchmarks.spark.comparison import DEFAULT, OURS, Comparison, Contestant

TOPIC = "bench-spark-wide"
WIDE = 10_000


def planning_rows(group: str, made: Comparison) -> list[Result]:
    """The row of it; no record is read."""
    partitions = max(100, int(WIDE * made.plan.scale))
    create_topic(made.broker, TOPIC, partitions, UNBOUNDED)
    producer = Producer({"bootstrap.servers": made.broker.bootstrap_servers})
    for partition in range(partitions):
        producer.produce(TOPIC, b"v", partition=partition)
        producer.poll(0)
    assert producer.flush(120) == 0

    def plan_ms(who: Contestant) -> float:
        start = time.perf_counter()
        frame = made.reader(who, TOPIC).load()
        execution = frame._jdf.queryExecution()  # noqa: SLF001 - the plan is nowhere else
        count = execution.toRdd().getNumPartitions()
        took = time.perf_counter() - start
        assert count == partitions, f"{who.name} planned {count} tasks"
        return took * 1000

    times = made.in_turns(plan_ms, OURS, DEFAULT)
    made.delete(TOPIC)
    ours, theirs = (tuple(times[each.name]) for each in (OURS, DEFAULT))
    measure = f"planning a batch of {partitions:,} partitions"
    return [Result(group, measure, "ms", ours, theirs, DEFAULT.name, 1.0)]
