"""Connection: one channel joined with a handler of frames; back-pressure both ways. Knows no protocol."""

import contextlib
import logging
from collections.abc import Callable
from typing import Protocol

from barnabas.errors import ConnectionFailed, KafkaError
from barnabas.ports import Channel, Timers
from barnabas.runtime.intake import Intake
from barnabas.runtime.memory import ConnectionMemory
from barnabas.runtime.outbox import Outbox
from barnabas.wire.send import Send

log = logging.getLogger(__name__)

MAX_UNSENT_BYTES = 1024 * 1024
"""Above this a peer that does not read its replies is not read from either."""

_MAX_EARLY_BYTES = 64 * 1024
_FILLS_PER_EVENT = 4


Answer = Callable[[memoryview], bytes | None]
"""The reply to one whole frame, its size in front, that is known already; b"": it comes by `send`.

None: it is not known, nothing has been done, and it is to be handed over as any other.
"""


class FrameHandler(Protocol):
    """What a connection serves."""

    def on_frame(self, frame: memoryview) -> bool:
        """Take one frame (a view that ends with the event); False: no more until `resume`.

        Raises:
            DecodeError: the connection is closed and the reason logged.
        """
        ...

    def on_event_end(self) -> None:
        """All frames of a readiness event were handed over; replies may be sent now."""
        ...

    def on_closed(self) -> None:
        """The connection is gone; nothing else will be called."""
        ...


