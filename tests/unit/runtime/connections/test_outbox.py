"""Replies that peers do not read: their memory together is bounded, and connections that read are spared."""

from typing import cast

import pytest

from barnabas.ports import File
from barnabas.runtime.connections import memory as runtime_memory
from barnabas.runtime.connections.memory import ConnectionMemory, HeldMemory
from barnabas.runtime.connections.outbox import Outbox
from barnabas.wire.send import FileSlice, Send
from tests.unit.runtime.scripted_channel import ScriptedChannel

KILOBYTE = 1024
REPLY = bytes(100 * KILOBYTE)


class Peer:
    """Reads as much as a test lets it; its connection closes when it is evicted."""

    def __init__(self, memory: ConnectionMemory) -> None:
        self.channel = ScriptedChannel()
        self.channel.room = 0
        self.evicted = False
        self.outbox = Outbox(memory, self.evict)

    def evict(self) -> None:
        self.evicted = True
        self.outbox.clear()

    def gets(self, reply: Send | bytes) -> None:
        self.outbox.add(reply)
        self.outbox.flush(self.channel)

    def reads(self, size: int) -> None:
        self.channel.room = size
        self.outbox.flush(self.channel)


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> ConnectionMemory:
    monkeypatch.setattr(runtime_memory, "UNREAD_BYTES", 350 * KILOBYTE)
    return ConnectionMemory(1)


def test_of_those_that_read_nothing_the_first_goes(memory: ConnectionMemory) -> None:
    peers = [Peer(memory) for _ in range(5)]
    for peer in peers:
        peer.gets(REPLY)
    assert [peer.evicted for peer in peers] == [True, True, False, False, False]
    assert memory.unread.held_bytes <= memory.unread.limit_bytes


def test_who_reads_is_spared_and_who_reads_byte_by_byte_is_not(memory: ConnectionMemory) -> None:
    reading, dawdling, _ = peers = [Peer(memory) for _ in range(3)]
    for peer in peers:
        peer.gets(REPLY)
    reading.reads(70 * KILOBYTE)
    for _ in range(10):
        dawdling.reads(1)
    for _ in range(2):
        Peer(memory).gets(REPLY)
    assert [peer.evicted for peer in peers] == [False, True, True]


def test_more_replies_are_no_progress(memory: ConnectionMemory) -> None:
    one, other = Peer(memory), Peer(memory)
    one.gets(REPLY)
    other.gets(REPLY)
    one.gets(REPLY)
    Peer(memory).gets(REPLY)
    assert (one.evicted, other.evicted) == (True, False)


def test_what_is_left_of_a_reply_keeps_all_of_it_until_it_is_out(memory: ConnectionMemory) -> None:
    peer = Peer(memory)
    peer.gets(REPLY)
    whole = memory.unread.held_bytes
    peer.reads(99 * KILOBYTE)
    assert memory.unread.held_bytes == whole >= len(REPLY)
    peer.reads(KILOBYTE)
    assert memory.unread.held_bytes == 0


def test_regions_of_files_take_no_memory(memory: ConnectionMemory) -> None:
    peer = Peer(memory)
    send = Send(b"head")
    send.add(FileSlice(cast("File", None), 0, 1 << 30))
    peer.outbox.add(send)
    peer.outbox._count()
    assert memory.unread.held_bytes < KILOBYTE


def test_a_connection_that_closes_gives_back_what_it_held(memory: ConnectionMemory) -> None:
    peer = Peer(memory)
    peer.gets(REPLY)
    peer.outbox.clear()
    assert memory.unread.held_bytes == 0


def test_a_holder_without_progress_keeps_its_place() -> None:
    evicted: list[str] = []

    class Named:
        def __init__(self, name: str) -> None:
            self.name = name

        def evict(self) -> None:
            evicted.append(self.name)

    held = HeldMemory(10)
    one, two = Named("one"), Named("two")
    held.hold(one, 4)
    held.hold(two, 4)
    held.hold(one, 5, progress=False)
    held.hold(Named("three"), 4)
    assert evicted == ["one"]
    assert held.held_bytes == 8


def test_one_large_frame_fits_beside_others_that_are_bounded() -> None:
    evicted: list[str] = []

    class Named:
        def __init__(self, name: str) -> None:
            self.name = name

        def evict(self) -> None:
            evicted.append(self.name)

    held = HeldMemory(40, largest_bytes=100)
    held.hold(Named("large"), 90)
    for number in range(4):
        held.hold(Named(f"small {number}"), 3)
    # It has made no progress for longest; without it all others fit.
    assert evicted == ["large"]
    large = Named("large")
    held.hold(large, 90)
    held.hold(Named("small 4"), 3)
    assert evicted == ["large", "small 0", "small 1"]
    assert held.held_bytes == 90 + 3 * 3
    held.hold(large, 111)
    assert evicted[3:] == ["small 2", "small 3", "small 4", "large"]
