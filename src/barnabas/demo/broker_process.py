"""A broker in a process of its own, running for the duration of a `with`. Its logs remain."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from barnabas.errors import ConnectionFailed

_STOP_SECONDS = 20


@contextlib.contextmanager
def broker_process(data_dir: Path, log: Path) -> Iterator[str]:
    """Start `barnabas serve` on a free port; return its bootstrap servers.

    The broker has its own session, so that only this process receives Ctrl-C and can stop the
    broker cleanly.

    Raises:
        ConnectionFailed: it did not start; the message has the last lines of its log.
    """
    command = [sys.executable, "-m", "barnabas", "serve", "--port", "0", "--json"]
    command += ["--data-dir", str(data_dir)]
    with log.open("wb") as stderr:
        process = subprocess.Popen(  # noqa: S603 - our own command
            command, stdout=subprocess.PIPE, stderr=stderr, start_new_session=True
        )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        if not line:
            lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-5:]
            raise ConnectionFailed(f"the broker did not start: {' / '.join(lines)}")
        yield str(json.loads(line)["bootstrap_servers"])
    finally:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
