"""What compaction leaves of the log of a coordinator."""

from collections.abc import Sequence

from barnabas.coordinators.shard import CoordinatorRecord


def compacted(log: Sequence[CoordinatorRecord], *, keeps_removals: bool) -> list[CoordinatorRecord]:
    """Of each key the last record, in their order; none that says that something is gone, later."""
    last = {key: number for number, (key, _) in enumerate(log)}
    return [
        record
        for number, record in enumerate(log)
        if last[record.key] == number and (keeps_removals or record.value is not None)
    ]
