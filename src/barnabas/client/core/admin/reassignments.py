"""Where replicas are moved, as plain values (KIP-455)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PartitionReassignment:
    """One partition that is being moved; broker ids, the preferred leader first.

    `replicas`: all that it has now, with those that it gets (`adding`) and loses (`removing`).
    """

    replicas: tuple[int, ...]
    adding: tuple[int, ...]
    removing: tuple[int, ...]
