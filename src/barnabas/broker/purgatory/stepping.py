"""Stepping: runs long work in steps on the loop, so that other clients are served in between.

Work is a generator that yields wherever other requests may be handled. It yields None to continue, a `Pending`
to continue with its result, or a `GrowingArray` of its reply after adding to it. It returns the reply.
Between two steps anything may have changed: topics or groups may be gone. State that others see must be
consistent at each yield.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from functools import wraps
from typing import Any, Protocol, TypeVar

from barnabas.broker.purgatory.admission import SLICE_SECONDS, Admission
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.reply_memory import ReplyMemory
from barnabas.ports import Timers
from barnabas.protocol.long_replies import LongReply, ReplyWriter, too_long
from barnabas.wire.charges import MOST_REPLY_BYTES, MOST_REQUEST_BYTES
from barnabas.wire.growing import FEW, GrowingArray

Item = TypeVar("Item")
Made = TypeVar("Made")
Reply = TypeVar("Reply")
RequestT = TypeVar("RequestT")

Steps = Generator[Any, Any, Reply]
"""Work that yields None, a Pending or a GrowingArray, and returns a reply."""


class Stepping:
    """Runs long work of a broker: each turn of the loop runs steps of one work, in rotation.

    New work starts at once, until a slice of the turn is used up. The rest starts in later turns, because
    hundreds of connections may send requests at the same time. Records queued by a step are written after it.
    """

    __slots__ = (
        "_began", "_begun_seconds", "_has_turn", "_monotonic", "_replies", "_timers", "_waiting", "_write",
        "admission",
    )  # fmt: skip

    def __init__(
        self,
        write: Callable[[], object],
        timers: Timers,
        monotonic: Callable[[], float],
        most_bytes: int = MOST_REQUEST_BYTES,
    ) -> None:
        """`write` writes the records that a step has queued. `monotonic` measures steps, in seconds.

        `most_bytes` limits the memory of all large requests that are being handled.
        """
        self.admission = Admission(most_bytes, timers.soon, monotonic)
        self._replies = ReplyMemory()
        self._timers = timers
        self._monotonic = monotonic
        self._waiting: deque[Callable[[], None]] = deque()
        self._has_turn = False
        self._began = 0.0
        """When the present or last slice began."""
        self._begun_seconds = 0.0
        """The time that new work, perhaps several short ones, has taken since the last turn."""
        self._write = write

    def run(
        self,
        steps: Steps[Reply],
        *,
        ends_when_disconnected: bool = False,
        writer: ReplyWriter | None = None,
    ) -> Reply | Pending:
        """Run steps; return their reply or raise their error. What exceeds a time slice runs in later turns.

        The work continues if its client disconnects, unless `ends_when_disconnected`. `writer` encodes the
        growing array of the reply; without a writer it stays a list.
        """
        work = _Work(steps, self._replies, writer)
        waits_for: Pending | None = None
        if self._begun_seconds < SLICE_SECONDS:
            try:
                waits_for = self._begin(work)
            except StopIteration as end:
                reply: Reply = work.reply(end.value)
                return reply
            except BaseException:
                work.end()
                raise
        pending, kept = Pending(), self.admission.keep()
        pending.continues = not ends_when_disconnected

        def turn() -> object:
            try:
                waits_for = self._advance(work)
            except BaseException as end:
                self.admission.give_back(kept)
                if isinstance(end, StopIteration):
                    return work.reply(end.value)
                work.end()
                raise
            self._continue(work, waits_for, step)
            return pending

        def step() -> None:
            if ends_when_disconnected and pending.is_done:
                work.end()
                self.admission.give_back(kept)
            else:
                pending.go_on(turn)

        self._continue(work, waits_for, step)
        return pending

    def _begin(self, work: "_Work") -> Pending | None:
        """Like `_advance`, but the time counts for this turn."""
        try:
            return self._advance(work)
        finally:
            self._begun_seconds += self._monotonic() - self._began
            if self._begun_seconds >= SLICE_SECONDS:
                self._plan_turn()

    def _advance(self, work: "_Work") -> Pending | None:
        """Run steps for a time slice, or until one has to wait. Raises StopIteration with the reply."""
        advance, monotonic = work.advance, self._monotonic
        self._began = began = monotonic()
        until = began + SLICE_SECONDS
        while True:
            waits_for = advance()
            if waits_for is not None:
                if not waits_for.is_done:
                    return waits_for
                work.given = waits_for.outcome
            if monotonic() >= until:
                return None

    def _continue(self, work: "_Work", waits_for: Pending | None, step: Callable[[], None]) -> None:
        if waits_for is None:
            self._soon(step)
            return

        def given(outcome: object) -> None:
            work.given = outcome
            self._soon(step)

        waits_for.on_done(given)

    def _soon(self, step: Callable[[], None]) -> None:
        self._waiting.append(step)
        self._plan_turn()

    def _plan_turn(self) -> None:
        if not self._has_turn:
            self._has_turn = True
            self._timers.soon(self._turn)

    def _turn(self) -> None:
        self._begun_seconds = 0.0
        if not self._waiting:
            self._has_turn = False
            return
        try:
            self._waiting.popleft()()
        finally:
            # Only now, so that work added by the step schedules no turn of its own.
            self._has_turn = False
            if self._waiting or self._begun_seconds >= SLICE_SECONDS:
                self._plan_turn()
            self._write()


class _Work:
    """The steps of one work, the result that the last one waited for, and the reply so far."""

    __slots__ = ("_share", "_writer", "given", "steps")

    def __init__(self, steps: Steps[Any], replies: ReplyMemory, writer: ReplyWriter | None) -> None:
        self.steps = steps
        self.given: object = None
        self._writer = writer
        self._share = replies.share()

    def advance(self) -> Pending | None:
        """Run one step; return what to wait for before the next one."""
        given, self.given = self.given, None
        steps = self.steps
        came = steps.throw(given) if isinstance(given, Exception) else steps.send(given)
        if type(came) is not GrowingArray:
            waits_for: Pending | None = came
            return waits_for
        if not came.is_due or self._writer is None:
            return None
        share, writer = self._share, self._writer
        room = share.room
        if room is None:
            share.grow(writer.put(came))
            if share.size > MOST_REPLY_BYTES:
                raise too_long(*writer)
        return room

    def reply(self, message: object) -> Any:
        """Return the reply, and release its share of the memory."""
        size = self._share.size
        self._share.end()
        return LongReply(self._writer, message) if size and self._writer is not None else message

    def end(self) -> None:
        """End the work without a reply."""
        self.steps.close()
        self._share.end()


class Context(Protocol):
    """The part of a request's context that the decorators below use."""

    @property
    def api_key(self) -> int:
        """The API of the request."""
        ...

    @property
    def api_version(self) -> int:
        """The version of the request."""
        ...


