"""What a client takes from outside: network, clock, chance, the loop. Real by default."""

import asyncio
from dataclasses import dataclass
from typing import Self

from barnabas.ports import Clock, Entropy, Network
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.sockets.network import LoopNetwork


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The ports of one client, all of one event loop."""

    loop: asyncio.AbstractEventLoop
    network: Network
    clock: Clock
    entropy: Entropy

    @classmethod
    def real(cls, loop: asyncio.AbstractEventLoop) -> Self:
        """The operating system's."""
        return cls(loop, LoopNetwork(loop), SystemClock(), SystemEntropy())

    @classmethod
    def here(cls, kind: str) -> Self:
        """The operating system's, on the loop that runs.

        Raises:
            RuntimeError: none does; the message says where to make a client of this `kind`.
        """
        try:
            return cls.real(asyncio.get_running_loop())
        except RuntimeError:
            raise RuntimeError(
                f"no event loop runs here: make an asyncio {kind} inside of a coroutine, as with "
                f"`async with barnabas.aio.{kind}(...)`; without asyncio there is barnabas.{kind}"
            ) from None
