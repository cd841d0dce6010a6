"""Offsets of groups, as they stand in ZooKeeper: the digits of a 64-bit number, and nothing else.

Source: seed 000 "Consumer"; Kafka 0.7.2 and 0.8 write a Long as text and read it as such.
"""

import re

_NUMBER = re.compile(rb"-?[0-9]{1,19}")
_LARGEST = 2**63 - 1


def decode_offset(data: bytes) -> int | None:
    """The offset; None if this is none. Kafka 0.7 writes -1 where it could not learn one."""
    if not _NUMBER.fullmatch(data):
        return None
    offset = int(data)
    return offset if abs(offset) <= _LARGEST else None
