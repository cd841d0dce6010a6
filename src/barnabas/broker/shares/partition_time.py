"""SharePartitionTime: what share partitions need of a broker to wait and to limit themselves."""

from typing import NamedTuple

from barnabas.broker.purgatory.client_memory import ClientMemory
from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.purgatory.stepping import Stepping
from barnabas.ports import Clock, Timers


class SharePartitionTime(NamedTuple):
    """Waiting requests, the clock, timers, the memory limit of clients, and long work."""

    purgatory: Purgatory
    clock: Clock
    timers: Timers
    memory: ClientMemory
    stepping: Stepping
