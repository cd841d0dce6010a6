"""The demo from start to end: broker, driver, Spark, check, picture."""

import logging
import os
import shutil
from collections import deque
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter

from rich.console import Console

from barnabas import Admin, Consumer, NewTopic, Producer
from barnabas.client.core.producer.delivery import Sent
from barnabas.demo.broker_process import broker_process
from barnabas.demo.checking import (
    CheckFailed,
    MonthTotals,
    check_hours,
    check_months,
    hour_totals,
    parquet_totals,
    source_totals,
)
from barnabas.demo.interrupted import raise_interruption
from barnabas.demo.plot import Hours, draw
from barnabas.demo.report import Bars, show_airports, show_months
from barnabas.demo.source import flight_lines, flight_records, packaged_csv
from barnabas.demo.stderr_redirect import stderr_to
from barnabas.errors import KafkaError

FLIGHTS, DELAYS, PARTITIONS = "flights", "departure-delays", 4
_OURS = ("broker", "broker.log", "spark.log", "parquet", "checkpoints", "departure-delays.png")
_SHOW_EVERY = 10_000

_SPARK = {
    # The default of 200 is for clusters: a micro-batch would be 200 tasks of ten hours each.
    "spark.sql.shuffle.partitions": "4",
}

_TOPIC_CONFIG: dict[str, str | None] = {
    # Records carry timestamps of 2013: with Kafka's defaults they would expire at once, and each
    # week would start a new segment.
    "retention.ms": "-1",
    "segment.ms": str(20 * 365 * 24 * 3600 * 1000),
}


class PipelineFailed(KafkaError):
    """Spark failed; the message has its first line and the path of its log."""


def run(output: Path, console: Console) -> None:
    """Run everything; replace the results of an earlier run in `output`.

    Raises:
        JavaMissing: Spark has no Java; nothing was started.
        PipelineFailed: Spark could not run the queries.
        CheckFailed: the results do not match the input.
    """
    from barnabas.spark.sessions.java import default_cache, find_java

    begun = perf_counter()
    find_java(os.environ, cache=default_cache())
    source = packaged_csv()
    _clear(output)
    bars = Bars(console)
    with ExitStack() as stack, bars.shown():
        with bars.step("Start a broker"):
            servers = stack.enter_context(broker_process(output / "broker", output / "broker.log"))
            _make_topics(servers)
        sent = _send(bars, servers, source)
        with raise_interruption():
            _pipeline(bars, servers, output, sent)
        hours = _read_back(bars, servers)
        months = _check(bars, source, output, sent, hours)
        with bars.step("Draw the year"):
            draw(hours, output / "departure-delays.png")
    show_months(console, months)
    show_airports(console, hours)
    console.print(
        f"{sent:,} flights there and back in {perf_counter() - begun:.0f} s, none missing, none "
        "twice."
    )
    console.print(f"The picture: {output / 'departure-delays.png'}", soft_wrap=True)


def _clear(output: Path) -> None:
    output.mkdir(parents=True, exist_ok=True)
    for name in _OURS:
        path = output / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _make_topics(servers: str) -> None:
    with Admin(bootstrap_servers=servers) as admin:
        admin.create_topics(
            [
                NewTopic(FLIGHTS, PARTITIONS, configs=_TOPIC_CONFIG),
                NewTopic(DELAYS, PARTITIONS),
            ]
        )


def _send(bars: Bars, servers: str, source: Path) -> int:
    """Send every flight; return how many were acknowledged."""
    settings = {
        "bootstrap.servers": servers,
        "compression.type": "zstd",
        "linger.ms": 50,
        "batch.size": 256 * 1024,
    }
    with bars.step("Read a year of flights"):
        head, lines = flight_lines(source)
    with bars.step("Send each as a record", len(lines)) as step, Producer(settings) as producer:
        waiting: deque[Sent] = deque()
        acknowledged = 0
        for record in flight_records(head, lines):
            waiting.append(
                producer.send(FLIGHTS, record.value, record.key, timestamp_ms=record.timestamp_ms)
            )
            if len(waiting) >= _SHOW_EVERY:
                acknowledged += _settle(waiting, len(waiting) // 2)
                step.at(acknowledged)
        producer.flush()
        return acknowledged + _settle(waiting, len(waiting))


def _settle(waiting: deque[Sent], count: int) -> int:
    for _ in range(count):
        waiting.popleft().result()
    return count


def _pipeline(bars: Bars, servers: str, output: Path, sent: int) -> None:
    """Run two streaming queries over the topic, each in several micro-batches."""
    from pyspark.errors import PySparkException

    from barnabas.pipelines.flights import FlightsOptions, FlightsProgress
    from barnabas.pipelines.flights import run as run_pipeline
    from barnabas.spark import session

    # Py4J reports a Ctrl-C during a call with its whole stack, unnamed.
    for handler in logging.getLogger().handlers:
        handler.addFilter(lambda record: record.name != "root")
    with bars.step("Start Spark"), stderr_to(output / "spark.log"):
        spark = session("barnabas demo", fast_checkpoints=True, settings=_SPARK)
        spark.sparkContext.setLogLevel("ERROR")
    options = FlightsOptions(
        bootstrap_servers=servers,
        parquet=output / "parquet",
        work=output / "checkpoints",
        flights=FLIGHTS,
        delays=DELAYS,
    )
    try:
        with (
            bars.step("Flights to Parquet, by month", sent) as parquet,
            bars.step("Hourly delays to a topic", sent) as delays,
        ):
            steps = {"parquet": parquet, "delays": delays}

            def moved(progress: FlightsProgress) -> None:
                steps[progress.query].at(progress.flights)

            run_pipeline(spark, options, moved)
    except PySparkException as error:
        first = str(error).strip().splitlines()[0]
        raise PipelineFailed(f"{first} (more in {output / 'spark.log'})") from error
    # Not after a failure: after an interruption Py4J accepts no further call. Java ends with this
    # process.
    spark.stop()


def _read_back(bars: Bars, servers: str) -> Hours:
    """Read all of the delays topic with our consumer."""
    settings = {"bootstrap.servers": servers, "auto.offset.reset": "earliest"}
    with Consumer(settings) as consumer:
        places = [(DELAYS, partition) for partition in range(PARTITIONS)]
        consumer.assign(places)
        ends = consumer.end_offsets(places)
        consumer.seek_to_beginning()
        total = sum(ends.values())
        values: list[bytes] = []
        with bars.step("Read the delays back", total) as step:
            while any(consumer.position(place) < end for place, end in ends.items()):
                records = consumer.poll(5.0, 10_000)
                values += [record.value for record in records if record.value is not None]
                step.at(len(values))
        return hour_totals(values)


def _check(
    bars: Bars, source: Path, output: Path, sent: int, hours: Hours
) -> dict[int, MonthTotals]:
    with bars.step("Compare with the source"):
        expected = source_totals(source)
        total = sum(month.flights for month in expected.months.values())
        if sent != total:
            raise CheckFailed(f"{sent} records were acknowledged, the source has {total} flights")
        months = parquet_totals(output / "parquet")
        check_months(expected.months, months)
        check_hours(expected.hours, hours)
    return months
