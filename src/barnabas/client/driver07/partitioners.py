"""Choose the partition of a message with a key. Pure."""

from collections.abc import Callable

from barnabas.kernels.columns import partitioning as kernel

Partitioner = Callable[[object, int], int]
"""From a key and the number of partitions on all brokers to one of them, in their sorted order."""

_SIGN = 0x8000_0000


def by_java_hash(key: object, count: int) -> int:
    """Like Kafka 0.7's producer: the hash of Java's String. Bytes are read as UTF-8.

    One hash in four billion has no positive counterpart; Kafka 0.7 fails there, this returns 0.
    """
    text = key.decode("utf-8", "replace") if isinstance(key, bytes | bytearray) else str(key)
    return abs(java_hash(text)) % _SIGN % count


def java_hash(text: str) -> int:
    """Java's String.hashCode."""
    value = kernel.java_hash(text.encode("utf-16-be", "surrogatepass"))
    return value - 2 * _SIGN if value & _SIGN else value
