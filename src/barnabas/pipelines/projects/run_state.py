"""The state of a project's last run, in a file beside it: one run at a time."""

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from barnabas.pipelines.projects.errors import ProjectError
from barnabas.runtime.clock import SystemClock

FILE: Final = ".last-run.json"
_LOCK: Final = ".run.lock"


@dataclass(slots=True)
class RunState:
    """A run: when it began and ended (milliseconds), each flow's state in Spark's words, the error."""

    started_ms: int
    ended_ms: int | None = None
    flows: dict[str, str] = field(default_factory=dict)
    error: str | None = None


@contextmanager
def only_run(folder: Path) -> Iterator[None]:
    """Keep other runs of the project out until the block ends.

    Raises:
        ProjectError: there is one.
    """
    with (folder / _LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ProjectError(f"{folder} is being run: wait for its end, or stop it") from None
        yield


def is_running(folder: Path) -> bool:
    """Whether a process currently runs the project."""
    if not (folder / _LOCK).exists():
        return False
    try:
        with only_run(folder):
            return False
    except ProjectError:
        return True


def begin() -> RunState:
    """The state of a run that begins now."""
    return RunState(SystemClock().time_ms())


def save(folder: Path, state: RunState) -> None:
    """Replace what is known of the last run."""
    fresh = folder / f"{FILE}.new"
    fresh.write_text(json.dumps(asdict(state)), encoding="utf-8")
    fresh.replace(folder / FILE)


def end(folder: Path, state: RunState, error: str | None = None) -> None:
    """Save that a run is over, and why if it failed."""
    state.ended_ms = SystemClock().time_ms()
    state.error = error
    save(folder, state)


def last_run(folder: Path) -> RunState | None:
    """The last run, or the present one; None before the first."""
    path = folder / FILE
    if not path.exists():
        return None
    return RunState(**json.loads(path.read_text(encoding="utf-8")))
