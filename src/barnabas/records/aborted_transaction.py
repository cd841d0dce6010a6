"""AbortedTransaction: the entry for one in logs, indexes and fetch responses."""

from typing import NamedTuple


class AbortedTransaction(NamedTuple):
    """One that was aborted: `last_offset` is its marker's, `stable_offset` is stable behind that."""

    producer_id: int
    first_offset: int
    last_offset: int
    stable_offset: int
