"""Read packets from pcap and pcapng files, and write pcap. Does not parse the packets.

This takes a page; a dependency would be needed for it alone. Sources: the Internet drafts
draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from barnabas.errors import DecodeError

RAW_LINK = 101
"""The link type of packets that start with their IP header."""

FILE_HEAD = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 0x40000, RAW_LINK)
"""The header of a pcap file of such packets, with times in microseconds."""

_PCAP = {
    b"\xd4\xc3\xb2\xa1": ("<", 1_000),
    b"\xa1\xb2\xc3\xd4": (">", 1_000),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
    b"\xa1\xb2\x3c\x4d": (">", 1),
}
"""By the first bytes: byte order, and nanoseconds per unit of time."""
_PCAPNG = b"\x0a\x0d\x0d\x0a"
_LITTLE = b"\x4d\x3c\x2b\x1a"
_SECTION, _INTERFACE, _SIMPLE, _ENHANCED = 0x0A0D0D0A, 1, 3, 6
_RESOLUTION = 9
_NS = 10**9


class Packet(NamedTuple):
    """One captured packet, possibly truncated; `time_ns` since the epoch."""

    time_ns: int
    link: int
    data: bytes


def is_capture(data: bytes) -> bool:
    """Whether bytes start like a pcap or pcapng file."""
    return data[:4] in _PCAP or data[:4] == _PCAPNG


def packets(data: bytes) -> Iterator[Packet]:
    """Yield the packets of a file; a truncated last one is ignored.

    Raises:
        DecodeError: not such a file.
    """
    if data[:4] == _PCAPNG:
        return _pcapng(data)
    if data[:4] in _PCAP:
        return _pcap(data)
    raise DecodeError("capture", 0, "a pcap or pcapng file")


def packet_bytes(time_ns: int, data: bytes) -> bytes:
    """A packet as stored in the file that FILE_HEAD starts."""
    seconds, rest = divmod(time_ns, _NS)
    return struct.pack("<IIII", seconds, rest // 1_000, len(data), len(data)) + data


def _pcap(data: bytes) -> Iterator[Packet]:
    order, unit = _PCAP[data[:4]]
    if len(data) < 24:
        return
    (link,) = struct.unpack_from(order + "I", data, 20)
    position = 24
    while len(data) - position >= 16:
        seconds, rest, size, _ = struct.unpack_from(order + "IIII", data, position)
        position += 16
        if size > len(data) - position:
            return
        time_ns = seconds * _NS + rest * unit
        yield Packet(time_ns, link & 0xFFFF, data[position : position + size])
        position += size


def _pcapng(data: bytes) -> Iterator[Packet]:
    """Parse blocks: each has its type, size, body and its size again."""
    order = "<"
    links: list[tuple[int, int]] = []
    position = 0
    while len(data) - position >= 12:
        if data[position : position + 4] == _PCAPNG:
            order = "<" if data[position + 8 : position + 12] == _LITTLE else ">"
            links = []
        kind, size = struct.unpack_from(order + "II", data, position)
        if size < 12 or size > len(data) - position:
            return
        body = data[position + 8 : position + size - 4]
        position += size
        if kind == _INTERFACE and len(body) >= 8:
            links.append((struct.unpack_from(order + "H", body)[0], _resolution(order, body)))
        elif kind == _ENHANCED and len(body) >= 20:
            interface, high, low, captured = struct.unpack_from(order + "IIII", body)
            if interface < len(links):
                link, per_second = links[interface]
                time_ns = ((high << 32) + low) * _NS // per_second
                yield Packet(time_ns, link, body[20 : 20 + captured])
        elif kind == _SIMPLE and links and len(body) >= 4:
            yield Packet(0, links[0][0], body[4:])


def _resolution(order: str, body: bytes) -> int:
    """Units of time per second, from the options of an interface."""
    position = 8
    while len(body) - position >= 4:
        code, size = struct.unpack_from(order + "HH", body, position)
        if code == _RESOLUTION and size == 1 and position + 4 < len(body):
            power = body[position + 4]
            return 1 << (power & 0x7F) if power & 0x80 else 10**power
        if code == 0:
            break
        position += 4 + (size + 3) // 4 * 4
    return 10**6
