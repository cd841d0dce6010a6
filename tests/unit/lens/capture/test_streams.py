"""Captures: packets of each kind, and streams out of segments that arrive as they like."""

import struct
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from barnabas.lens.capture.pcap import FILE_HEAD, Packet, is_capture, packet_bytes, packets
from barnabas.lens.capture.segments import ACK, SYN, TcpSegment, segment_of, segment_packet
from barnabas.lens.capture.streams import StreamChunk, Streams

CLIENT, BROKER = "10.0.0.1:50000", "10.0.0.2:9092"
START = 2**32 - 5
"""So that sequence numbers wrap."""


def segment(sequence: int, data: bytes, *, flags: int = ACK, back: bool = False) -> TcpSegment:
    source, target = (BROKER, CLIENT) if back else (CLIENT, BROKER)
    return TcpSegment(1, source, target, sequence % 2**32, flags, data)


def described(segments: list[TcpSegment]) -> list[StreamChunk]:
    return list(Streams(lambda data: data.startswith(b"request")).chunks(segments))


def reported(chunks: list[StreamChunk], *, from_client: bool = True) -> bytes:
    return b"".join(chunk.data for chunk in chunks if chunk.from_client == from_client)


def test_segments_in_any_order_and_twice() -> None:
    pieces = [(0, b"abc"), (3, b"defgh"), (8, b"ij"), (3, b"def"), (2, b"cdefg")]
    for order in permutations(pieces):
        segments = [segment(START - 1, b"", flags=SYN)]
        segments += [segment(START + at, data) for at, data in order]
        chunks = described(segments)
        assert reported(chunks) == b"abcdefghij"
        assert not any(chunk.lost for chunk in chunks)


def test_bytes_that_never_came_are_reported() -> None:
    chunks = described([
        segment(START - 1, b"", flags=SYN), segment(START, b"abc"), segment(START + 7, b"hij"),
    ])  # fmt: skip
    assert [(chunk.data, chunk.lost) for chunk in chunks] == [(b"abc", 0), (b"hij", 4)]


def test_the_client_is_recognised_by_syn_by_its_words_or_by_its_port() -> None:
    opened = described([segment(9, b"", flags=SYN, back=True), segment(10, b"x", back=True)])
    assert [chunk.client for chunk in opened] == [BROKER]
    spoken = described([segment(0, b"request", back=True), segment(0, b"answer")])
    assert [(chunk.client, chunk.from_client) for chunk in spoken] == [
        (BROKER, True), (BROKER, False),
    ]  # fmt: skip
    guessed = described([segment(0, b"answer", back=True)])
    assert [(chunk.client, chunk.from_client) for chunk in guessed] == [(CLIENT, False)]


def test_the_same_ports_again_are_another_connection() -> None:
    once = [segment(0, b"", flags=SYN), segment(1, b"a")]
    assert [chunk.connection for chunk in described(once + once)] == [1, 2]


def test_what_we_write_we_read() -> None:
    for client in (CLIENT, "[::1]:50000"):
        sent = TcpSegment(1_000, client, BROKER, 7, ACK, b"data")
        data = FILE_HEAD + packet_bytes(1_000, segment_packet(sent))
        assert is_capture(data)
        (packet,) = packets(data)
        found = segment_of(packet)
        assert found is not None
        assert (found.time_ns, found.sequence, found.flags, found.data) == (1_000, 7, ACK, b"data")
        assert found.source.endswith(":50000")
        assert found.source in (client, CLIENT)


def ip_packet() -> bytes:
    return segment_packet(segment(7, b"data"))


def test_link_types() -> None:
    tagged = bytes(12) + b"\x81\x00\x00\x05\x08\x00"
    for link, head in (
        (1, bytes(12) + b"\x08\x00"),
        (1, tagged),
        (0, b"\x02\0\0\0"),
        (101, b""),
        (113, bytes(14) + b"\x08\x00"),
        (276, b"\x08\x00" + bytes(18)),
    ):
        found = segment_of(Packet(0, link, head + ip_packet()))
        assert found is not None
        assert (found.source, found.data) == (CLIENT, b"data")
    assert segment_of(Packet(0, 1, bytes(14) + ip_packet())) is None
    assert segment_of(Packet(0, 99, ip_packet())) is None


def test_pcapng() -> None:
    def block(kind: int, body: bytes) -> bytes:
        body += bytes(-len(body) % 4)
        size = struct.pack("<I", 12 + len(body))
        return struct.pack("<I", kind) + size + body + size

    section = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    nano = struct.pack("<HHB3x", 9, 1, 9) + bytes(4)
    interface = block(1, struct.pack("<HHI", 101, 0, 0) + nano)
    data = ip_packet()
    packet = block(6, struct.pack("<IIIII", 0, 0, 1234, len(data), len(data)) + data)
    file = section + interface + block(5, bytes(8)) + packet
    assert is_capture(file)
    assert list(packets(file)) == [Packet(1234, 101, data)]
    assert list(packets(file[:-1])) == []


@given(noise=st.binary(max_size=200), head=st.sampled_from([FILE_HEAD, b"\x0a\x0d\x0d\x0a", b""]))
def test_noise_is_no_segment_and_no_crash(noise: bytes, head: bytes) -> None:
    data = head + noise
    for link in (0, 1, 101, 113, 276):
        segment_of(Packet(0, link, noise))
    if is_capture(data):
        list(Streams(lambda _: False).chunks(filter(None, map(segment_of, packets(data)))))
