"""What large frames take: as much as arrived while that is little, and nothing when they were handled."""

from struct import pack

from barnabas.runtime.connections.memory import SMALL_RING_BYTES, ConnectionMemory
from tests.unit.runtime.served import MEGABYTE, Served, framed


def test_half_frames_cost_what_arrived_not_what_they_claim() -> None:
    memory = ConnectionMemory(64 * MEGABYTE)
    senders = [Served(memory=memory) for _ in range(200)]
    for sender in senders:
        sender.channel.arrive(pack(">i", 8 * MEGABYTE) + b"x" * 1000)
    assert memory.held_bytes == 200 * 1004
    senders[0].channel.arrive(b"y" * 200_000, b"y" * 200_000)
    assert memory.held_bytes < 200 * 1004 + 2 * 401_004 + 128 * 1024


def test_over_the_limit_the_longest_stalled_frame_goes() -> None:
    memory = ConnectionMemory(300_000)
    stalled, active = Served(memory=memory), Served(memory=memory)
    stalled.channel.arrive(pack(">i", 4 * MEGABYTE) + b"x" * 100_000)
    large = framed(b"z" * 230_000)
    active.channel.arrive(large[:100_000])
    active.channel.arrive(large[100_000:200_000], large[200_000:])
    assert stalled.channel.closed
    assert active.echo.frames == [large[4:]]
    assert memory.held_bytes == 0


def test_who_is_alone_over_the_limit_is_handed_nothing_more() -> None:
    served = Served(limit=300_000)
    served.channel.arrive(pack(">i", 4 * MEGABYTE) + b"x" * 200_000)
    events = served.echo.events
    served.channel.arrive(b"x" * 200_000)
    assert served.echo.closed
    assert served.echo.events == events + 1


def test_a_large_frame_takes_what_it_needs_and_gives_it_back_though_more_came_behind_it() -> None:
    memory = ConnectionMemory(64 * MEGABYTE)
    served = Served(memory=memory)
    large = framed(b"x" * (5 * MEGABYTE))
    served.channel.arrive(large[: MEGABYTE // 2])
    assert memory.held_bytes <= MEGABYTE
    served.channel.arrive(large[MEGABYTE // 2 : 4 * MEGABYTE])
    assert memory.held_bytes == len(large)
    served.channel.arrive(large[4 * MEGABYTE :] + large[:1000])
    assert served.echo.frames == [large[4:]]
    assert memory.held_bytes <= SMALL_RING_BYTES
    served.channel.arrive(large[1000:])
    assert served.echo.frames == [large[4:]] * 2
    assert memory.held_bytes == 0


def test_large_frames_reuse_their_ring() -> None:
    served = Served()
    stream = b"".join(framed(bytes([n]) * MEGABYTE) for n in range(4))
    served.channel.arrive(stream)
    assert [frame[:1] for frame in served.echo.frames] == [b"\0", b"\1", b"\2", b"\3"]
    assert served.memory.held_bytes == 0
