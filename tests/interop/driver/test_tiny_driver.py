"""The driver in 80 lines of `examples/` talks to a Kafka that we did not write, and to ours."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.interop.brokers import InteropBroker

pytestmark = pytest.mark.interop

PROGRAM = Path(__file__).parents[3] / "examples" / "tiny_driver.py"


def test_a_record_is_written_and_read_back(broker: InteropBroker) -> None:
    topic = broker.new_topic(partitions=1)
    for offset in range(2):
        done = subprocess.run(
            [sys.executable, str(PROGRAM), broker.bootstrap_servers, topic, "grüße"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        stored = f"stored at offset {offset} with error 0\nfetched [{'grüße'.encode()!r}]\n"
        assert done.stdout == stored, done.stderr
