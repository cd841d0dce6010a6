"""The client that measures how long others wait: it notices a broker that stands still."""

import os
import signal
import time

from tests.hostile.other_client import OtherClient
from tests.interop.peers.brokers.our_broker import OurBroker

STILL_SECONDS = 0.5


def test_a_broker_that_stands_still_makes_it_wait_so_long() -> None:
    with OurBroker() as broker, OtherClient(broker) as other:
        os.kill(broker.pid, signal.SIGSTOP)
        time.sleep(STILL_SECONDS)
        os.kill(broker.pid, signal.SIGCONT)
    # What it does between two requests may fall into that time.
    assert other.worst_wait > 0.9 * STILL_SECONDS, other.report()
    assert other.requests > 1
    assert other.waits.keys() == {"connecting", "ApiVersions", "Produce"}
