"""Past releases of kafka-python, of which there are wheels from 1.0 on: those this Python runs."""

import os
import sys
from pathlib import Path

from tests.interop.peers.program import Program
from tests.interop.peers.python2 import python2
from tests.interop.peers.wheels import wheel

ROOT = Path(__file__).parents[3]


def kafka_python_client(release: str) -> Program:
    """The client of that release, asking the broker what it is.

    Raises:
        PeerMissing: pip could not fetch it.
    """
    path = os.pathsep.join(map(str, (wheel("kafka-python", release), ROOT)))
    return Program(
        f"kafka-python {release}",
        [sys.executable, "-m", "tests.interop.peers.kafka_python_session"],
        environment={**os.environ, "PYTHONPATH": path},
    )


def kafka_python_0_9_5() -> Program:
    """The last before, which knew no versions; by Python 2.

    Raises:
        PeerMissing: there is no Python 2.7, or pip could not fetch it.
    """
    program = Path(__file__).with_name("kafka_python_0_9_5.py2")
    command, environment = python2(program, ("kafka-python==0.9.5", "six==1.16.0"))
    return Program("kafka-python 0.9.5", command, environment={**os.environ, **environment})
