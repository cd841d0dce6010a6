"""The console with 10,000 topics, and a topic of ten million records: how soon its pages are there.

The first pages are those of a console that has just started, fetched as a browser does, or painted by
Chromium (first contentful paint, from the start of the navigation) where it is installed.
"""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from barnabas import Admin, NewTopic, Producer
from benchmarks.people.processes import CONSOLE, SERVER, fetched, running
from benchmarks.plan import Plan
from benchmarks.report.result import Result
from tests.commands.chromium import CHROMIUM, Tab, browsing

GROUP = "console"
TOPICS, RECORDS = 10_000, 10_000_000
PART = 500_000
FIRST_MS = 1_600_000_000_000
FIRST_PAGES = {"": "overview", "topics": "list of topics"}
PAINT = "performance.getEntriesByName('first-contentful-paint').map(one => one.startTime)[0]"
PAINT_MS, BROWSE_MS, PAGE_KB = 300.0, 200.0, 200.0
"""The goals."""


@contextmanager
def filled(plan: Plan) -> Iterator[str]:
    """A broker with all of it."""
    with running((SERVER,), "serve", "--ephemeral", "--port", "0") as (servers,):
        topics = plan.requests(TOPICS)
        with Admin(bootstrap_servers=servers) as admin:
            for first in range(0, topics, 1000):
                numbers = range(first, min(topics, first + 1000))
                admin.create_topics([NewTopic(f"topic-{one:05d}", 1, 1) for one in numbers])
            admin.create_topics([NewTopic("long", 1, 1, {"retention.ms": "-1"})])
        send(servers, plan.requests(RECORDS))
        yield servers


def send(servers: str, count: int) -> None:
    """Records of `long`, a millisecond apart."""
    import pyarrow as pa
    import pyarrow.compute as pc

    with Producer(bootstrap_servers=servers) as producer:
        for first in range(0, count, PART):
            numbers = pa.array(range(first, min(count, first + PART)), pa.int64())
            columns = {
                "value": pc.cast(numbers, pa.string()),
                "timestamp": pc.cast(pc.add(numbers, FIRST_MS), pa.timestamp("ms")),
            }
            producer.send_arrow("long", pa.table(columns), timestamp="timestamp")
        producer.flush(600)


@contextmanager
def console(servers: str) -> Iterator[str]:
    """A new console; its address."""
    with running((CONSOLE,), "console", "--port", "0", "--bootstrap-servers", servers) as (url,):
        yield url


@contextmanager
def browser() -> Iterator[Tab | None]:
    """Chromium, if it is installed."""
    if CHROMIUM is None:
        yield None
        return
    with TemporaryDirectory() as profile, browsing(Path(profile)) as tab:
        tab.open("about:blank")
        yield tab


def measure(plan: Plan) -> list[Result]:
    """The rows of this group."""
    rows: dict[tuple[str, str, float], list[float]] = defaultdict(list)
    count = plan.requests(RECORDS)
    browsed = {
        "at an offset": f"from=offset&offset={count // 2}",
        "at a time": f"from=time&time={(FIRST_MS + count // 3)}",
        "at the end": "",
    }
    with filled(plan) as servers, browser() as tab:
        for _ in range(plan.rounds):
            for path, name in FIRST_PAGES.items():
                with console(servers) as url:
                    took, page = fetched(url + path)
                rows[f"first page of a new console, {name}", "ms", PAINT_MS].append(took)
                rows[f"{name}, weight", "KB", PAGE_KB].append(len(page) / 1000)
                if tab is not None:
                    with console(servers) as url:
                        tab.open(url + path)
                        tab.until(f"{PAINT} > 0")
                        rows[f"first paint of a new console, {name}", "ms", PAINT_MS].append(
                            tab.value(PAINT)
                        )
            with console(servers) as url:
                fetched(f"{url}topics/long")
                for where, query in browsed.items():
                    took, page = fetched(f"{url}topics/long/records?{query}")
                    assert b"/topics/long/records/0/" in page, "it has records"
                    rows[f"50 of {count:,} records {where}", "ms", BROWSE_MS].append(took)
                    rows["50 records, weight", "KB", PAGE_KB].append(len(page) / 1000)
    return [
        Result(GROUP, name, unit, tuple(figures), target=goal)
        for (name, unit, goal), figures in rows.items()
    ]
