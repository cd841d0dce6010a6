"""Pending: the answer to a request that is still to come, or has come."""

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from barnabas.errors import KafkaError

_Result = TypeVar("_Result")


class Settled(Protocol):
    """Who brings answers."""

    def wait(self, pending: "Awaited", seconds: float) -> None:
        """Return when the answer, or why there is none, was handed over.

        Raises:
            RequestTimeout: that did not happen in time.
        """
        ...


class Awaited:
    """Its place in a connection. `settle` is called once, before anybody looks."""

    def __init__(self) -> None:
        self.outcome: memoryview | KafkaError | None = None

    def settle(self, outcome: memoryview | KafkaError) -> None:
        """The frame that came, or what came in its way."""
        self.outcome = outcome


class Pending(Generic[_Result]):
    """`result` may be asked for by any thread, in any order, again too."""

    def __init__(
        self,
        awaited: Awaited,
        connection: Settled,
        read: Callable[[memoryview], _Result],
        seconds: float,
    ) -> None:
        self._awaited = awaited
        self._connection = connection
        self._read = read
        self._seconds = seconds

    def done(self) -> bool:
        """Whether it has come. Nobody looks for it but who waits for a result of the connection."""
        return self._awaited.outcome is not None

    def result(self, timeout_s: float | None = None) -> _Result:
        """Wait for it: as long as the connection is allowed to be silent, if not told otherwise.

        Raises:
            RequestTimeout: it has not come yet; it may be asked for again.
            ConnectionFailed: it will not come.
            BrokerError: the broker cannot carry the request out.
            DecodeError: it cannot be read.
        """
        self._connection.wait(self._awaited, self._seconds if timeout_s is None else timeout_s)
        outcome = self._awaited.outcome
        assert outcome is not None, "who has waited without an error has an outcome"
        if isinstance(outcome, KafkaError):
            raise outcome
        return self._read(outcome)
