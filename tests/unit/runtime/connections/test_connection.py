"""A connection against a scripted channel: frames in, replies out, pressure both ways."""

from struct import pack

import pytest

from barnabas.errors import DecodeError
from barnabas.runtime.connections.connection import MAX_UNSENT_BYTES, Connection
from barnabas.runtime.connections.loop_turn import TURN_SECONDS
from barnabas.runtime.connections.memory import SEND_BYTES, ConnectionMemory
from barnabas.wire.send import FileSlice
from tests.unit.runtime.scripted_channel import ScriptedChannel
from tests.unit.runtime.served import MEGABYTE, Echo, Served, a_send, framed


def test_replies_leave_when_all_events_of_a_turn_were_handled() -> None:
    served = Served()
    channel = ScriptedChannel()
    Echo(Connection(channel, served.memory, served.turn, max_frame_bytes=1000))
    channel.arrive(framed(b"first"), framed(b"second"))
    assert not channel.sent
    served.channel.arrive(framed(b"of another"))
    assert channel.sent == framed(b"first") + framed(b"second")
    assert served.channel.sent == framed(b"of another")


def test_what_was_answered_leaves_though_the_connection_ends_in_that_turn() -> None:
    served = Served()
    channel = ScriptedChannel()
    one = Connection(channel, served.memory, served.turn, max_frame_bytes=1000)
    Echo(one)
    channel.arrive(framed(b"whole") + framed(b"begun")[:-2])
    assert not channel.sent
    one.evict()
    assert channel.closed
    assert channel.sent == framed(b"whole")


def test_who_takes_nothing_of_a_reply_that_is_too_much_for_all_is_asked_nothing_more() -> None:
    served = Served()
    served.memory.unread.limit_bytes = 2 * MEGABYTE
    served.channel.room = 0
    served.channel.arrive(framed(b"x" * 3 * MEGABYTE))
    assert served.connection.is_closed
    assert served.channel.closed
    assert served.channel.writable is None


@pytest.mark.parametrize("cut", [1, 3, 7, 1000, 10_000_000])
def test_frames_are_the_same_however_the_bytes_are_cut(cut: int) -> None:
    served = Served()
    bodies = [b"a", b"", b"x" * 5000, b"y" * 300_000, b"last"]
    stream = b"".join(map(framed, bodies))
    if cut < 100:
        bodies, stream = bodies[:3], b"".join(map(framed, bodies[:3]))
    served.channel.arrive(*(stream[at : at + cut] for at in range(0, len(stream), cut)))
    assert served.echo.frames == bodies
    assert served.channel.sent == stream
    assert served.memory.held_bytes == 0


def test_all_frames_of_an_event_are_answered_in_one_send() -> None:
    served = Served()
    served.channel.arrive(framed(b"one") + framed(b"two") + framed(b"three"))
    assert served.echo.events == 1
    assert served.channel.calls == ["send"]


def test_a_parked_frame_holds_back_the_later_ones_until_resumed() -> None:
    served = Served()
    served.channel.arrive(framed(b"park") + framed(b"later"))
    served.channel.arrive(framed(b"latest"))
    assert served.echo.frames == [b"park"]
    served.connection.resume()
    assert served.echo.frames == [b"park"]
    served.timers.run_soon()
    assert served.echo.frames == [b"park", b"later", b"latest"]


def test_a_peer_that_leaves_while_parked_is_noticed() -> None:
    served = Served()
    served.channel.arrive(framed(b"park"))
    served.channel.end()
    assert served.echo.closed


def test_what_a_peer_sent_before_it_left_is_handed_over() -> None:
    served = Served()
    served.channel.arrive(b"".join(map(framed, [b"park", b"second", b"park", b"third"])) + b"\0")
    served.channel.end()
    served.connection.resume()
    served.timers.run_soon()
    assert served.echo.frames == [b"park", b"second", b"park"]
    served.connection.resume()
    served.timers.run_soon()
    assert served.echo.frames == [b"park", b"second", b"park", b"third"]
    assert served.connection.is_closed
    assert served.echo.closed


