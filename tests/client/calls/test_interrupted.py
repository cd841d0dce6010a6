"""Ctrl-C amid calls of sync clients: they end, they may be called again, and nothing is lost or doubled."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from barnabas import Producer
from barnabas.testing.embedded_broker import EmbeddedBroker
from tests.client.calls.interrupted_client import COUNT, TOPIC, WORK
from tests.client.fronts import silent

ROOT = Path(__file__).parents[3]
SIGNALS = 300
SECONDS = 120.0
WAITING = {
    "poll": "reader.poll()",
    "iterate": "next(iter(reader))",
    "fetch_arrow": "reader.fetch_arrow()",
    "commit": "reader.commit({('t', 0): 1}, timeout_s=1000)",
    "close": "reader.seek(('t', 0), 5); reader.close(1000)",
    "list_topics": "admin.list_topics(timeout_s=1000)",
    "send": "producer.send('t', b'x')",
    "init_transactions": "producer.init_transactions()",
}
PROGRAM = """
from barnabas import Admin, Consumer, Producer
where = {"bootstrap.servers": %r}
reader = Consumer(where | {"group.id": "g"})
reader.assign([("t", 0)])
admin = Admin(where)
producer = Producer(where | {"max.block.ms": 1_000_000, "transactional.id": "t"})
print("begun", flush=True)
try:
    %s
except KeyboardInterrupt:
    print("interrupted", flush=True)
for client in (reader, admin, producer):
    client.close() if client is admin else client.close(0)
"""


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker({"num.partitions": "1"}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for _ in range(COUNT):
                producer.send(TOPIC, b"x" * 100)
        yield broker.bootstrap_servers


@contextmanager
def begun(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A program of Python that has printed that it has begun."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
    )
    with process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n"
            yield process
        finally:
            process.kill()


@pytest.mark.timeout(240)
@pytest.mark.parametrize("what", WORK)
def test_calls_are_interrupted_again_and_again_and_all_comes_out_right(
    servers: str, what: str
) -> None:
    chance = Random(what)
    with begun("-m", "tests.client.calls.interrupted_client", servers, what) as process:
        for _ in range(SIGNALS):
            time.sleep(chance.uniform(0.0002, 0.01))
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, err[-3000:]
    assert json.loads(out) > 0


@pytest.mark.parametrize("call", WAITING)
def test_who_waits_for_a_silent_broker_is_let_go(call: str) -> None:
    with silent() as place, begun("-c", PROGRAM % (place.servers, WAITING[call])) as process:
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, out) == (0, "interrupted\n"), err[-3000:]
