"""Programs that end without close(): what is in line is sent, or reported as lost."""

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from barnabas import Consumer
from barnabas.protocol.api_keys import ApiKey
from barnabas.testing.embedded_broker import EmbeddedBroker
from tests.client.scripted_broker import ScriptedBroker, say_nothing

SENDS = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in the background
from barnabas import Producer
from barnabas.client.sync import exit_flush
exit_flush._QUIET_S, exit_flush.PATIENCE_S = float(sys.argv[3]), float(sys.argv[4])
producer = Producer(bootstrap_servers=sys.argv[1], linger_ms=60_000)
for number in range(100):
    producer.send(sys.argv[2], str(number))
raise SystemExit(3)
"""

SENDS_IN_A_LOOP = """
import asyncio, sys
from barnabas.aio import Producer
async def main():
    global producer
    producer = Producer(bootstrap_servers=sys.argv[1], linger_ms=60_000)
    for number in range(100):
        await producer.send(sys.argv[2], str(number))
asyncio.run(main())
if sys.argv[3] == "drop":
    del producer
"""


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker({"num.partitions": "1"}) as broker:
        yield broker.bootstrap_servers


def begun(program: str, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def test_what_nobody_flushed_is_sent_when_the_program_ends(servers: str) -> None:
    with begun(SENDS, servers, "flushed", "60", "60") as program:
        _, printed = program.communicate()
    assert (program.returncode, printed) == (3, "")
    with Consumer(bootstrap_servers=servers) as consumer:
        (end,) = consumer.end_offsets([("flushed", 0)]).values()
    assert end == 100


@pytest.mark.parametrize("interrupted", [True, False])
def test_what_cannot_be_sent_by_then_is_reported_as_lost(*, interrupted: bool) -> None:
    with (
        ScriptedBroker({ApiKey.PRODUCE: [say_nothing]}) as broker,
        begun(SENDS, broker.address, "t", "0.05", "3600" if interrupted else "0.1") as program,
    ):
        assert program.stderr is not None
        first = program.stderr.readline()
        assert "the program waits up to" in first
        if interrupted:
            program.send_signal(signal.SIGINT)
        _, printed = program.communicate()
    what = "records in doubt t-0: 100 records were not acknowledged: the program ended first"
    assert what in printed
    assert (printed.count("\n"), program.returncode) == (1, 3)


@pytest.mark.parametrize("end", ["keep", "drop"])
def test_an_asyncio_producer_that_its_loop_left_says_what_is_lost(servers: str, end: str) -> None:
    with begun(SENDS_IN_A_LOOP, servers, f"lost-{end}", end) as program:
        _, printed = program.communicate()
    (line,) = printed.splitlines()
    assert f"records lost lost-{end}-0: 100 records were not delivered: its event loop" in line
    assert program.returncode == 0
