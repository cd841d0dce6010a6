"""What compaction leaves of the log of a coordinator."""

from collections.abc import Sequence

from hypothesis import strategies as st

from barnabas.coordinators.common.shard import CoordinatorRecord


def compacted(log: Sequence[CoordinatorRecord], *, keeps_removals: bool) -> list[CoordinatorRecord]:
    """Of each key the last record, in their order; none that says that something is gone, later."""
    last = {key: number for number, (key, _) in enumerate(log)}
    return [
        record
        for number, record in enumerate(log)
        if last[record.key] == number and (keeps_removals or record.value is not None)
    ]


class CompactedLog(list[CoordinatorRecord]):
    """What is there of what was written, where its beginning is compacted now and then."""

    def __init__(self) -> None:
        super().__init__()
        self._cleaned = 0
        """So many of its records are what compaction has left."""

    def compact(self, data: st.DataObject) -> None:
        """Its beginning up to somewhere: a restart does not see that."""
        end = self._end(data)
        kept = compacted(self[:end], keeps_removals=data.draw(st.booleans()))
        self[:end], self._cleaned = kept, len(kept)

    def beginning(self, data: st.DataObject) -> list[CoordinatorRecord]:
        """All up to somewhere. Where compaction has been, only the whole of it says what was."""
        return self[: self._end(data)]

    def _end(self, data: st.DataObject) -> int:
        return data.draw(st.integers(self._cleaned, len(self)))
