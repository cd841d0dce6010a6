"""The environment of a client: network, clock, randomness, event loop. The system's by default."""

import asyncio
from dataclasses import dataclass
from typing import Self

from barnabas.ports import Clock, Entropy, Network
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.sockets.network import LoopNetwork


@dataclass(frozen=True, slots=True)
class ClientEnvironment:
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
        """The operating system's, on the running loop.

        Raises:
            RuntimeError: no loop is running; the message says where to create a client of this `kind`.
        """
        try:
            return cls.real(asyncio.get_running_loop())
        except RuntimeError:
            raise RuntimeError(
                f"no event loop is running: create an asyncio {kind} inside a coroutine, as with "
                f"`async with barnabas.aio.{kind}(...)`; without asyncio use barnabas.{kind}"
            ) from None
