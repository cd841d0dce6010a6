"""A connection against a scripted channel, served by an echo."""

from collections.abc import Callable
from struct import pack

from barnabas.errors import DecodeError
from barnabas.runtime.connections.connection import Connection
from barnabas.runtime.connections.loop_turn import LoopTurn
from barnabas.runtime.connections.memory import ConnectionMemory
from barnabas.wire.send import FileSlice, Send
from tests.unit.runtime.manual_timers import ManualTimers
from tests.unit.runtime.scripted_channel import ScriptedChannel

MEGABYTE = 1024 * 1024


def framed(body: bytes) -> bytes:
    return pack(">i", len(body)) + body


def a_send(*parts: bytes | FileSlice) -> Send:
    send = Send()
    for part in parts:
        send.add(part)
    return send


class Echo:
    """Answers each frame with itself at the end of the event; can park on a word, and knows one."""

    def __init__(self, connection: Connection, *, park_on: bytes = b"never") -> None:
        self.connection = connection
        self.work: Callable[[], None] = lambda: None
        self.park_on = park_on
        self.frames: list[bytes] = []
        self.events = 0
        self.closed = False
        self._views: list[memoryview] = []
        connection.serve(self)

    def take_known(self, received: memoryview, start: int, end: int) -> int:
        while bytes(received[start:end]).startswith(framed(b"known")):
            self.connection.send(b"as ever")
            start += len(framed(b"known"))
        return start

    def on_frame(self, frame: memoryview) -> bool:
        if bytes(frame) == b"fail":
            raise DecodeError("api key", 0, "a known one")
        self._views.append(frame)
        self.work()
        return bytes(frame) != self.park_on

    def may_take(self, frame: memoryview) -> bool:
        return True

    def on_event_end(self) -> None:
        self.events += 1
        for view in self._views:
            # Only now: all frames of an event must still be what they were.
            self.frames.append(bytes(view))
            self.connection.send(a_send(framed(bytes(view))))
        self._views.clear()

    def on_closed(self) -> None:
        self.closed = True


class Served:
    """A connection with everything around it."""

    def __init__(self, limit: int = 64 * MEGABYTE, memory: ConnectionMemory | None = None) -> None:
        self.timers = ManualTimers()
        self.channel = ScriptedChannel(self.timers.run_soon)
        self.memory = memory or ConnectionMemory(limit)
        self.turn = LoopTurn(self.timers, lambda: self.timers.now)
        self.connection = Connection(
            self.channel, self.memory, self.turn, max_frame_bytes=8 * MEGABYTE
        )
        self.echo = Echo(self.connection, park_on=b"park")
