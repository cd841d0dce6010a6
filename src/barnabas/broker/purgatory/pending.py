"""Pending: a response that comes later; and the other kinds of outcomes of a request."""

import logging
from collections.abc import Callable

from barnabas.errors import LocalProtocolError

log = logging.getLogger(__name__)


class Pending:
    """A response that comes later. It is delivered once, to one callback.

    `continues`: the work for it goes on without its client. Then a client that has only ended its
    sending gets the response, as from Kafka; a long poll ends instead.
    """

    __slots__ = ("_given_up", "_on_done", "_outcome", "continues", "is_done")

    def __init__(self) -> None:
        self.continues = self.is_done = False
        self._outcome: object = None
        self._on_done: Callable[[object], None] | None = None
        self._given_up: Callable[[], None] | None = None

    @property
    def outcome(self) -> object:
        """The response or the error, after completion and before delivery."""
        assert self.is_done, "it is asked for when it is there"
        return self._outcome

    def complete(self, outcome: object) -> None:
        """Set the reply; a second one is ignored."""
        if self.is_done:
            return
        self.is_done = True
        self._given_up = None
        if self._on_done is None:
            self._outcome = outcome
        else:
            self._on_done(outcome)

    def fail(self, error: Exception) -> None:
        """Set an error instead of a reply: `reply_of` raises it."""
        self.complete(error)

    def go_on(self, make: Callable[[], object]) -> None:
        """Complete with the result or error of `make`; with that of a Pending, if it returns one."""
        try:
            reply = make()
        except LocalProtocolError as error:
            # Its connection reports it when it closes. The traceback would keep replies alive.
            self.fail(error.with_traceback(None))
            return
        except Exception as error:
            log.exception("waiting reply failed")
            self.fail(error)
            return
        if not isinstance(reply, Pending):
            self.complete(reply)
        elif self.is_done:
            reply.give_up()
        elif reply is not self:
            self.on_given_up(reply.give_up)
            reply.on_done(self.complete)

    def on_done(self, callback: Callable[[object], None]) -> None:
        """Call `callback` with the reply: at once if it is complete, otherwise on completion."""
        if self.is_done:
            callback(self._outcome)
        else:
            self._on_done = callback

    def on_given_up(self, callback: Callable[[], None]) -> None:
        """Call `callback` when nobody waits for the reply any more."""
        self._given_up = callback

    def give_up(self) -> None:
        """Note that nobody waits for the reply any more: the connection is closed."""
        if self.is_done:
            return
        self.is_done = True
        self._on_done = None
        if self._given_up is not None:
            self._given_up()


class Unwritten(Pending):
    """A reply that completes when all queued records have been written, or could not be.

    The connection's next request need not wait for it, so both are written together.
    """

    __slots__ = ()


class Unreplicated(Pending):
    """A reply that completes when other replicas have copied the appended records.

    Later Produce requests of its connection need not wait for it, but their replies do.
    """

    __slots__ = ()

    def complete(self, outcome: object) -> None:
        """Set the reply, and keep it: its connection sends replies in order."""
        if not self.is_done:
            self._outcome = outcome
        super().complete(outcome)


class Repeatable:
    """An outcome, and the function that does the work of its request again when that is repeated."""

    __slots__ = ("outcome",)

    def __init__(self, outcome: object) -> None:
        self.outcome = outcome


class RepeatableReply(Repeatable):
    """A reply whose request may be repeated byte for byte, and the function that does its work again.

    `again()` does the work and returns True if the same reply is right again. False: nothing was done, and
    the request must be handled in the ordinary way. `is_patient`: the reply may be delayed a little.
    """

    __slots__ = ("again", "is_patient")

    def __init__(
        self, reply: object, again: Callable[[], bool], *, is_patient: bool = False
    ) -> None:
        super().__init__(reply)
        self.again = again
        self.is_patient = is_patient


def itself(outcome: object) -> object:
    """Return the outcome itself, without the function that repeats it."""
    return outcome.outcome if isinstance(outcome, Repeatable) else outcome


def there(outcome: object) -> Pending:
    """Return a Pending that is complete already."""
    pending = Pending()
    pending.complete(outcome)
    return pending


def reply_of(outcome: object) -> object:
    """The response of a `Pending`.

    Raises:
        Exception: the error of the request.
    """
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
