"""Single keys from a terminal, without Enter and without an echo."""

import select
import sys
import termios
import tty
from types import TracebackType
from typing import Self


class TerminalKeys:
    """Use it in a `with`, which restores the terminal. Without a terminal it receives no keys."""

    def __init__(self) -> None:
        self._before: list[object] | None = None

    def __enter__(self) -> Self:
        if sys.stdin.isatty():
            self._before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._before is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)  # type: ignore[arg-type]

    def next(self, seconds: float) -> str:
        """The next key within so many seconds; empty: none came."""
        watched = [sys.stdin] if self._before is not None else []
        ready, _, _ = select.select(watched, [], [], max(0.0, seconds))
        return sys.stdin.read(1) if ready else ""
