"""`barnabas console` and `barnabas serve --console-port`, and the pages in a real browser.

The browser is Chromium, where the machine has one (Debian: apt-get install chromium). With
BARNABAS_SCREENSHOTS=1 its pictures go to docs/images.
"""

import base64
import contextlib
import http.client
import json
import os
import re
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from barnabas import Admin, Consumer, NewTopic, Producer
from tests.commands.chromium import CHROMIUM, Tab, browsing
from tests.commands.pages.pages import environment as typed_environment
from tests.commands.pages.pages import lines, type_command
from tests.commands.served import BARNABAS, SECONDS, Served, environment, run, serving

IMAGES = Path(__file__).parents[2] / "docs" / "images"
SENTENCE = re.compile(r"the console is at (http://\S+/)")

in_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


@contextlib.contextmanager
def console(servers: str, *arguments: str, **variables: str) -> Iterator[str]:
    """The address of a console that runs as a user starts it."""
    process = subprocess.Popen(
        [*BARNABAS, "console", "--port", "0", *arguments],
        stdout=subprocess.PIPE, text=True, env=environment(servers) | variables,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        found = SENTENCE.search(process.stdout.readline())
        assert found
        yield found.group(1)
    finally:
        process.terminate()
        assert process.wait(SECONDS) in (0, 143)  # 143: it was still starting
        process.stdout.close()


def test_a_console_without_a_broker_says_so_at_the_start() -> None:
    process = subprocess.Popen(
        [*BARNABAS, "console", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment("127.0.0.1:1"),
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        try:
            found = SENTENCE.search(process.stdout.readline())
            assert process.stderr.readline() == (
                "barnabas: no broker at 127.0.0.1:1 (Connection refused); start one with `barnabas "
                "serve --port 1`, or name another with -b; the pages show the cluster as soon as it "
                "is there\n"
            )
            assert found
            status, page = fetched(f"{found.group(1)}topics?whole=1")
            assert (status, "<h1>No broker answers</h1>" in page) == (504, True)
        finally:
            process.terminate()


def fetched(url: str, password: str = "") -> tuple[int, str]:
    request = urllib.request.Request(url)
    if password:
        request.add_header(
            "Authorization", "Basic " + base64.b64encode(f":{password}".encode()).decode()
        )
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    """With a topic of every kind of value, groups and a transaction."""
    with serving("--ephemeral", "--set", "group.initial.rebalance.delay.ms=0") as served:
        servers = served.servers
        with Admin(bootstrap_servers=servers) as admin:
            admin.create_topics([NewTopic("flights", 6), NewTopic("animals", 3)])
            admin.create_topics([NewTopic("orders", 4, -1, {"cleanup.policy": "compact"})])
            admin.alter_client_quotas({"client-id": "noisy"}, {"producer_byte_rate": 1_000_000})
        with Producer(bootstrap_servers=servers) as producer:
            for number in range(600):
                flight = (
                    f'{{"flight": {number}, "from": "JFK", "to": "SFO", "delay": {number % 90}}}'
                )
                producer.send(
                    "flights", flight, key=f"UA{number % 40}", headers=[("source", b"page")]
                )
            producer.send("animals", "barks", key="rex")
            producer.send("animals", bytes(range(64)), key="bytes")
            producer.send("animals", None, key="gone")
            hostile = (
                "<script>document.title='taken over'</script>\u202e<img src=x onerror=alert(1)>"
            )
            producer.send("animals", hostile, key=hostile)
        with Admin(bootstrap_servers=servers) as admin:
            admin.alter_group_offsets("reports", {("flights", one): 40 for one in range(6)})
        yield served


def test_a_console_ends_without_a_word_while_pages_stream(broker: Served) -> None:
    process = subprocess.Popen(
        [*BARNABAS, "console", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(broker.servers),
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    with process, contextlib.ExitStack() as streams:
        try:
            found = SENTENCE.search(process.stdout.readline())
            assert found
            for path in ("events", "topics/animals/records/live"):
                address = found.group(1) + path
                stream = streams.enter_context(urllib.request.urlopen(address, timeout=SECONDS))
                assert stream.readline().startswith(b"data: ")
        finally:
            process.terminate()
        assert process.stderr.read() == ""
        assert process.wait(SECONDS) == 0


def test_a_console_of_its_own_for_any_broker(broker: Served) -> None:
    with console(broker.servers) as url:
        assert fetched(url)[0] == 200
        status, text = fetched(f"{url}topics")
        assert status == 200
        assert "flights" in text


def test_beyond_this_machine_a_password_is_needed(broker: Served, tmp_path: Path) -> None:
    refused = run("console", "--host", "0.0.0.0", "--port", "0", servers=broker.servers)
    assert refused.code == 1
    assert "needs a password: give --password-file, or set BARNABAS_CONSOLE_PASSWORD" in refused.err
    proxied = broker.run("console", "--port", "0", "--allow-host", "kafka.example")
    assert "with --allow-host kafka.example other machines reach the console" in proxied.err
    file = tmp_path / "password"
    file.write_text("woof\n")
    with console(broker.servers, "--host", "0.0.0.0", "--password-file", str(file)) as anywhere:
        url = anywhere.replace("0.0.0.0", "127.0.0.1")
        assert fetched(url)[0] == 401
        status, text = fetched(url, "woof")
        assert status == 200
        assert "read-only" in text
        assert fetched(f"{url}create-topic", "woof")[0] == 403
    with console(broker.servers, BARNABAS_CONSOLE_PASSWORD="woof") as url:
        assert fetched(url)[0] == 401
        assert fetched(f"{url}create-topic", "woof")[0] == 200


@pytest.mark.parametrize(
    ("text", "sentence"), [(None, "No such file"), ("", "its first line is empty")]
)
def test_a_password_file_that_is_none(tmp_path: Path, text: str | None, sentence: str) -> None:
    file = tmp_path / "password"
    if text is not None:
        file.write_text(text)
    done = run("console", "--password-file", str(file))
    assert done.code == 1
    assert sentence in done.err


def test_a_port_that_is_taken(broker: Served) -> None:
    port = broker.servers.rpartition(":")[2]
    done = run("console", "--port", port, servers=broker.servers)
    assert done.code == 1
    assert f"the console cannot listen at localhost:{port}" in done.err
    assert "--port chooses another port" in done.err


def test_a_broker_with_a_console_beside_it() -> None:
    """In a process of its own, which ends with the broker, also when that is killed."""
    with serving("--ephemeral", "--console-port", "0") as served:
        assert served.process.stderr is not None
        found = SENTENCE.search(served.process.stderr.readline())
        assert found
        url = found.group(1)
        assert fetched(url)[0] == 200
        served.process.kill()
        for _ in range(100):
            try:
                fetched(url)
            except (OSError, http.client.HTTPException):  # gone, or it ended amid a response
                break
            time.sleep(0.1)
        else:
            pytest.fail("the console is still there")


# ---- in a browser --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browsing(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def url(broker: Served) -> Iterator[str]:
    with console(broker.servers) as address:
        yield address


@contextlib.contextmanager
def producing(servers: str) -> Iterator[None]:
    """A record every 20 ms goes to "orders"."""
    ended = threading.Event()

    def produce() -> None:
        with Producer(bootstrap_servers=servers, linger_ms=0) as producer:
            while not ended.wait(0.02):
                producer.send("orders", '{"live": "<b id=bold>record</b>"}', key="k").result()

    thread = threading.Thread(target=produce)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@in_a_browser
def test_numbers_and_live_records_move(broker: Served, url: str, tab: Tab) -> None:
    with producing(broker.servers):
        tab.open(f"{url}topics/orders/records?live=1")
        tab.until("document.querySelectorAll('#records tr.fresh').length > 20")
        assert tab.value("document.getElementById('bold')") is None
        tab.open(url)
        tab.until("/^[1-9]/.test(document.getElementById('records-in').textContent)")
        tab.until("document.querySelector('#busiest a')?.textContent == 'orders'")
    assert tab.problems == []


COUNT_STREAMS = """
window.streams = new Set();
const Usual = EventSource;
window.EventSource = class extends Usual {
  constructor(...given) { super(...given); window.streams.add(this); }
  close() { super.close(); window.streams.delete(this); }
};
"""


@in_a_browser
@pytest.mark.parametrize("page", ["", "topics/animals/records?live=1"])
def test_a_tab_that_nobody_sees_has_no_stream(page: str, url: str, tab: Tab) -> None:
    """A browser has six connections to a host: with six streams no page would come any more."""
    script = tab.do("Page.addScriptToEvaluateOnNewDocument", source=COUNT_STREAMS)
    try:
        tab.open(url + page)
        tab.until("window.streams.size == 1")
        for hidden in (True, False):
            value = json.dumps(hidden)
            tab.value(
                f"Object.defineProperty(document, 'hidden', {{value: {value}, configurable: true}})"
            )
            tab.value("document.dispatchEvent(new Event('visibilitychange'))")
            assert tab.value("window.streams.size") == (0 if hidden else 1)
    finally:
        tab.do("Page.removeScriptToEvaluateOnNewDocument", **script)


@in_a_browser
def test_a_console_that_is_gone_is_reported_and_found_again(broker: Served, tab: Tab) -> None:
    with console(broker.servers) as url:
        tab.open(f"{url}topics/animals/records?live=1")
        tab.until("document.getElementById('live-says').textContent.startsWith('Live:')")
    tab.until("document.getElementById('live-problem').textContent.includes('does not answer')")
    assert tab.value("document.getElementById('live-says').textContent") == "Not live now."
    port = url.rstrip("/").rpartition(":")[2]
    with console(broker.servers, "--port", port):
        tab.until("document.getElementById('live-says').textContent.startsWith('Live:')")
        assert tab.value("document.getElementById('live-problem').textContent") == ""
        tab.open(url)
        tab.until("document.getElementById('groups').textContent != '…'")
    tab.until("document.getElementById('problem').textContent.startsWith('These numbers are old.')")
    tab.open("about:blank")
    tab.problems.clear()  # Chromium reports each connection that was refused.


@in_a_browser
def test_no_record_runs(url: str, tab: Tab) -> None:
    tab.open(f"{url}topics/animals/records")
    assert tab.value("document.title") == "Records of animals · Barnabas console"
    assert tab.value("document.querySelectorAll('main img, main script').length") == 0
    assert "<script>" in tab.value("document.getElementById('records').textContent")
    assert "\\u202e" in tab.value("document.getElementById('records').textContent")
    assert tab.problems == []


@in_a_browser
def test_records_of_an_aborted_transaction_are_marked(broker: Served, url: str, tab: Tab) -> None:
    mine = {"bootstrap.servers": broker.servers, "transactional.id": "undecided"}
    with Producer(mine) as producer:
        producer.init_transactions()
        for text in ("kept", "given up"):
            producer.begin_transaction()
            producer.send("decisions", text).result(SECONDS)
            if text == "kept":
                producer.commit_transaction()
            else:
                producer.abort_transaction()
    tab.open(f"{url}topics/decisions/records")
    rows = "[...document.querySelectorAll('#records tr')]"
    assert tab.value(f"{rows}.map(row => row.cells[1].textContent)") == ["2 aborted", "0"]
    assert tab.value(f"{rows}.map(row => row.cells[4].querySelector('pre').textContent)") == [
        "given up",
        "kept",
    ]
    tab.open(f"{url}topics/decisions/records?isolation=committed")
    assert tab.value(f"{rows}.map(row => row.cells[1].textContent)") == ["0"]
    assert tab.problems == []


@in_a_browser
def test_a_form_is_filled_and_confirmed_by_keyboard(url: str, tab: Tab) -> None:
    tab.open(f"{url}topics/animals/produce")
    tab.press("Tab")
    assert tab.value("document.activeElement.textContent") == "Skip to the content"
    text = " purrs\n<b> \u202e"
    tab.value("document.querySelector('[name=key]').value = 'tom'")
    tab.value(f"document.querySelector('form.stack [name=value]').value = {json.dumps(text)}")
    tab.value("document.querySelector('form.stack button').focus()")
    tab.press("Enter")
    tab.until("document.body?.textContent.includes('This will be stored')")
    tab.value("document.querySelector('button.danger').focus()")
    tab.press("Enter")
    tab.until("document.body?.textContent.includes('The record was stored.')")
    stored = tab.value("location.pathname")
    status, found = fetched(f"{url.rstrip('/')}{stored}/bytes")
    assert (status, found) == (200, text)
    assert tab.problems == []


@pytest.fixture(scope="module")
def watching() -> Iterator[tuple[str, str]]:
    """A broker, and the address of the console beside it."""
    with serving("--ephemeral", "--console-port", "0") as served:
        assert served.process.stderr is not None
        found = SENTENCE.search(served.process.stderr.readline())
        assert found
        yield served.servers, found.group(1)


@in_a_browser
def test_a_connection_is_watched(watching: tuple[str, str], tab: Tab, tmp_path: Path) -> None:
    folder = IMAGES if os.environ.get("BARNABAS_SCREENSHOTS") else tmp_path
    servers, url = watching
    with producing(servers):
        tab.open(f"{url}wire", height=900)
        tab.value("document.querySelector('a[href=\"/wire/watch\"]').focus()")
        tab.press("Enter")
        tab.until("document.querySelector('caption')?.textContent.includes('connections')")
        assert "Produce, version" in tab.value("document.querySelector('tbody').textContent")
        tab.value("document.querySelector('[name=client]').value = 'barnabas'")
        tab.value("document.querySelector('form.bar button').click()")
        tab.until("document.querySelectorAll('#records tr.fresh').length > 20")
        tab.value("document.getElementById('live-pause').click()")
        assert tab.value("document.getElementById('live-pause').textContent") == "Go on"
        tab.picture(folder / "console-watch.png")
        assert tab.value("document.documentElement.scrollWidth <= window.innerWidth")
        tab.value("document.querySelector('#records a').focus()")
        tab.press("Enter")
        tab.until("document.querySelectorAll('table.mono').length == 2")
        text = tab.value("document.getElementById('main').textContent")
    assert "Produce request, version" in text
    assert "Produce response, version" in text
    assert "Mistake at" not in text
    assert tab.problems == []


def test_own_records_are_in_a_browser_by_two_commands(tmp_path: Path) -> None:
    page = "docs/install.md"
    (serve,) = [line for line in lines(page) if line.startswith("barnabas serve")]
    (produce,) = [line for line in lines(page) if "barnabas produce" in line]
    command = [*BARNABAS, *serve.replace("8080", "0").split()[1:], "--port", "0", "--json"]
    with serving(command=command, cwd=tmp_path) as served:
        assert served.process.stderr is not None
        found = SENTENCE.search(served.process.stderr.readline())
        assert found
        type_command(produce, typed_environment(served.servers, tmp_path), tmp_path)
        status, text = fetched(f"{found.group(1)}topics/dogs/records")
    assert status == 200
    assert "{&#34;dog&#34;: &#34;rex&#34;, &#34;weight&#34;: 31}" in text


def test_a_broker_whose_connections_may_not_be_watched() -> None:
    with serving("--ephemeral", "--console-port", "0", "--no-watch") as served:
        assert served.process.stderr is not None
        found = SENTENCE.search(served.process.stderr.readline())
        assert found
        assert fetched(f"{found.group(1)}wire/watch")[0] == 404


def test_clients_of_a_proxy_before_any_broker_are_watched(broker: Served) -> None:
    process = subprocess.Popen(
        [*BARNABAS, "console", "--port", "0", "--watch-port", "0"],
        stdout=subprocess.PIPE, text=True, env=environment(broker.servers),
    )  # fmt: skip
    assert process.stdout is not None
    with process:
        try:
            found = SENTENCE.search(process.stdout.readline())
            assert found
            place = re.search(r"connect to (\S+) can be watched", process.stdout.readline())
            assert place
            with Producer(bootstrap_servers=place.group(1), client_id="rex") as producer:
                producer.send("animals", "barks").result()
                page = f"{found.group(1)}wire/watch"
                assert "Produce, version" in fetched(page)[1]
                fetched(f"{page}?client=rex")
                producer.send("animals", "barks").result()
                assert "/wire/watch/1" in fetched(f"{page}?client=rex")[1]
        finally:
            process.terminate()


PICTURES: dict[str, tuple[str, dict[str, Any]]] = {
    "overview": ("", {"height": 700}),
    "topic": ("topics/flights?all=1", {}),
    "records": ("topics/flights/records?json=delay%3D17&count=25", {}),
    "records-dark": ("topics/animals/records", {"height": 640, "scheme": "dark"}),
    "group": ("groups/one?name=watchers", {"height": 800}),
    "wire": ("wire", {"height": 900}),
    "phone": ("topics/flights", {"width": 390, "height": 844}),
}


@in_a_browser
@pytest.mark.parametrize("name", PICTURES)
def test_pictures_of_pages(name: str, url: str, broker: Served, tab: Tab, tmp_path: Path) -> None:
    path, window = PICTURES[name]
    folder = IMAGES if os.environ.get("BARNABAS_SCREENSHOTS") else tmp_path
    folder.mkdir(exist_ok=True)
    with (
        producing(broker.servers),
        Consumer(bootstrap_servers=broker.servers, group_id="watchers") as consumer,
    ):
        consumer.subscribe(["flights"])
        while not consumer.assignment():
            consumer.poll(0.1)
        tab.open(url + path, **window)
        if name == "overview":
            tab.until("/^[1-9]/.test(document.getElementById('records-in').textContent)")
        if name == "wire":
            tab.value("document.querySelector('form button').click()")
            tab.until("document.querySelector('table') != null")
        tab.picture(folder / f"console-{name}.png")
    assert (folder / f"console-{name}.png").stat().st_size > 10_000
    assert tab.value("document.documentElement.scrollWidth <= window.innerWidth")
    assert tab.problems == []
