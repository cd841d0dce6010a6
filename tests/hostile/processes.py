"""What a broker's process has used so far, as the system counts it."""

import os
from pathlib import Path
from typing import Protocol

RSS_LIMIT_MB = 150.0
"""What our broker may hold at most, whatever it is sent."""


class Process(Protocol):
    """Whoever has a process."""

    @property
    def pid(self) -> int:
        """Its number."""
        ...


def resident_mb(broker: Process, which: str = "VmHWM") -> float:
    """The most memory the broker ever held, or what it holds now (VmRSS), MB."""
    text = Path(f"/proc/{broker.pid}/status").read_text()
    return float(text.split(f"{which}:")[1].split()[0]) / 1000


def cpu_seconds(broker: Process) -> float:
    """What the broker used of the processor so far."""
    fields = Path(f"/proc/{broker.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
