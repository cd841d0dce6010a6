"""Attacks by one well-formed request that is as large as a request may be, or costs as much."""

import struct
from collections.abc import Callable
from contextlib import ExitStack

from tests.hostile.attacks.attack import Attack, Strike, Target
from tests.interop.raw import Raw, framed, header

_ANSWER_SECONDS = 120.0
_MOST = 200_000
"""About as many names as the memory of one request has room for."""


def _asks(frame: Callable[[], bytes], connections: int = 1) -> Callable[[Target], Strike]:
    """Send one request on each connection, and wait until all are answered or refused."""

    def prepare(broker: Target) -> Strike:
        sent = frame()

        def strike(attackers: ExitStack) -> None:
            address = broker.bootstrap_servers
            asking = [
                attackers.enter_context(Raw(address, _ANSWER_SECONDS)) for _ in range(connections)
            ]
            for attacker in asking:
                attacker.send(sent)
            for attacker in asking:
                attacker.ask(b"")

        return strike

    return prepare


def _name(number: int) -> bytes:
    return struct.pack(">h", 7) + b"n%06d" % number


def _many_topics() -> bytes:
    """Metadata 4 of topics that cannot be made, with leave to make them."""
    names = b"".join(struct.pack(">h", 7) + b"n#%05d" % number for number in range(_MOST // 2))
    return framed(header(3, 4) + struct.pack(">i", _MOST // 2) + names + b"\1")


def _millions_of_topics() -> bytes:
    """Metadata 1 of two million names, which take more memory than a request may."""
    names = b"".join(map(_name, range(1_000_000)))
    return framed(header(3, 1) + struct.pack(">i", 2_000_000) + 2 * names)


def _wide_names() -> bytes:
    """DescribeGroups 0 of names in which every character takes four bytes of memory."""
    name = "\U0001f600".encode() + b"x" * 32_000
    groups = (struct.pack(">h", len(name)) + name) * 2500
    return framed(header(15, 0) + struct.pack(">i", 2500) + groups)


def _markers() -> bytes:
    """WriteTxnMarkers 0 of one producer for partitions that are not there."""
    indexes = struct.pack(f">{_MOST}i", *range(_MOST))
    topic = struct.pack(">h", 1) + b"t" + struct.pack(">i", _MOST) + indexes
    marker = struct.pack(">qhb", 1, 0, 1) + struct.pack(">i", 1) + topic + struct.pack(">i", 0)
    return framed(header(27, 0) + struct.pack(">i", 1) + marker)


def _quotas() -> bytes:
    """AlterClientQuotas 0 of 5,000 addresses, each of which is made durable."""
    entries = []
    for number in range(5000):
        address = b"10.0.%d.%d" % divmod(number, 250)
        part = struct.pack(">h", 2) + b"ip" + struct.pack(">h", len(address)) + address
        key = b"connection_creation_rate"
        change = struct.pack(">h", len(key)) + key + struct.pack(">db", 100.0, 0)
        entries.append(struct.pack(">i", 1) + part + struct.pack(">i", 1) + change)
    return framed(header(49, 0) + struct.pack(">i", len(entries)) + b"".join(entries) + b"\0")


def _groups() -> bytes:
    """DeleteGroups 0 of groups that are not there."""
    return framed(header(42, 0) + struct.pack(">i", _MOST) + b"".join(map(_name, range(_MOST))))


def _offsets() -> bytes:
    """OffsetFetch 1 of one group, for partitions that are not there."""
    indexes = struct.pack(f">{_MOST}i", *range(_MOST))
    topic = struct.pack(">h", 1) + b"t" + struct.pack(">i", _MOST) + indexes
    return framed(header(9, 1) + struct.pack(">h", 1) + b"g" + struct.pack(">i", 1) + topic)


ATTACKS = (
    Attack(
        "topics-unasked", "Metadata for 100,000 topics that cannot be made", _asks(_many_topics)
    ),
    Attack("topics", "Metadata for 2,000,000 topics (18 MB)", _asks(_millions_of_topics)),
    Attack("wide-names", "DescribeGroups of 2,500 names of 32 KB (80 MB)", _asks(_wide_names)),
    Attack("markers", "WriteTxnMarkers for 200,000 partitions", _asks(_markers)),
    Attack("quotas", "AlterClientQuotas of 5,000 addresses", _asks(_quotas)),
    Attack("groups", "DeleteGroups of 200,000 groups", _asks(_groups)),
    Attack("offsets", "OffsetFetch of 200,000 partitions", _asks(_offsets)),
    Attack("offsets-together", "the same on 20 connections", _asks(_offsets, 20)),
)
