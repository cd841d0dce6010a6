"""Keys and values of control records: ends of transactions, and records of the quorum's leader."""

from barnabas.lens.walks.walk import Walk
from barnabas.lens.walks.words import sentence_of
from barnabas.protocol.internal.control_records import ControlRecordTypeSchema, EndTxnMarker

_TYPES = {
    0: "abort", 1: "commit", 2: "leader change", 3: "snapshot header", 4: "snapshot footer",
    5: "KRaft version", 6: "voters",
}  # fmt: skip
"""Source: KIP-98, KIP-595, KIP-630, KIP-853."""


def control_key(walk: Walk, path: str) -> None:
    """Read version and type."""
    if walk.left < 4:
        walk.fault(path, f"4 bytes, a version and a type, expected, {walk.left} left")
        return
    walk.number("h", f"{path}.version")
    at = walk.position
    kind = walk.number("h", f"{path}.type", sentence_of(ControlRecordTypeSchema))
    words = _TYPES.get(kind)
    if words is None:
        walk.fault(f"{path}.type", f"a type from 0 to 6 expected, not {kind}", at)
    else:
        walk.parts[-1] = walk.parts[-1]._replace(meaning=words)


def control_value(walk: Walk, path: str) -> None:
    """Read a marker's version and coordinator epoch; other types stay bytes."""
    if walk.left == 6:
        walk.number("h", f"{path}.version")
        walk.number("i", f"{path}.coordinator_epoch", sentence_of(EndTxnMarker))
        return
    walk.rest(path, "what the record of this type holds")