class Connection:
    """Receives frames for a handler and sends its replies.

    Frames wait (a) while the handler said so and did not `resume`, (b) while more than
    MAX_UNSENT_BYTES of replies are not out. While (a), up to _MAX_EARLY_BYTES are still received,
    so that a peer which goes away is noticed. What it sent before it went is handed over all the same,
    for it may have asked for no reply. Where the stream broke, replies are dropped from there on.

    Replies to an event leave when the loop's turn is over, behind those to other connections: to wake
    a peer that sleeps costs as much as to read a request, and one that has many connections, or has
    its processor from the same machine, sleeps on meanwhile instead of waking for each of them.
    """

    __slots__ = (
        "_answer", "_broken", "_channel", "_ended", "_finishing", "_handler", "_in_event", "_intake",
        "_listening", "_outbox", "_owing", "_paused", "_scratch", "_stalled", "_timers", "_writing",
        "client_id", "idle_ticks", "is_closed",
    )  # fmt: skip

    def __init__(
        self,
        channel: Channel,
        memory: ConnectionMemory,
        timers: Timers,
        *,
        max_frame_bytes: int,
    ) -> None:
        self._channel = channel
        self._intake = Intake(memory, self, max_frame_bytes)
        self._outbox = Outbox(memory)
        self._scratch = memory.receive
        self._timers = timers
        self._handler: FrameHandler | None = None
        self._paused = False
        self._owing = False
        self._answer: Answer | None = None
        self._stalled = False
        self._listening = False
        self._writing = False
        self._in_event = False
        self._finishing = False
        self._ended = False
        self._broken: ConnectionFailed | None = None
        self.is_closed = False
        self.client_id: str | None = None
        """What the client calls itself, for the log; its requests say it."""
        self.idle_ticks = 0

    @property
    def peer(self) -> str:
        """`host:port` of the other side."""
        return self._channel.peer

    def serve(self, handler: FrameHandler) -> None:
        """Begin to receive."""
        self._handler = handler
        self._listen(wanted=True)

    def send(self, send: Send | bytes) -> None:
        """Queue a reply; it leaves after the event, or now if there is none."""
        self._outbox.add(send)
        if not self._in_event:
            self._guard(self._flush)

    def pause(self) -> None:
        """Hand over no more frames until `resume`; a peer that has said all is answered before."""
        self._paused = self._owing = True

    def be_patient(self, answer: Answer | None) -> None:
        """What comes may be noticed late, together with what comes to others; None: no longer.

        `answer` is asked first, if what came may be one frame.
        """
        was_patient = self._answer is not None
        self._answer = answer
        if self._listening and was_patient != (answer is not None):
            self._listening = False
            self._listen(wanted=True)

    def guarded(self, step: Callable[[], None]) -> None:
        """Run what belongs to this connection outside its events; a failure ends it alone."""
        self._guard(step)

    def resume(self) -> None:
        """Hand over frames again, those that wait first."""
        self._paused = self._owing = False
        if self._finishing:
            self._close_if_finished()
        elif self._intake.waiting_bytes or self._ended:
            # Not from here: the scratch may hold another connection's frames.
            self._timers.soon(self._on_left_over)
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
        self._guard(self._receive_early if self._paused else self._receive)

    def _on_late(self) -> None:
        if self._paused or self._outbox.size or self._intake.held_bytes:
            self._on_readable()
        else:
            self.idle_ticks = 0
            self._guard(self._receive_known)

    def _on_writable(self) -> None:
        self.idle_ticks = 0
        self._guard(self._flush)

    def _on_turn_end(self) -> None:
        self._guard(self._flush)

    def _on_left_over(self) -> None:
        if not self.is_closed and not self._paused:
            self._guard(self._handle_left_over)

    def _guard(self, step: "_Step") -> None:
        """Run one step of this connection; whatever fails in it ends this connection alone."""
        if self.is_closed:
            return
        try:
            step()
        except ConnectionFailed as error:
            self._on_broken(error)
        except KafkaError as error:
            self._send_what_is_owed()
            self.close(error)
        except Exception:
            log.exception("connection failed", extra=self._who())
            self.close()
        finally:
            self._in_event = False

    def _send_what_is_owed(self) -> None:
        """What came before the end has been done: its replies leave, as far as there is room for them."""
        with contextlib.suppress(KafkaError):
            self._outbox.flush(self._channel)

    def _receive(self) -> None:
        self._handle(self._intake.fill(self._channel))

    def _receive_known(self) -> None:
        """Most likely it is what is always said, and the reply what always fits: the short way."""
        channel, scratch, answer = self._channel, self._scratch, self._answer
        assert answer is not None
        received = channel.receive_into(scratch)
        reply = answer(scratch[:received]) if received > 0 else None
        if reply is None:
            self._intake.put(max(received, 0))
            self._handle(received)
        elif reply and (sent := channel.send((reply,))) < len(reply):
            self.send(reply[sent:])

    def _handle(self, received: int) -> None:
        intake = self._intake
        is_full = intake.is_full
        if received > 0 or is_full:
            self._hand_over()
        if is_full:
            received = self._receive_rest(received)
        if not self.is_closed:
            intake.settle()
            if self._outbox.size and not self._outbox.has_files:
                self._timers.soon(self._on_turn_end)
            else:
                self._flush()
        if received == 0:
            self._on_end_of_stream()

    def _receive_rest(self, received: int) -> int:
        """A ring was filled to the brim: the rest of a large frame is likely there."""
        for _ in range(_FILLS_PER_EVENT):
            if not self._intake.is_full or received <= 0 or self.is_closed or self._must_wait():
                break
            self._intake.settle()
            received = self._intake.fill(self._channel)
            self._hand_over()
        return received

    def _receive_early(self) -> None:
        received = self._intake.fill(self._channel)
        self._intake.settle()
        if received == 0:
            self._on_end_of_stream()
        elif self._intake.waiting_bytes >= _MAX_EARLY_BYTES:
            self._listen(wanted=False)

    def _handle_left_over(self) -> None:
        self._intake.open()
        self._hand_over()
        if not self.is_closed:
            self._intake.settle()
            self._flush()
        if self._ended:
            self._close_if_all_taken()

    def _hand_over(self) -> None:
        """Give the handler all whole frames it will take, and then the end of the event."""
        if self.is_closed:
            return  # What it received was too much for the memory of all.
        handler = self._handler
        assert handler is not None
        self._in_event = True
        try:
            # Replies are made at the end of the event, so that nothing else stops it meanwhile.
            if not self._must_wait() and not self._intake.give(handler.on_frame):
                self._paused = True
            self._stalled = self._outbox.size > MAX_UNSENT_BYTES
        finally:
            # Whatever happened: the frames are views of a buffer that the next receive overwrites.
            handler.on_event_end()
            self._in_event = False

    def _must_wait(self) -> bool:
        return self._paused or self._finishing or self._outbox.size > MAX_UNSENT_BYTES

    def _flush(self) -> None:
        if self._broken is not None:
            self._outbox.clear()
        if not self._outbox.size or self._outbox.flush(self._channel):
            if self._writing:
                self._writing = False
                self._channel.on_writable(None)
            if self._stalled:
                self._stalled = False
                self._timers.soon(self._on_left_over)
                self._listen(wanted=True)
            if self._finishing:
                self._close_if_finished()
        else:
            if not self._writing:
                self._writing = True
                self._channel.on_writable(self._on_writable)
            if self._outbox.size > MAX_UNSENT_BYTES:
                self._stalled = True
                self._listen(wanted=False)

    def _listen(self, *, wanted: bool) -> None:
        wanted = wanted and not (self._finishing or self._ended or self.is_closed)
        if wanted != self._listening:
            self._listening = wanted
            is_patient = self._answer is not None
            reader = self._on_late if is_patient else self._on_readable
            self._channel.on_readable(reader if wanted else None, late=is_patient)

    def _on_end_of_stream(self) -> None:
        self._ended = True
        self._listen(wanted=False)
        self._close_if_all_taken()
        if not self.is_closed and not self._must_wait():
            self._timers.soon(self._on_left_over)

    def _on_broken(self, error: ConnectionFailed) -> None:
        self._broken = error
        self._flush()
        self._on_end_of_stream()

    def _close_if_all_taken(self) -> None:
        """The peer has said all: close, unless a whole frame or a reply waits."""
        if self._intake.has_frame or self._owing:
            return
        if self._outbox.size and not self._paused:
            self.finish()
        else:
            self.close(self._broken)

    def _close_if_finished(self) -> None:
        if not self._paused and not self._outbox.size:
            self.close()


class _Step(Protocol):
    def __call__(self) -> None: ...
