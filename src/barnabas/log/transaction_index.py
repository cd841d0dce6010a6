"""The .txnindex file: the aborted transactions whose markers are in a segment.

Source: KIP-98; Kafka's TransactionIndex and AbortedTxn: version int16 (0), then four int64.
"""

import struct
from collections.abc import Iterable

from barnabas.records.transactions import AbortedTransaction

_VERSION = 0
_ENTRY = struct.Struct(">hqqqq")


def encode_aborted(transactions: Iterable[AbortedTransaction]) -> bytes:
    """The bytes of an index, in the order of the markers."""
    ordered = sorted(transactions, key=lambda each: each.last_offset)
    return b"".join(_ENTRY.pack(_VERSION, *each) for each in ordered)
