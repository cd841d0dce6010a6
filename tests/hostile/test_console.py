"""A hundred files of the console that are asked for at once: so many as have a place are sent."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from starlette.testclient import TestClient

from barnabas import Producer
from barnabas.console.application import create_application
from barnabas.console.settings import ConsoleSettings
from barnabas.testing import EmbeddedBroker

ASKED = 40


def test_downloads_that_come_together() -> None:
    with ExitStack() as stack:
        broker = stack.enter_context(EmbeddedBroker())
        broker.create_topic("files")
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for _ in range(3000):
                producer.send("files", bytes(1000))
        settings = ConsoleSettings({"bootstrap.servers": broker.bootstrap_servers})
        console = stack.enter_context(
            TestClient(create_application(settings), base_url="http://localhost:8080")
        )
        pool = stack.enter_context(ThreadPoolExecutor(ASKED))
        path = "/topics/files/records/download?kind=jsonl"
        codes = Counter(pool.map(lambda _: console.get(path).status_code, range(ASKED)))
    assert codes.keys() <= {200, 503}
    assert codes[200] >= 1
    assert codes[503] > 0, codes
