"""Ctrl-C and signals during a call to Java, regardless of how Py4J reports them."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def raise_interruption() -> Iterator[None]:
    """If an interruption (or exit) caused an error, raise the interruption instead.

    When a call is interrupted, Py4J cleans up its connection. That fails if the interruption came
    between two of its steps, and only an error of Py4J is left.
    """
    try:
        yield
    except Exception as error:
        if (ending := _ending_before(error)) is not None:
            raise ending from None
        raise


def _ending_before(error: BaseException) -> BaseException | None:
    """The nearest exception in the error's chain that ends the process instead of being an error."""
    before = error.__context__
    # Not all that is no Exception ends the process: asyncio cancels a wait whose time is over.
    while before is not None and not isinstance(before, KeyboardInterrupt | SystemExit):
        before = before.__context__
    return before
