"""Extract TCP segments from captured packets: strip link and IP headers.

Sources: RFC 791, 8200, 9293; the list of link types of tcpdump.
"""

import struct
from ipaddress import ip_address
from typing import NamedTuple

from barnabas.lens.capture.pcap import Packet
from barnabas.types import bracketed

SYN, FIN, ACK = 2, 1, 16

_TCP = 6
_IPV4, _IPV6 = 0x0800, 0x86DD
_VLANS = frozenset({0x8100, 0x88A8})
_TYPE_AT = {1: 12, 113: 14, 276: 0}
"""The position of the payload type: Ethernet, both kinds of Linux cooked capture."""
_HEAD_SIZE = {1: 14, 113: 16, 276: 20}
_RAW = frozenset({12, 14, 101, 228, 229})
_LOOPBACK = frozenset({0, 108})
_EXTENSIONS = frozenset({0, 43, 60})


class TcpSegment(NamedTuple):
    """One TCP segment. Source and target are `host:port`."""

    time_ns: int
    source: str
    target: str
    sequence: int
    flags: int
    data: bytes


def segment_of(packet: Packet) -> TcpSegment | None:
    """Return the segment in a packet; None without one, or if its headers are truncated."""
    data = _network(packet)
    if not data:
        return None
    if data[0] >> 4 == 4:
        if len(data) < 20:
            return None
        head, end = (data[0] & 15) * 4, int.from_bytes(data[2:4], "big")
        # Captured before the network card filled it in, the length may be 0.
        protocol, rest = data[9], data[head : end or len(data)]
        source, target = data[12:16], data[16:20]
        if int.from_bytes(data[6:8], "big") & 0x1FFF:
            return None
    else:
        if len(data) < 40:
            return None
        protocol, source, target = data[6], data[8:24], data[24:40]
        rest = data[40 : 40 + (int.from_bytes(data[4:6], "big") or len(data))]
        while protocol in _EXTENSIONS and len(rest) >= 8:
            protocol, rest = rest[0], rest[8 + rest[1] * 8 :]
    if protocol != _TCP or len(rest) < 20:
        return None
    source_port, target_port, sequence = struct.unpack_from(">HHI", rest)
    return TcpSegment(
        packet.time_ns,
        _address(source, source_port),
        _address(target, target_port),
        sequence,
        rest[13],
        rest[(rest[12] >> 4) * 4 :],
    )


def segment_packet(segment: TcpSegment) -> bytes:
    """Build an IP packet around a segment, with numeric addresses; checksums stay 0."""
    (source, source_port), (target, target_port) = _parts(segment.source), _parts(segment.target)
    tcp = struct.pack(
        ">HHIIBBHHH",
        source_port,
        target_port,
        segment.sequence,
        0,
        0x50,
        segment.flags,
        65535,
        0,
        0,
    )
    rest = tcp + segment.data
    if len(source) == len(target) == 4:
        size = 20 + len(rest)
        head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, size, 0, 0, 64, _TCP, 0, source, target)
    else:
        wide = [
            bytes(10) + b"\xff\xff" + each if len(each) == 4 else each for each in (source, target)
        ]
        head = struct.pack(">IHBB16s16s", 6 << 28, len(rest), _TCP, 64, *wide)
    return head + rest


def _network(packet: Packet) -> bytes:
    """The payload of the link header, if it is IP."""
    data, link = packet.data, packet.link
    if link in _LOOPBACK:
        data = data[4:]
    elif link in _TYPE_AT:
        at, head = _TYPE_AT[link], _HEAD_SIZE[link]
        kind = int.from_bytes(data[at : at + 2], "big")
        data = data[head:]
        while kind in _VLANS:
            kind, data = int.from_bytes(data[2:4], "big"), data[4:]
        if kind not in (_IPV4, _IPV6):
            return b""
    elif link not in _RAW:
        return b""
    return data if data and data[0] >> 4 in (4, 6) else b""


def _address(host: bytes, port: int) -> str:
    return f"{bracketed(str(ip_address(host)))}:{port}"


def _parts(address: str) -> tuple[bytes, int]:
    host, _, port = address.rpartition(":")
    return ip_address(host.strip("[]")).packed, int(port)
