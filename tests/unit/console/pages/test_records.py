"""The record browser: from where, which, how shown, and that records are only ever text."""

import re
from collections.abc import Callable
from html import escape
from urllib.parse import parse_qsl, unquote

import pytest
from starlette.testclient import TestClient

from barnabas import Producer
from barnabas.testing import EmbeddedBroker

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\u202e\"'&"


def offsets(text: str) -> list[tuple[int, int]]:
    """Partition and offset of each row."""
    found = re.findall(r'/records/(\d+)/(\d+)" title="The whole record"', text)
    return [(int(one), int(offset)) for one, offset in found]


def next_page(text: str) -> str:
    found = re.search(r'<a rel="next" class="button" href="([^"]+)"', text)
    return found.group(1).replace("&amp;", "&") if found else ""


@pytest.fixture(scope="module")
def numbered(console_broker: EmbeddedBroker) -> str:
    """A topic of 300 records in three partitions, a second apart: value n is in partition n % 3."""
    console_broker.create_topic("numbered", 3)
    with Producer(bootstrap_servers=console_broker.bootstrap_servers) as producer:
        for number in range(300):
            producer.send(
                "numbered",
                f'{{"n": {number}, "dog": {{"name": ["rex", "tom"]}}}}',
                key=f"key-{number}",
                partition=number % 3,
                timestamp_ms=1_600_000_000_000 + number * 1000,
                headers=[("parity", b"even" if number % 2 == 0 else b"odd")],
            )
    return "/topics/numbered/records"


