import os
import signal
import sys
from queue import SimpleQueue

import pytest

from barnabas.cli.local_cluster.child_process import ChildProcess

SECONDS = 60.0
UNTIL_THE_PIPE_CLOSES = "import sys; print('ready', flush=True); sys.stdin.read()"


def child(program: str) -> tuple[ChildProcess, SimpleQueue[ChildProcess]]:
    ended: SimpleQueue[ChildProcess] = SimpleQueue()
    return ChildProcess("broker 7", [sys.executable, "-c", program], ended.put), ended


def test_it_ends_when_it_is_asked_to() -> None:
    process, ended = child(UNTIL_THE_PIPE_CLOSES)
    assert process.first_line() == "ready\n"
    assert not process.wait(0)
    process.end()
    process.end()
    assert process.wait(SECONDS)
    assert ended.get(timeout=SECONDS) is process
    assert (process.code, process.how_it_ended()) == (0, "ended with code 0")


def test_what_it_writes_to_stderr_has_its_name(capfd: pytest.CaptureFixture[str]) -> None:
    process, ended = child("import sys; sys.exit('no such disk')")
    assert process.first_line() == ""
    assert ended.get(timeout=SECONDS).how_it_ended() == "ended with code 1"
    assert process.wait(SECONDS)
    assert capfd.readouterr().err == "broker 7: no such disk\n"


def test_a_signal_that_ended_it_is_named() -> None:
    process, ended = child(UNTIL_THE_PIPE_CLOSES)
    os.kill(process.pid, signal.SIGTERM)
    assert ended.get(timeout=SECONDS).how_it_ended() == "was ended by SIGTERM"
    assert process.wait(SECONDS)


def test_one_that_does_not_listen_is_killed() -> None:
    process, _ = child("import time; print('ready', flush=True); time.sleep(600)")
    assert process.first_line()
    process.end()
    assert not process.wait(0.01)
    process.kill()
    assert process.how_it_ended() == "was ended by SIGKILL"


def test_ctrl_c_of_the_terminal_does_not_reach_it() -> None:
    process, _ = child(UNTIL_THE_PIPE_CLOSES)
    assert os.getpgid(process.pid) == process.pid
    process.kill()
