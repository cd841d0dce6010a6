"""An account for what is kept for clients, with as much room as a broker has by default."""

from barnabas.broker.purgatory.client_memory import ClientMemory
from barnabas.runtime.clock import SystemClock


def some_memory(limit_bytes: int = 64 << 20) -> ClientMemory:
    return ClientMemory(limit_bytes, SystemClock())
