"""ConsoleProcess: a console in a process of its own beside a broker; and checks before any console starts.

In its own process no page slows the broker.
Its port is opened here, before the broker starts: a console that cannot run ends the command with a reason.
"""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from multiprocessing import Pipe
from typing import TYPE_CHECKING, Any, Self

from barnabas.errors import ConnectionFailed
from barnabas.extras import check_extra

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class ConsoleProcess:
    """Has the port from the beginning, runs from `start` to the end of the context, or of this process."""

    def __init__(self, port: int) -> None:
        """Open a port of this machine; 0: any free one.

        Raises:
            ConfigError: the console's packages are missing or too old.
            ConnectionFailed: the port is taken.
        """
        check_console()
        self._listening = listen("localhost", port, "--console-port")
        self.url = f"http://localhost:{self._listening.getsockname()[1]}/"
        self._process: subprocess.Popen[bytes] | None = None
        self._ending = False

    def __enter__(self) -> Self:
        return self

    def start(
        self, servers: str, watch: "Callable[[Connection[Any, Any]], None] | None" = None
    ) -> None:
        """Show the brokers at `servers`; the process prints the console's address on stderr.

        `watch` receives our end of a pipe over which the console watches connections; None: it may not.
        """
        with self._listening:
            number = self._listening.fileno()
            command = [sys.executable, "-m", "barnabas", "console", "--bootstrap-servers", servers]
            command += ["--listening", str(number), "--until-stdin-ends"]
            if watch is None:
                self._process = _run(command, number)
            else:
                ours, theirs = Pipe()
                with theirs:
                    command += ["--watch-pipe", str(theirs.fileno())]
                    self._process = _run(command, number, theirs.fileno())
                watch(ours)
        threading.Thread(target=self._report_end, args=(self._process,), daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self._ending = True
        self._listening.close()
        if self._process is not None:
            self._process.terminate()
            self._process.wait()

    def _report_end(self, process: subprocess.Popen[bytes]) -> None:
        code = process.wait()
        if not self._ending:
            what = f"barnabas: the console ended with code {code}; the broker goes on without it"
            print(what, file=sys.stderr, flush=True)


def check_console() -> None:
    """Check that the console's packages are installed.

    Raises:
        ConfigError: packages are missing or too old; says which, and how to install them.
    """
    check_extra("console", "the console's pages", "starlette", "uvicorn", "jinja2")


def listen(host: str, port: int, option: str = "--port") -> socket.socket:
    """Open the port of the pages; empty `host`: on all addresses. `option` chose it.

    Raises:
        ConnectionFailed: the address cannot be had.
    """
    try:
        if host == "" and socket.has_dualstack_ipv6():
            return socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True)
        family = socket.getaddrinfo(host or "0.0.0.0", port, type=socket.SOCK_STREAM)[0][0]  # noqa: S104
        return socket.create_server((host, port), family=family)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        failed = ConnectionFailed(f"the console cannot listen at {host or '*'}:{port}: {why}")
        failed.add_note(f"{option} chooses another port (0: any free one)")
        raise failed from None


def _run(command: list[str], *keeps: int) -> subprocess.Popen[bytes]:
    # In a process group of its own: Ctrl-C of a terminal reaches the broker alone, which ends both.
    return subprocess.Popen(  # noqa: S603 (ours)
        command, stdin=subprocess.PIPE, stdout=sys.stderr, pass_fds=keeps, process_group=0
    )
