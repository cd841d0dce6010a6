"""ChildProcess: a process that ends together with this one; its end is reported.

Each is in a process group of its own: Ctrl-C of a terminal reaches the parent alone, which ends its
children in order. Their standard input is a pipe that nobody writes to. When it closes, they end.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO


class ChildProcess:
    """A process, by the name that it has in messages; its log lines appear here after that name."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        on_end: Callable[["ChildProcess"], None],
        *,
        folder: Path | None = None,
        keeps: Sequence[int] = (),
    ) -> None:
        """Start it.

        `on_end` is called once, on another thread. `keeps`: descriptors that it holds open besides.

        Raises:
            OSError: the program cannot be started.
        """
        self.name = name
        self._process = subprocess.Popen(  # noqa: S603 (our own, and the user's Java)
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            pass_fds=keeps,
            process_group=0,
        )
        self._on_end = on_end
        threading.Thread(target=self._follow, name=f"barnabas-{name}", daemon=True).start()

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    @property
    def code(self) -> int | None:
        """Its exit code, a signal as a negative number; None: it runs."""
        return self._process.poll()

    def how_it_ended(self) -> str:
        """`ended with code 1`, or `was ended by SIGKILL`."""
        code = self._process.wait()
        return f"ended with code {code}" if code >= 0 else f"was ended by {_signal_name(-code)}"

    def first_line(self) -> str:
        """Wait for the first line that it prints; empty: it ended before."""
        return _pipe(self._process.stdout).readline().decode()

    def keep_open(self) -> int:
        """The descriptor of its standard input: it runs as long as anybody has it open."""
        return _pipe(self._process.stdin).fileno()

    def end(self) -> None:
        """Have it end in order, by itself; a second call does nothing."""
        _pipe(self._process.stdin).close()

    def wait(self, seconds: float) -> bool:
        """Wait until it ended; whether it did in time."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        self._close()
        return True

    def kill(self) -> None:
        """End it, and whatever it started, at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        self._close()

    def _close(self) -> None:
        _pipe(self._process.stdin).close()
        _pipe(self._process.stdout).close()

    def _follow(self) -> None:
        with _pipe(self._process.stderr) as lines:
            for line in lines:
                sys.stderr.write(f"{self.name}: {line.decode(errors='replace')}")
        self._process.wait()
        self._on_end(self)


def _pipe(end: IO[bytes] | None) -> IO[bytes]:
    assert end is not None, "all three are pipes"
    return end


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