def test_the_end_of_the_stream_does_not_overtake_what_waits_for_the_next_turn() -> None:
    served = Served()
    served.channel.arrive(framed(b"park") + framed(b"second"))
    served.connection.resume()
    served.channel.end()
    served.timers.run_soon()
    assert served.echo.frames == [b"park", b"second"]
    assert served.connection.is_closed


def test_a_peer_that_has_sent_all_gets_the_answer_that_is_owed() -> None:
    served = Served()
    served.connection.pause()
    served.channel.end()
    served.connection.send(b"stored")
    served.connection.resume()
    served.timers.run_soon()
    assert served.channel.sent == b"stored"
    assert served.connection.is_closed


def test_a_buffer_full_of_frames_that_wait_is_no_end_of_the_stream() -> None:
    served = Served()
    waiting = framed(b"x" * 1020) * 200
    served.channel.arrive(framed(b"park") + waiting, waiting)
    served.connection.resume()
    served.channel.let_arrive()
    served.timers.run_soon()
    served.channel.let_arrive()
    assert len(served.echo.frames) == 401
    assert not served.connection.is_closed


def test_what_a_peer_sent_before_its_stream_broke_is_handed_over() -> None:
    served = Served()
    served.channel.arrive(b"".join(map(framed, [b"park", b"second", b"park", b"third"])))
    served.channel.break_off()
    assert not served.echo.closed
    assert served.connection.broken is not None
    # The variables of what it passed through are replies.
    assert served.connection.broken.__traceback__ is None
    for _ in range(2):
        served.connection.resume()
        served.timers.run_soon()
    assert served.echo.frames == [b"park", b"second", b"park", b"third"]
    assert served.echo.closed