def test_the_newest_come_first_and_older_ones_follow(browser: TestClient, numbered: str) -> None:
    seen: list[tuple[int, int]] = []
    path = f"{numbered}?count=50"
    while path:
        answer = browser.get(path)
        assert answer.status_code == 200
        seen += offsets(answer.text)
        path = next_page(answer.text)
    assert seen == [(one % 3, one // 3) for one in reversed(range(300))]


def test_from_the_beginning_pages_lose_and_repeat_nothing(
    browser: TestClient, numbered: str
) -> None:
    seen: list[tuple[int, int]] = []
    path = f"{numbered}?from=beginning&count=100"
    while path:
        answer = browser.get(path)
        seen += offsets(answer.text)
        path = next_page(answer.text)
    assert seen == [(one % 3, one // 3) for one in range(300)]


@pytest.mark.parametrize(
    ("query", "first", "count"),
    [
        ("partition=1&from=offset&offset=40&count=25", (1, 40), 25),
        ("partition=2&from=offset&offset=98", (2, 98), 2),
        ("partition=2&from=offset&offset=5000", None, 0),
        ("from=time&time=1600000280000", (1, 93), 20),
        ("from=time&time=2020-09-13T12:31:20", (1, 93), 20),
        ("from=time&time=2020-09-13T14:31:20%2B02:00", (1, 93), 20),
        ("from=time&time=2100-01-01", None, 0),
        ("from=beginning&key=key-7", (1, 2), 11),
        ("from=beginning&value=%22n%22:%20299,", (2, 99), 1),
        ("from=beginning&header=even&count=500", (0, 0), 150),
        ("from=beginning&header=parity&count=500", (0, 0), 300),
        ("json=n%3D17", (2, 5), 1),
        ("json=$.dog.name.1%3Dtom&count=25", (2, 99), 25),
        ("json=dog.name.1%3D%22tom%22&count=25", (2, 99), 25),
        ("json=dog.name.2", None, 0),
        ("json=n%3E289&count=25", (2, 99), 10),
        ("json=dog.name[0]%3Drex&count=25", (2, 99), 25),
        ("json=n&key=key-29&count=500", (2, 99), 11),
    ],
)
def test_a_place_and_a_filter(
    browser: TestClient, numbered: str, query: str, first: tuple[int, int] | None, count: int
) -> None:
    answer = browser.get(f"{numbered}?{query}")
    assert answer.status_code == 200, unquote(query)
    found = offsets(answer.text)
    assert len(found) == count
    assert (found[0] if found else None) == first


@pytest.mark.parametrize(
    ("query", "status", "sentence"),
    [
        ("partition=7", 404, "numbered has 3 partitions, counted from 0"),
        ("partition=one", 400, "partition must be a whole number"),
        ("from=somewhere", 400, "from must be one of end, beginning, offset, time"),
        ("from=offset&offset=-1", 400, "offset must be between 0"),
        ("from=time&time=noon", 400, "time must be as 2013-01-01T05:00"),
        ("at=1:x", 400, "at must be PARTITION:OFFSET"),
        ("json=a..b", 400, "json must be a path"),
        ("json=n[x]=1", 400, "json must be a path"),
        ("json=n%3E", 400, "json: there is no value after"),
        ("from=offset&offset=" + "9" * 30, 400, "offset must be between 0"),
        ("count=100000", 400, "count must be between 1 and 500"),
        ("as=yaml", 400, "as must be one of auto, json, text, hex, schema"),
    ],
)
def test_what_is_wrong_is_named(
    browser: TestClient, numbered: str, query: str, status: int, sentence: str
) -> None:
    answer = browser.get(f"{numbered}?{query}")
    assert answer.status_code == status
    assert sentence in answer.text
    assert 'name="offset"' in answer.text, "the form is there again"
    for name, typed in parse_qsl(query):
        if name in ("offset", "time", "json"):
            assert f'value="{escape(typed)}"' in answer.text


def test_an_offset_as_a_page_shows_it_can_be_typed(browser: TestClient, numbered: str) -> None:
    query = {"partition": "1", "from": "offset", "offset": " 4\u20090 ", "count": "25"}
    assert offsets(browser.get(numbered, params=query).text)[0] == (1, 40)


@pytest.mark.parametrize("query", ["from=offset&offset=5000", "from=time&time=2100-01-01"])
def test_beyond_the_end_the_page_names_the_ends(
    browser: TestClient, numbered: str, query: str
) -> None:
    text = browser.get(f"{numbered}?{query}").text
    assert "No record is here." in text
    assert "Partition 1 has offsets from 0 to 99, " in text


def test_no_record_is_ever_more_than_text(
    browser: TestClient, console_broker: EmbeddedBroker, producer: Producer
) -> None:
    console_broker.create_topic("hostile")
    producer.send("hostile", HOSTILE, key=HOSTILE, headers=[(HOSTILE, HOSTILE.encode())])
    producer.send("hostile", b"\xff\xfe" + HOSTILE.encode())
    producer.send("hostile", f'{{"{HOSTILE[:20]}": "\u202e"}}')
    producer.send("hostile", bytes(range(256)))
    producer.send("hostile", b"[" * 100_000)
    producer.flush()
    for path in (
        "/topics/hostile/records",
        *(f"/topics/hostile/records/0/{one}" for one in range(5)),
    ):
        for form in ("auto", "json", "text", "hex", "schema"):
            answer = browser.get(path, params={"as": form})
            assert answer.status_code == 200
            assert "<script>alert" not in answer.text
            assert "<img" not in answer.text
            assert "\u202e" not in answer.text
    assert "\\u202e" in browser.get("/topics/hostile/records").text


def test_a_huge_value_is_cut_and_can_be_had_whole(
    opened: Callable[..., TestClient], tmp_path: object
) -> None:
    size = 50_000_000
    config = {"message.max.bytes": size + 1000, "socket.request.max.bytes": 2 * size}
    with EmbeddedBroker(config) as broker:
        broker.create_topic("huge")
        with Producer(
            bootstrap_servers=broker.bootstrap_servers, max_request_size=size + 1000,
            buffer_memory=3 * size,
        ) as producer:  # fmt: skip
            producer.send("huge", b"ab" * (size // 2)).result()
        browser = opened(servers=broker.bootstrap_servers)
        answer = browser.get("/topics/huge/records")
        assert offsets(answer.text) == [(0, 0)]
        assert "cut: show all" in answer.text
        assert len(answer.content) < 20_000
        assert len(browser.get("/topics/huge/records/0/0").content) < 200_000
        assert len(browser.get("/topics/huge/records/0/0/bytes").content) == size


def test_pages_weigh_less_than_200_kb(
    browser: TestClient, console_broker: EmbeddedBroker, producer: Producer
) -> None:
    console_broker.create_topic("heavy")
    for _ in range(60):
        producer.send("heavy", '"<' * 5000, key="k" * 500, headers=[("h" * 90, b"v" * 90)] * 9)
    producer.flush()
    assert len(browser.get("/topics/heavy/records").content) < 200_000


def test_nothing_in_a_record_makes_a_page_heavier(
    browser: TestClient, console_broker: EmbeddedBroker, producer: Producer
) -> None:
    console_broker.create_topic("heaviest")
    odd = "\u202e\x00\"'" * 100
    for _ in range(60):
        producer.send("heaviest", '"' * 5000, key='"' * 500, headers=[(odd, odd.encode())] * 9)
    text = '{"a":' * 10_000 + "1" + "}" * 10_000
    for value in ('{"a":' * 100_000, '"' * 200_000, text):
        producer.send("heaviest", value, key='"' * 100_000, headers=[(odd, odd.encode())] * 100)
    producer.flush()
    page = browser.get("/topics/heaviest/records?count=50&from=beginning")
    assert len(offsets(page.text)) == 50
    assert len(page.content) < 200_000
    assert len(browser.get("/topics/heaviest/records?count=500").content) < 2_000_000
    for offset in (60, 61, 62):
        answer = browser.get(f"/topics/heaviest/records/0/{offset}")
        assert answer.status_code == 200
        assert len(answer.content) < 200_000


def test_records_of_open_and_aborted_transactions(
    browser: TestClient, console_broker: EmbeddedBroker, producer: Producer
) -> None:
    console_broker.create_topic("transacted")
    path = "/topics/transacted/records?from=beginning"
    producer.send("transacted", "plain").result()
    servers = console_broker.bootstrap_servers
    with Producer(bootstrap_servers=servers, transactional_id="console-test") as sender:
        sender.init_transactions()
        sender.begin_transaction()
        sender.send("transacted", "aborted").result()
        sender.abort_transaction()
        sender.begin_transaction()
        sender.send("transacted", "open").result()
        text = browser.get(path).text
        assert re.findall(r"<pre>(\w+)</pre>", text) == ["plain", "aborted", "open"]
        assert text.count(">open</small></th>") == 1
        assert re.findall(r"records/0/(\d+)\"[^>]*>\d+</a> <small[^>]*>(\w+)", text) == [
            ("1", "aborted"),
            ("3", "open"),
        ]
        one = "/topics/transacted/records/0"
        assert "transaction" not in browser.get(f"{one}/0").text.partition("<h2>Key")[0][-300:]
        assert "in a transaction that was aborted" in browser.get(f"{one}/1").text
        assert "in an open transaction" in browser.get(f"{one}/3").text
        text = browser.get(f"{path}&isolation=committed").text
        assert re.findall(r"<pre>(\w+)</pre>", text) == ["plain"]
        file = browser.get("/topics/transacted/records/download?isolation=committed").text
        assert file.count("\n") == 1
        sender.commit_transaction()
    text = browser.get(f"{path}&isolation=committed").text
    assert re.findall(r"<pre>(\w+)</pre>", text) == ["plain", "open"]
    assert ">open</small></th>" not in text
    text = browser.get(path).text
    assert re.findall(r"</a> <small[^>]*>(\w+)", text) == ["aborted"]
    assert "isolation must be one of all, committed" in browser.get(f"{path}&isolation=x").text


def test_aborted_records_are_marked_far_apart_and_amid_many(
    browser: TestClient, console_broker: EmbeddedBroker
) -> None:
    console_broker.create_topic("abandoned", partitions=2)
    with Producer(
        bootstrap_servers=console_broker.bootstrap_servers, transactional_id="abandoning"
    ) as sender:
        sender.init_transactions()
        for turn in range(4):
            sender.begin_transaction()
            for number in range(1000):
                rare = "rare" if number == 500 else "usual"
                sender.send("abandoned", f"{rare} {turn}", partition=turn % 2)
            sender.flush()  # To abort leaves out what was not sent yet.
            if turn in (1, 2):
                sender.abort_transaction()
            else:
                sender.commit_transaction()
    page = browser.get("/topics/abandoned/records?from=beginning&value=rare").text
    rows = {
        found[1]: row for row in page.split("<tr>") if (found := re.search(r">rare (\d)<", row))
    }
    assert {turn: 'class="aborted"' in row for turn, row in rows.items()} == {
        "0": False, "1": True, "2": True, "3": False,
    }  # fmt: skip
    # In the middle of one, no offset is missing that would give it away.
    page = browser.get("/topics/abandoned/records?partition=1&from=offset&offset=300").text
    assert page.count('class="aborted"') == 50


def test_a_topic_of_kafka_07_whose_offsets_are_byte_positions(
    browser: TestClient, console_broker: EmbeddedBroker
) -> None:
    console_broker.create_topic("bytes07", 1, {"message.format.version": "0.7"})
    servers = console_broker.bootstrap_servers
    with Producer(bootstrap_servers=servers, enable_idempotence=False) as producer:
        for number in range(120):
            producer.send("bytes07", f"message {number:03d}")
    for start in ("beginning", "end"):
        seen: list[str] = []
        path = f"/topics/bytes07/records?from={start}&count=50"
        while path:
            answer = browser.get(path)
            assert answer.status_code == 200
            seen += re.findall(r"<pre>message (\d+)</pre>", answer.text)
            path = next_page(answer.text)
        numbers = [f"{number:03d}" for number in range(120)]
        assert seen == (numbers if start == "beginning" else numbers[::-1])
    (_, second) = offsets(browser.get("/topics/bytes07/records?from=beginning&count=2").text)
    assert "message 001" in browser.get(f"/topics/bytes07/records/0/{second[1]}").text


def test_null_and_empty_are_not_the_same(
    browser: TestClient, console_broker: EmbeddedBroker, producer: Producer
) -> None:
    console_broker.create_topic("tombstones")
    producer.send("tombstones", None, key="gone").result()
    producer.send("tombstones", "", key="empty").result()
    text = browser.get("/topics/tombstones/records").text
    assert text.count("<em>null</em>") == 1
    assert "text, 0 B" in text
