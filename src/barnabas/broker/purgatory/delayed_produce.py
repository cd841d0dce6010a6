"""DelayedProduce: when a request with acks=n is answered that waits for replicas nobody has."""

from collections.abc import Callable, Hashable

from barnabas.dialects.commands import Appended
from barnabas.errors import ErrorCode


class DelayedProduce:
    """Appends that wait for more replicas than there are, and the two cases in which it is over.

    Case A: a partition it waits for is gone,
    Case B: its time is over.
    """

    __slots__ = ("_on_finish",)

    def __init__(self, on_finish: Callable[[], None]) -> None:
        self._on_finish = on_finish

    def happened(self, key: Hashable, amount: int) -> bool:
        """Whether the partition `key` is gone (`amount` is negative)."""
        del key
        return amount < 0  # Case A.

    def finish(self, *, is_late: bool) -> bool:
        """Answer."""
        del is_late
        self._on_finish()
        return True


def out_of_time(answer: Appended) -> Appended:
    """The answer to one append for whose replicas was waited in vain."""
    return answer if answer.error else answer._replace(error=ErrorCode.REQUEST_TIMED_OUT)
