"""Everything that is not deterministic, as protocols: clock, randomness, disk, network, registry.

`runtime` implements them for production; tests and the simulator have their own.
"""

from barnabas.ports.clock import Clock, Entropy
from barnabas.ports.disk import Disk, File, Sync, Work, Worker
from barnabas.ports.network import Channel, Listener, Network, Timer, Timers
from barnabas.ports.registry import Registry, SharedRegistry

__all__ = [
    "Channel",
    "Clock",
    "Disk",
    "Entropy",
    "File",
    "Listener",
    "Network",
    "Registry",
    "SharedRegistry",
    "Sync",
    "Timer",
    "Timers",
    "Work",
    "Worker",
]
