"""Ctrl-C and signals that reach us in a call to Java, whatever the bridge makes of them there."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ends_as_told() -> Iterator[None]:
    """Raise the interruption (or exit) in whose wake an error came, in place of that error.

    Interrupted in a call, Spark's bridge to Java tidies up its connection, and fails at it where the
    interruption came between two of its steps: what is left then is an error of the bridge.
    """
    try:
        yield
    except Exception as error:
        if (ending := _ending_before(error)) is not None:
            raise ending from None
        raise


def _ending_before(error: BaseException) -> BaseException | None:
    """The nearest of what this error came in the wake of that is no error: who ends, is ended."""
    before = error.__context__
    while isinstance(before, Exception):
        before = before.__context__
    return before
