"""The programs of `examples/`, run as their heads say, against a broker on another port."""

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from barnabas import Admin, Consumer, NewTopic, Producer, Record
from tests.commands.pages.pages import blocks
from tests.commands.served import SECONDS, Served, environment, run, serving

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
PAGE = "docs/tiny-driver.md"


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with serving("--ephemeral") as served:
        yield served


def program(name: str, *arguments: str, servers: str) -> str:
    """What an example prints; it must succeed."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env=environment(servers),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def records(servers: str, topic: str) -> list[Record]:
    """All committed records of a topic, by partition and offset."""
    settings = {"bootstrap.servers": servers, "isolation.level": "read_committed"}
    found: list[Record] = []
    with Consumer(settings) as consumer:
        places = consumer.partitions_for(topic)
        consumer.assign(places)
        consumer.seek_to_beginning()
        ends = consumer.end_offsets(places)
        while any(consumer.position(place) < ends[place] for place in places):
            found += consumer.poll(timeout_s=1)
    return sorted(found, key=lambda one: (one.partition, one.offset))


def test_every_example_has_a_row_and_every_row_an_example() -> None:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    programs = {path.name for path in EXAMPLES.iterdir() if path.suffix in {".py", ".ipynb"}}
    assert programs == {name for name in programs if f"]({name})" in page}
    assert len(programs) >= 5


def test_a_table_has_the_latest_row_of_each_key(broker: Served, tmp_path: Path) -> None:
    table = str(tmp_path / "customers.db")
    with Admin(bootstrap_servers=broker.servers) as admin:
        admin.create_topics([NewTopic("customers.changes", 2)])

    def change(*events: tuple[str, str, str | None]) -> None:
        with Producer(bootstrap_servers=broker.servers) as producer:
            for key, op, name in events:
                event = (
                    None if op == "tombstone" else json.dumps({"op": op, "after": {"name": name}})
                )
                producer.send("customers.changes", event, key=key)

    change(("1", "r", "Ada"), ("2", "c", "Bob"), ("1", "u", "Ada L."), ("3", "c", "Eve"))
    assert (
        program("latest_per_key.py", "customers.changes", table, servers=broker.servers)
        == "3 rows\n"
    )
    change(("2", "d", None), ("3", "tombstone", None), ("4", "c", "Dan"))
    assert (
        program("latest_per_key.py", "customers.changes", table, servers=broker.servers)
        == "2 rows\n"
    )
    sqlite = loaded("latest_per_key.py").sqlite3.connect(table)
    rows = sqlite.execute("SELECT key, row FROM latest ORDER BY key").fetchall()
    sqlite.close()
    assert rows == [(b"1", '{"name": "Ada L."}'), (b"4", '{"name": "Dan"}')]


def test_a_crash_between_rows_and_positions_leaves_neither(tmp_path: Path) -> None:
    example = loaded("latest_per_key.py")
    table = example.sqlite3.connect(tmp_path / "t.db")
    table.executescript(example.SCHEMA)
    good = Record("t", 0, 0, 0, 0, b"1", b'{"op": "c", "after": 1}', ())
    with pytest.raises(json.JSONDecodeError):
        example.apply(table, [good, Record("t", 0, 1, 0, 0, b"1", b"no JSON", ())])
    assert table.execute("SELECT count(*) FROM latest").fetchone() == (0,)
    assert table.execute("SELECT count(*) FROM positions").fetchone() == (0,)
    table.close()


def test_records_are_copied_once_however_often_it_runs(broker: Served) -> None:
    with Admin(bootstrap_servers=broker.servers) as admin:
        admin.create_topics([NewTopic("orders-source", 2), NewTopic("orders-copy", 2)])

    def write(numbers: range) -> None:
        with Producer(bootstrap_servers=broker.servers) as producer:
            for number in numbers:
                producer.send(
                    "orders-source", f"order {number}", f"k{number}", headers=[("n", b"1")]
                )

    arguments = ("exactly_once_copier.py", "orders-source", "orders-copy")
    write(range(100))
    assert program(*arguments, servers=broker.servers) == "100 records copied\n"
    assert program(*arguments, servers=broker.servers) == "0 records copied\n"
    write(range(100, 150))
    assert program(*arguments, servers=broker.servers) == "50 records copied\n"
    source, copied = (records(broker.servers, name) for name in ("orders-source", "orders-copy"))
    assert len(copied) == 150

    def content(found: list[Record]) -> list[tuple[object, ...]]:
        return sorted((one.key, one.value, one.headers, one.timestamp) for one in found)

    assert content(copied) == content(source)


def test_the_tiny_driver_writes_and_reads(broker: Served) -> None:
    assert broker.run("topics", "create", "greetings").code == 0
    for offset in range(2):
        shown = program("tiny_driver.py", broker.servers, "greetings", "hello", servers="")
        assert shown == f"stored at offset {offset} with error 0\nfetched [b'hello']\n"
    assert [one.value for one in records(broker.servers, "greetings")] == [b"hello", b"hello"]


def test_the_tiny_driver_is_as_short_as_its_page_says() -> None:
    lines = (EXAMPLES / "tiny_driver.py").read_text(encoding="utf-8").splitlines()
    assert sum(1 for line in lines if line.strip()) <= 80


def test_the_lens_says_what_the_page_of_the_tiny_driver_shows() -> None:
    commands, shown = blocks(PAGE, "sh"), blocks(PAGE, "text")
    assert len(commands) == len(shown) == 4
    for command, text in zip(commands, shown, strict=True):
        explained = run(*command.split()[1:]).out.splitlines()
        assert [line for line in explained if line in text.splitlines()] == text.splitlines()


def loaded(name: str) -> ModuleType:
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(name.removesuffix(".py"), EXAMPLES / name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_service_answers_from_the_topic(
    broker: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fastapi")
    from starlette.testclient import TestClient

    monkeypatch.setenv("BARNABAS_BOOTSTRAP_SERVERS", broker.servers)
    sys.modules["orders_service"] = module = loaded("orders_service.py")
    with TestClient(module.service) as client:
        for customer, cents in (("ada", 1250), ("bob", 99), ("ada", 50)):
            taken = client.post("/orders", json={"customer": customer, "cents": cents})
            assert taken.status_code == 201, taken.text
            assert set(taken.json()) == {"partition", "offset"}
        refused = client.post("/orders", json={"customer": "ada", "cents": -1})
        assert refused.status_code == 422
        while sum(client.get("/totals").json().values()) < 1399:
            pass
        assert client.get("/totals").json() == {"ada": 1300, "bob": 99}
    # Another one begins with what is in the topic.
    with TestClient(module.service) as client:
        while len(client.get("/totals").json()) < 2:
            pass
        assert client.get("/totals").json() == {"ada": 1300, "bob": 99}
