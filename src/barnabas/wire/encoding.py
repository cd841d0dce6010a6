"""How lengths are encoded: the only structural difference between Kafka's encodings.

A value, not a class per language. What follows a length is the same everywhere.
"""

from typing import NamedTuple


class Encoding(NamedTuple):
    """Codes (of the struct module) for the length before a string, bytes and an array.

    Compact encodings write every length as an unsigned varint of n + 1 (0 is null) instead, and end
    every struct with its tagged fields.

    Source: KIP-482.
    """

    compact: bool = False
    string: str = "h"
    bytes: str = "i"
    array: str = "i"


CLASSIC = Encoding()
SHORT_LISTS = Encoding(array="h")
"""Of Kafka 0.7's requests for several partitions, and of the proposal of seed 001."""
FLEXIBLE = Encoding(compact=True)