class HasStepping(Protocol):
    """The part of a broker that the decorators below use."""

    stepping: Stepping


BrokerT = TypeVar("BrokerT", bound=HasStepping)
ContextT = TypeVar("ContextT", bound=Context)


def each(items: Iterable[Item], make: Callable[[Item], Made]) -> Steps[list[Made]]:
    """Return `make` of each item, with a step for each and one at the end."""
    made: list[Made] = []
    for item in items:
        made.append(make(item))
        yield
    yield
    return made


def grown(items: Iterable[Item], make: Callable[[Item], Made], few: int = FEW) -> Steps[list[Made]]:
    """Like `each`, for an array of the reply that is encoded while it grows; see `GrowingArray`."""
    made: GrowingArray[Made] = GrowingArray(few)
    for item in items:
        made.add(make(item))
        yield made
    yield
    return made.done()


def grown_in_steps(
    items: Iterable[Item], make: Callable[[Item], Steps[Made]], few: int = FEW
) -> Steps[list[Made]]:
    """Like `grown`, where each item is itself made in steps."""
    made: GrowingArray[Made] = GrowingArray(few)
    for item in items:
        made.add((yield from make(item)))
        yield made
    return made.done()


def at_once(steps: Steps[Reply]) -> Reply:
    """Run all steps at once; they must be few, and wait for nothing."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            reply: Reply = end.value
            return reply


def in_steps(
    handle: Callable[[BrokerT, ContextT, RequestT], Steps[Reply]],
    *,
    ends_when_disconnected: bool = False,
) -> Callable[[BrokerT, ContextT, RequestT], Any]:
    """Make a handler that runs its work in steps: to the end, even if the client disconnects.

    With `ends_when_disconnected` the work ends with the client. The handler returns a `Pending` if it is slow.
    """

    @wraps(handle)
    def run(broker: BrokerT, context: ContextT, request: RequestT) -> Reply | Pending:
        return broker.stepping.run(
            handle(broker, context, request),
            ends_when_disconnected=ends_when_disconnected,
            writer=ReplyWriter(context.api_key, context.api_version),
        )

    return run


def in_steps_while_connected(
    handle: Callable[[BrokerT, ContextT, RequestT], Steps[Reply]],
) -> Callable[[BrokerT, ContextT, RequestT], Any]:
    """The same for a handler that changes nothing: its work ends when its client disconnects."""
    return in_steps(handle, ends_when_disconnected=True)
