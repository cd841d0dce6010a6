"""A broker as its own process, there as long as a `with` lasts. Its logs outlive it."""

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
    """Start `barnabas serve` on a free port; gives its bootstrap servers.

    The broker has its own session, so that Ctrl-C comes to us alone and we stop it in order.

    Raises:
        ConnectionFailed: it did not come up; the message has the last lines of its log.
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
            told = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-5:]
            raise ConnectionFailed(f"the broker did not start: {' / '.join(told)}")
        yield str(json.loads(line)["bootstrap_servers"])
    finally:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
