"""A child process with a log file: started, watched till it is ready, stopped, never left over."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self


class ChildFailed(Exception):
    """The process died or did not get ready; the text holds the end of its log."""


class Child:
    """A process whose output goes to a file; leaving the context ends it, by force if need be."""

    def __init__(
        self,
        command: list[str],
        log: Path,
        *,
        environment: dict[str, str] | None = None,
        folder: Path | None = None,
        stop_seconds: float = 60.0,
    ) -> None:
        self.log = log
        self.stop_seconds = stop_seconds
        guard = shutil.which("setpriv")
        # Where the kernel can do it, the child also goes when this process is killed.
        full = [guard, "--pdeathsig", "KILL", "--", *command] if guard else command
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                full,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd=folder,
            )

    @property
    def pid(self) -> int:
        """Process id; setpriv replaces itself, so it is the command's own."""
        return self.process.pid

    def alive(self) -> bool:
        """Whether it still runs."""
        return self.process.poll() is None

    def tail(self, lines: int = 40) -> str:
        """The end of its log."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return "\n".join(text.splitlines()[-lines:])

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self.process.kill()
        self.process.wait()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stop all its threads, and let them go on when the context is left."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            # A signal sent is not a process stopped: it may answer a call or two before.
            os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            assert self.alive(), self.tail()
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def stop(self) -> int:
        """SIGTERM, then SIGKILL after `stop_seconds`; the exit code, negative for a signal."""
        if self.alive():
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(self.stop_seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return self.process.returncode

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
