"""What attackers send, and how."""

import struct
import time
from collections.abc import Sequence
from contextlib import ExitStack

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import RequestHeader, encode_request
from barnabas.wire.schema import declaration_of
from tests.hostile.attacks.attack import Strike, Target
from tests.interop.raw import Raw, framed, header, produce_7, produce_7_code
from tests.record_batches import make_batch

MEGABYTE = 1 << 20
_HELD_SECONDS = 2.0


def frame_of(message: object, version: int) -> bytes:
    """A request as a frame."""
    key = ApiKey(declaration_of(type(message)).key or 0)
    return encode_request(RequestHeader(key, version, 1, "attacker"), message).joined()


def fetch(
    topic: str,
    version: int,
    partitions: Sequence[int],
    wait_ms: int = 0,
    min_bytes: int = 1,
    *,
    committed_only: bool = False,
) -> bytes:
    """A Fetch request of version 0 to 4, as a frame, from the start of each partition."""
    name = topic.encode()
    body = struct.pack(">iii", -1, wait_ms, min_bytes)
    body += struct.pack(">i", 50 * MEGABYTE) if version >= 3 else b""
    body += struct.pack(">b", committed_only) if version >= 4 else b""
    body += struct.pack(">ih", 1, len(name)) + name + struct.pack(">i", len(partitions))
    parts = (struct.pack(">iqi", index, 0, MEGABYTE) for index in partitions)
    return framed(header(1, version) + body + b"".join(parts))


def produced(broker: Target, topic: str, size: int = 0, partition: int = 0) -> float:
    """Append a record of so many bytes; the seconds it took."""
    batch = bytes(make_batch(1, size=size))
    with Raw(broker.bootstrap_servers) as connection:
        begun = time.monotonic()
        answer = connection.ask(produce_7(topic, batch, partition=partition))
        seconds = time.monotonic() - begun
    assert answer is not None
    assert produce_7_code(topic, answer) == 0
    return seconds


def unread(broker: Target, frames: bytes, connections: int = 1) -> Strike:
    """Send the same on each connection, read nothing, and stay for a while."""

    def strike(attackers: ExitStack) -> None:
        for _ in range(connections):
            attacker = attackers.enter_context(Raw(broker.bootstrap_servers))
            attacker.send_what_fits(frames, 1.0 if connections == 1 else 0.01)
        time.sleep(_HELD_SECONDS)

    return strike