def test_a_peer_that_does_not_read_is_not_read_from() -> None:
    served = Served()
    served.channel.room = 0
    body = b"z" * (MAX_UNSENT_BYTES // 4)
    for _ in range(5):
        served.channel.arrive(framed(body))
    handled = len(served.echo.frames)
    served.channel.arrive(framed(b"held back"))
    assert served.channel.readable is None
    assert len(served.echo.frames) == handled
    served.channel.drain(None)
    served.timers.run_soon()
    served.channel.let_arrive()
    assert served.echo.frames[-1] == b"held back"


def test_frames_behind_large_replies_wait_until_these_are_out() -> None:
    served = Served()
    served.echo.work = lambda: served.connection.send(bytes(MAX_UNSENT_BYTES // 2 + 1))
    served.channel.room = 0
    served.channel.arrive(framed(b"one") * 5)
    assert served.echo.frames == [b"one"] * 2
    assert served.channel.readable is None
    served.channel.drain(None)
    served.timers.run_soon()
    assert served.echo.frames == [b"one"] * 5
    assert served.channel.readable is not None


class Slow:
    """A connection of `served`'s loop each of whose frames takes so many seconds."""

    def __init__(self, served: Served, seconds: float) -> None:
        self.channel = ScriptedChannel()
        self.echo = Echo(Connection(self.channel, served.memory, served.turn, max_frame_bytes=1000))
        self.echo.work = lambda: served.timers.advance(seconds)


def test_an_event_that_takes_long_goes_on_behind_other_connections() -> None:
    served = Served()
    one, other = Slow(served, 0.6 * TURN_SECONDS), Slow(served, 0)
    one.channel.arrive(framed(b"many") * 7)
    assert one.echo.frames == [b"many"] * 2
    assert one.channel.sent == framed(b"many") * 2
    assert one.channel.readable is None
    other.channel.arrive(framed(b"of another"))
    assert other.echo.frames == [b"of another"]
    served.timers.run_turn()
    assert other.channel.sent == framed(b"of another")
    assert one.echo.frames == [b"many"] * 4
    served.timers.run_turn()
    assert one.echo.frames == [b"many"] * 6
    served.timers.run_soon()
    assert one.channel.sent == framed(b"many") * 7
    assert one.channel.readable is not None


def test_who_leaves_while_frames_wait_for_a_later_turn_is_served_to_the_end() -> None:
    served = Served()
    one = Slow(served, 2 * TURN_SECONDS)
    one.channel.arrive(framed(b"a") * 3)
    one.channel.end()
    served.timers.run_turn()
    assert one.channel.readable is None
    assert not one.echo.closed
    served.timers.run_soon()
    assert one.channel.sent == framed(b"a") * 3
    one.channel.end()
    assert one.echo.closed


def test_half_sent_replies_go_on_where_they_stopped() -> None:
    served = Served()
    served.channel.room = 5
    served.channel.arrive(framed(b"hello") + framed(b"world"))
    for _ in range(10):
        served.channel.drain(3)
    assert served.channel.sent == framed(b"hello") + framed(b"world")
    assert served.channel.writable is None


@pytest.mark.parametrize("size", [-1, 8 * MEGABYTE + 1, 2**31 - 1])
def test_an_impossible_size_closes_and_says_why(
    size: int, caplog: pytest.LogCaptureFixture
) -> None:
    served = Served()
    served.channel.arrive(framed(b"fine") + pack(">i", size) + b"rest")
    assert served.echo.frames == [b"fine"]
    assert served.channel.closed
    assert served.echo.closed
    assert str(size) in str(caplog.records[-1].__dict__["reason"])


def test_a_refused_frame_closes_this_connection_alone() -> None:
    memory = ConnectionMemory(MEGABYTE)
    one, other = Served(memory=memory), Served(memory=memory)
    one.channel.arrive(framed(b"fail"))
    other.channel.arrive(framed(b"still here"))
    assert one.channel.closed
    assert other.echo.frames == [b"still here"]


class BytesFile:
    """A file that is a bytes."""

    path = "/bytes"

    def __init__(self, data: bytes) -> None:
        self.data = data

    def fileno(self) -> int:
        return -1

    def size(self) -> int:
        return len(self.data)

    def read(self, position: int, count: int) -> bytes:
        return self.data[position : position + count]

    def read_into(self, position: int, target: memoryview) -> int:
        found = self.read(position, len(target))
        target[: len(found)] = found
        return len(found)

    def write(self, position: int, buffers: object) -> None:
        raise NotImplementedError

    def truncate(self, size: int) -> None:
        raise NotImplementedError

    def sync(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


@pytest.mark.parametrize("room", [None, 1000, 70_000])
def test_file_regions_keep_their_place_between_buffers(room: int | None) -> None:
    served = Served()
    file = BytesFile(bytes(range(256)) * 6000)
    large = FileSlice(file, 100, SEND_BYTES + 1)
    small = FileSlice(file, 5, 70_000)
    served.channel.room = room
    served.connection.send(a_send(b"head", small, b"middle", large, b"tail"))
    while served.channel.writable is not None:
        served.channel.drain(room)
    expected = b"head" + file.read(5, 70_000) + b"middle" + file.read(100, SEND_BYTES + 1) + b"tail"
    assert served.channel.sent == expected
    assert served.channel.calls[0] == "send more"
    assert "send_file" in served.channel.calls


def test_an_answer_of_a_megabyte_leaves_in_one_call() -> None:
    served = Served()
    file = BytesFile(bytes(range(256)) * 4096)
    served.connection.send(a_send(b"head", FileSlice(file, 0, 1 << 20)))
    assert served.channel.calls == ["send"]
    assert served.channel.sent == b"head" + file.data


def test_what_a_slow_peer_left_of_a_large_region_is_not_read_again() -> None:
    served = Served()
    file = BytesFile(bytes(range(256)) * 4096)
    served.channel.room = 1000
    served.connection.send(a_send(b"head", FileSlice(file, 0, 1 << 20)))
    served.channel.drain(None)
    assert served.channel.calls == ["send", "send_file"]
    assert served.channel.sent == b"head" + file.data


def test_a_file_that_became_shorter_ends_the_connection() -> None:
    served = Served()
    served.connection.send(a_send(FileSlice(BytesFile(b"short"), 0, 10)))
    assert served.channel.closed


def test_finish_sends_what_is_queued_then_closes() -> None:
    served = Served()
    served.channel.room = 0
    served.channel.arrive(framed(b"question"))
    served.connection.finish()
    assert not served.channel.closed
    served.channel.drain(None)
    assert served.channel.sent == framed(b"question")
    assert served.channel.closed


def late(served: Served) -> bool:
    return served.channel.late


def listens(served: Served) -> bool:
    return served.channel.readable is not None


def test_who_may_be_noticed_late_stays_so_through_a_pause() -> None:
    served = Served()
    assert not late(served)
    served.connection.listen_late(late=True)
    assert late(served)
    served.channel.arrive(framed(b"park"), b"x" * 64 * 1024)
    assert not listens(served)
    served.connection.resume()
    assert listens(served)
    assert late(served)
    served.connection.listen_late(late=False)
    assert not late(served)


def test_who_is_finishing_does_not_begin_to_listen() -> None:
    served = Served()
    served.channel.arrive(framed(b"park"))
    served.connection.finish()
    served.connection.listen_late(late=True)
    assert not listens(served)


KNOWN = framed(b"known")


@pytest.mark.parametrize(
    ("chunks", "frames"),
    [
        ([KNOWN, KNOWN], []),
        ([KNOWN + KNOWN], []),
        ([KNOWN + framed(b"other")], [b"other"]),
        ([framed(b"other") + KNOWN], [b"other", b"known"]),
        ([KNOWN[:2], KNOWN[2:]], []),
        ([KNOWN + b"\0\0", b"\0\1x"], [b"x"]),
    ],
)
def test_what_is_known_is_answered_until_something_else_comes(
    chunks: list[bytes], frames: list[bytes]
) -> None:
    served = Served()
    served.channel.arrive(*chunks)
    assert served.echo.frames == frames
    known = b"".join(chunks).count(KNOWN) - frames.count(b"known")
    assert served.channel.sent == b"as ever" * known + b"".join(map(framed, frames))
    assert served.memory.held_bytes == 0


def test_the_response_to_what_is_known_may_not_fit_and_keeps_its_place() -> None:
    served = Served()
    served.channel.room = 2
    served.channel.arrive(KNOWN, framed(b"other"), KNOWN)
    assert served.channel.sent == b"as"
    served.channel.drain(None)
    assert served.channel.sent == b"as ever" + framed(b"other") + b"as ever"


def test_what_is_known_waits_as_all_else_while_it_must() -> None:
    served = Served()
    served.channel.arrive(framed(b"park"))
    served.channel.arrive(KNOWN)
    assert served.channel.sent == framed(b"park")
    served.connection.resume()
    served.timers.run_soon()
    assert served.channel.sent == framed(b"park") + b"as ever"


def test_what_fails_in_a_known_frame_ends_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    served = Served()

    def fail(*_: object) -> int:
        raise DecodeError("a heartbeat", 0, "a good one")

    monkeypatch.setattr(served.echo, "take_known", fail)
    served.channel.arrive(KNOWN)
    assert served.channel.closed


def test_what_another_event_brings_about_leaves_at_the_end_of_the_turn() -> None:
    served, channel = Served(), ScriptedChannel()
    other = Connection(channel, served.memory, served.turn, max_frame_bytes=1000)
    Echo(other)
    served.turn.present = served.connection
    other.send(framed(b"small"))
    assert not channel.sent
    served.timers.run_soon()
    assert channel.sent == framed(b"small")
    other.send(a_send(framed(b"in parts")))
    assert channel.sent == framed(b"small") + framed(b"in parts")
    served.turn.present = None
    other.send(framed(b"in no event"))
    assert channel.sent.endswith(b"in no event")
