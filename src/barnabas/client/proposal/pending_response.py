"""Pending: the response to a request, past or future."""

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from barnabas.errors import KafkaError

_Result = TypeVar("_Result")


class ResponseReceiver(Protocol):
    """What delivers responses."""

    def wait(self, pending: "PendingEntry", seconds: float) -> None:
        """Return when the response, or an error, was delivered.

        Raises:
            RequestTimeout: that did not happen in time.
        """
        ...


class PendingEntry:
    """Its entry in a connection. `settle` is called once, before anything reads it."""

    def __init__(self) -> None:
        self.outcome: memoryview | KafkaError | None = None

    def settle(self, outcome: memoryview | KafkaError) -> None:
        """Deliver the frame, or the error."""
        self.outcome = outcome


class Pending(Generic[_Result]):
    """Any thread may call `result`, in any order, repeatedly."""

    def __init__(
        self,
        awaited: PendingEntry,
        connection: ResponseReceiver,
        read: Callable[[memoryview], _Result],
        seconds: float,
    ) -> None:
        self._awaited = awaited
        self._connection = connection
        self._read = read
        self._seconds = seconds

    def done(self) -> bool:
        """Whether it has arrived.

        It only arrives while a thread waits for a result of the connection.
        """
        return self._awaited.outcome is not None

    def result(self, timeout_s: float | None = None) -> _Result:
        """Wait for it, by default as long as the connection may be silent.

        Raises:
            RequestTimeout: it has not arrived yet; you may call again.
            ConnectionFailed: it will not arrive.
            BrokerError: the broker cannot process the request.
            DecodeError: it is malformed.
        """
        self._connection.wait(self._awaited, self._seconds if timeout_s is None else timeout_s)
        outcome = self._awaited.outcome
        assert outcome is not None, "who has waited without an error has an outcome"
        if isinstance(outcome, KafkaError):
            raise outcome
        return self._read(outcome)
