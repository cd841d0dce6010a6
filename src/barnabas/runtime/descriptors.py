"""The limit on file descriptors, and those that are reserved."""

import contextlib
import resource

_MOST_WITHOUT_LIMIT = 10_240
"""macOS names no hard limit, and then takes no more than this."""

_KEPT_FREE = 32
"""For what is open for a moment: files that are replaced, synced or listed."""


def limit() -> int:
    """The descriptors that this process may hold."""
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST_WITHOUT_LIMIT if soft == resource.RLIM_INFINITY else soft


def first_reserved() -> int:
    """The first descriptor that neither a connection nor a file may keep.

    The system gives the lowest that is free, so one so high means that all below are taken.
    """
    most = limit()
    return most - min(_KEPT_FREE, most // 4)


def raise_limit() -> None:
    """Have this process hold as many as its owner may allow it, as servers do."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_WITHOUT_LIMIT if hard == resource.RLIM_INFINITY else hard
    if resource.RLIM_INFINITY != soft < wanted:
        # If the system refuses, the process continues with its present limit.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def advice() -> str:
    """Advice for when descriptors have run out."""
    return (
        f"this process may hold {limit()} files and connections; allow it more with `ulimit -n`"
        " or LimitNOFILE= of systemd"
    )
