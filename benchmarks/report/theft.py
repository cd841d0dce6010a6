"""Theft: the time that a virtual machine's host gave to others while it was wanted here.

The kernel charges much of it to the process that ran just then, so that figures measured under theft
are too high, on both sides and not evenly.
"""

from pathlib import Path

STAT = Path("/proc/stat")
# user nice system idle iowait irq softirq steal; what follows is in the first two already.
TIMES, STEAL = slice(1, 9), 7


class Theft:
    """From its making on."""

    def __init__(self) -> None:
        self._from = _times()

    def __str__(self) -> str:
        """Percent of the time of all processors."""
        passed = [now - then for now, then in zip(_times(), self._from, strict=True)]
        return f"{100 * passed[STEAL] / max(sum(passed), 1):.0f} %" if passed else "unknown"


def _times() -> list[int]:
    """Of all processors, in ticks; empty where the kernel does not tell."""
    if not STAT.exists():
        return []
    return [int(one) for one in STAT.read_text().split("\n", 1)[0].split()[TIMES]]
