"""Connection: a channel with a handler of frames; back-pressure in both directions. Knows no protocol."""

import contextlib
import logging
from collections.abc import Callable
from functools import partial

from barnabas.errors import ConnectionFailed, KafkaError
from barnabas.ports import Channel
from barnabas.runtime.connections.frame_handler import LARGE_BYTES, FrameHandler, FrameObserver
from barnabas.runtime.connections.intake import Intake
from barnabas.runtime.connections.loop_turn import SMALL_BYTES, LoopTurn
from barnabas.runtime.connections.memory import ConnectionMemory
from barnabas.runtime.connections.outbox import Outbox
from barnabas.wire.framing import FrameSplitter, LargeFrameCheck
from barnabas.wire.send import Send

log = logging.getLogger(__name__)

MAX_UNSENT_BYTES = 1024 * 1024
"""Above this a peer that does not read its replies is not read from either."""

_MAX_EARLY_BYTES = 64 * 1024
_FILLS_PER_EVENT = 4
_UNREAD = "unread replies take too much memory together, and this peer took nothing for longest"


class Connection:
    """Receives frames for a handler and sends its replies.

    Frames wait (a) after `on_frame` returned False, until `resume`, (b) while more than
    MAX_UNSENT_BYTES of replies are unsent, (c) for a later turn of the loop, if an event took too
    long. During (a), up to _MAX_EARLY_BYTES are still received, so that a disconnect is noticed.
    Frames that the peer sent before it disconnected are still handled, because they may need no
    reply. After the stream breaks, replies are dropped.

    Replies are sent at the end of the loop's turn, together with those to other connections. Waking
    a sleeping peer costs as much as reading a request. A peer with many connections, or one on the
    same machine, thus wakes once instead of once for each reply.
    """

    __slots__ = (
        "_channel",
        "_ended",
        "_finishing",
        "_handler",
        "_intake",
        "_late",
        "_listening",
        "_outbox",
        "_owing",
        "_paused",
        "_stalled",
        "_turn",
        "_writing",
        "broken",
        "client_id",
        "idle_ticks",
        "is_closed",
        "observer",
    )  # fmt: skip

    def __init__(
        self,
        channel: Channel,
        memory: ConnectionMemory,
        turn: LoopTurn,
        *,
        max_frame_bytes: int,
        large: LargeFrameCheck | None = None,
    ) -> None:
        self._channel = channel
        self._intake = Intake(memory, self, FrameSplitter(max_frame_bytes, large))
        self._outbox = Outbox(memory, partial(self.close, _UNREAD))
        self._turn = turn
        self._handler: FrameHandler | None = None
        self._paused = False
        self._owing = False
        self._stalled = False
        self._late = False
        self._listening = False
        self._writing = False
        self._finishing = False
        self._ended = False
        self.broken: ConnectionFailed | None = None
        """Why the connection can no longer receive or send; frames received before are still handled."""
        self.is_closed = False
        self.client_id: str | None = None
        """The client id in its requests, for the log."""
        self.idle_ticks = 0
        self.observer: FrameObserver | None = None
        """None unless the connection is watched."""

    @property
    def peer(self) -> str:
        """`host:port` of the other side."""
        return self._channel.peer

    def serve(self, handler: FrameHandler) -> None:
        """Begin to receive."""
        self._handler = handler
        self._listen(wanted=True)

    def send(self, send: Send | bytes) -> None:
        """Queue a reply; it leaves after the event, or now if there is none.

        If the event is another's, only what is small, and not in a file, waits for the end of the turn.
        """
        outbox, turn = self._outbox, self._turn
        if self.observer is not None:
            self.observer.sent(send)
        outbox.add(send)
        present = turn.present
        if present is self:
            return
        if present is None or type(send) is not bytes or len(send) > SMALL_BYTES:
            self.guarded(self._flush)
        else:
            turn.soon(self._leave)

    def pause(self) -> None:
        """Hand over no more frames until `resume`; a peer that has sent all is answered before."""
        self._paused = self._owing = True

    def listen_late(self, *, late: bool) -> None:
        """Set whether received data may be noticed late, together with that of other connections."""
        if late != self._late:
            self._late = late
            if self._listening:
                self._listening = False
                self._listen(wanted=True)

    def take_back(self, frame: memoryview) -> None:
        """Pass the last frame to the handler again after `resume`."""
        self._intake.put_back(frame)

    def guarded(self, step: Callable[..., None], *arguments: object) -> None:
        """Run one step of this connection, of an event or not; what fails in it ends this one alone."""
        if not self.is_closed:
            try:
                # One argument is what most have, and passed by itself it takes half the time.
                step(arguments[0]) if len(arguments) == 1 else step(*arguments)
            except Exception as error:  # noqa: BLE001 - it ends this connection
                self._on_failed(error)

    def resume(self, reply: Send | bytes | None = None) -> None:
        """Send what was waited for, and hand over frames again, those that wait first."""
        if reply is not None:
            self.send(reply)
        self._paused = self._owing = False
        if self._finishing:
            self._close_if_finished()
        elif self._ended or self._intake.held_bytes or self._turn.present is self:
            # Not from here: the scratch may hold another connection's frames.
            self._turn.later(self._on_left_over)
        if not self._listening:
            self._listen(wanted=True)

    def finish(self) -> None:
        """Take no more frames; close when the replies are out and nothing is parked."""
        self._finishing = True
        self._listen(wanted=False)
        self._close_if_finished()

    def close(self, reason: Exception | str | None = None) -> None:
        """Close at once; a reason is logged. A second call does nothing."""
        if self.is_closed:
            return
        self.is_closed = True
        if reason is not None:
            level = logging.INFO if isinstance(reason, ConnectionFailed) else logging.WARNING
            log.log(level, "connection closed", extra={**self._who(), "reason": reason})
        self._channel.close()
        self._intake.release()
        self._outbox.clear()
        if self._handler is not None:
            self._handler.on_closed()

    def _who(self) -> dict[str, object]:
        named = {"client_id": self.client_id} if self.client_id else {}
        return {"peer": self.peer, **named}

    def evict(self) -> None:
        """The memory for unfinished frames is used up, and this one has waited longest."""
        held = self._intake.waiting_bytes
        self._send_what_is_owed()
        self.close(
            f"unfinished requests of all connections are over queued.max.request.bytes; {held} bytes"
            " of this one have waited longest for more"
        )

    def _on_readable(self) -> None:
        self.idle_ticks = 0
        try:
            received = self._intake.fill(self._channel)
            if self._paused:
                self._keep(received)
            elif received > 0 and self._answers_all():
                self._intake.settle()
                self._depart()
            else:
                self._handle(received)
        except Exception as error:  # noqa: BLE001 - it ends this connection
            self._on_failed(error)

    def _on_writable(self) -> None:
        self.idle_ticks = 0
        self.guarded(self._flush)

    def _leave(self) -> None:
        """The turn is over: send what there is."""
        if not self.is_closed:
            try:  # As `guarded`, without a call for each reply.
                self._flush()
            except Exception as error:  # noqa: BLE001 - it ends this connection
                self._on_failed(error)

    def _on_left_over(self) -> None:
        if self._outbox.size > MAX_UNSENT_BYTES:
            self._stall()
            return
        self._stalled = False
        if not self._paused:
            self.guarded(self._handle_left_over)
        if not self._stalled:
            self._listen(wanted=True)

    def _on_failed(self, error: Exception) -> None:
        if isinstance(error, ConnectionFailed):
            self._on_broken(error)
        elif isinstance(error, KafkaError):
            self._send_what_is_owed()
            self.close(error)
        else:
            log.error("connection failed", extra=self._who(), exc_info=error)
            self.close()

    def _send_what_is_owed(self) -> None:
        """All frames before the end of the stream are handled: send their replies as far as there is room."""
        with contextlib.suppress(KafkaError):
            self._outbox.flush(self._channel)

    def _answers_all(self) -> bool:
        """Have the handler answer the requests that it knows; returns whether no other frame is left."""
        if self.observer is not None or self._must_wait():
            return False
        handler, turn = self._handler, self._turn
        assert handler is not None
        turn.present = self
        try:
            return self._intake.skip(handler.take_known)
        finally:
            turn.present = None

    def _handle(self, received: int) -> None:
        intake, fills = self._intake, _FILLS_PER_EVENT
        began = self._turn.monotonic()
        while received > 0 or intake.is_full:
            if fills == _FILLS_PER_EVENT or not self._answers_all():
                self._hand_over(began, is_first=fills == _FILLS_PER_EVENT)
            if not intake.is_full or received <= 0 or not fills or self._must_wait():
                break
            # A ring was filled to the brim: the rest of a large frame is likely there.
            fills -= 1
            intake.settle()
            received = intake.fill(self._channel)
        if not self.is_closed:
            intake.settle()
            self._depart()
        if received == 0:
            self._on_end_of_stream()

    def _depart(self) -> None:
        """The event is over: what is small leaves at the end of the turn, as long as nothing waits for it."""
        outbox = self._outbox
        is_small = 0 < outbox.size <= SMALL_BYTES and not self._stalled
        if is_small and outbox.is_plain:
            self._turn.soon(self._leave)
        else:
            self._flush()

    def _keep(self, received: int) -> None:
        """Receive while it is paused: so that a peer which goes away is noticed."""
        self._intake.settle()
        if received == 0:
            self._on_end_of_stream()
        elif self._intake.waiting_bytes >= _MAX_EARLY_BYTES:
            self._listen(wanted=False)

    def _handle_left_over(self) -> None:
        self._intake.open()
        if not self._answers_all():
            self._hand_over(self._turn.monotonic(), is_first=True)
        if not self.is_closed:
            self._intake.settle()
            self._flush()
        if self._ended:
            self._close_if_all_taken()

    def _hand_over(self, began: float, *, is_first: bool) -> None:
        """Give the handler all whole frames it will take, and then the end of the event.

        `is_first`: no frame has come in this event, which began then.
        """
        if self.is_closed:
            return  # What it received was too much for the memory of all.
        handler, outbox, turn = self._handler, self._outbox, self._turn
        assert handler is not None
        turn.present = self
        until = 0.0
        try:
            must_wait = self._paused or self._finishing or self._stalled
            for frame in () if must_wait else self._intake.frames():
                if is_first:
                    is_first = False
                else:
                    until = until or turn.until(began)
                    if turn.monotonic() > until or outbox.size > MAX_UNSENT_BYTES:
                        # It waits until the replies before it are out, and for other connections.
                        self._intake.put_back(frame)
                        self._stall()
                        break
                if len(frame) > LARGE_BYTES and not handler.may_take(frame):
                    self._intake.put_back(frame)
                    self._paused = True
                    break
                if self.observer is not None:
                    self.observer.received(frame)
                if not handler.on_frame(frame):
                    self._paused = True
                    break
        finally:
            # Whatever happened: the frames are views of a buffer that the next receive overwrites.
            try:
                handler.on_event_end()
            finally:
                turn.present = None

    def _stall(self) -> None:
        self._stalled = True
        self._listen(wanted=False)

    def _must_wait(self) -> bool:
        return self._paused or self._finishing or self._stalled or self.is_closed

    def _flush(self) -> None:
        if self.broken is not None:
            self._outbox.clear()
        if not self._outbox.size or self._outbox.flush(self._channel):
            if self._writing:
                self._writing = False
                self._channel.on_writable(None)
            if self._stalled:
                self._turn.later(self._on_left_over)
            if self._finishing:
                self._close_if_finished()
        elif not self.is_closed:  # It is, if its replies were too much for the memory of all.
            if not self._writing:
                self._writing = True
                self._channel.on_writable(self._on_writable)
            if self._outbox.size > MAX_UNSENT_BYTES:
                self._stall()

    def _listen(self, *, wanted: bool) -> None:
        wanted = wanted and not (self._finishing or self._ended or self.is_closed)
        if wanted != self._listening:
            self._listening = wanted
            self._channel.on_readable(self._on_readable if wanted else None, late=self._late)

    def _on_end_of_stream(self) -> None:
        self._ended = True
        self._listen(wanted=False)
        self._close_if_all_taken()
        if not self._must_wait():
            self._turn.later(self._on_left_over)

    def _on_broken(self, error: ConnectionFailed) -> None:
        # Without what led to it, whose variables keep replies.
        self.broken = ConnectionFailed(str(error))
        self._flush()
        self._on_end_of_stream()

    def _close_if_all_taken(self) -> None:
        """The peer has sent all: close, unless a whole frame or a reply waits."""
        if self._intake.has_frame or self._owing:
            return
        if self._outbox.size and not self._paused:
            self.finish()
        else:
            self.close(self.broken)

    def _close_if_finished(self) -> None:
        if not self._paused and not self._outbox.size:
            self.close()
