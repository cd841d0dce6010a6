"""An attack on a running broker, whoever made it, and what it did to the broker and to another client."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import NamedTuple, Protocol

from tests.hostile.other_client import OtherClient
from tests.hostile.processes import resident_mb
from tests.interop.brokers import Running

_SETTLE_SECONDS = 1.5
"""After the attackers have gone: a broker may clean up at its next look."""


class Target(Running, Protocol):
    """A broker in a process of its own."""

    @property
    def pid(self) -> int:
        """Its process."""
        ...


Strike = Callable[[ExitStack], float | None]
"""The attack itself. The stack closes the attackers' connections when it is over.

Returns how many seconds a request took that had to be answered, if it sent one.
"""


class Attack(NamedTuple):
    """`prepare` makes topics and frames; `sent` is for the table: what comes, on how many connections."""

    name: str
    sent: str
    prepare: Callable[[Target], Strike]


class Damage(NamedTuple):
    """Memory in MB: before, at most, and some time after the attackers have gone."""

    before_mb: float
    peak_mb: float
    kept_mb: float
    other: OtherClient
    own_wait: float

    @property
    def worst_wait(self) -> float:
        """In seconds, of another client or of a request that is part of the attack."""
        return max(self.other.worst_wait, self.own_wait)

    def report(self) -> str:
        """All of it as one line, for the message of an assertion."""
        memory = f"RSS {self.before_mb:.0f} -> {self.peak_mb:.0f} MB, kept {self.kept_mb:.0f} MB"
        return f"{memory}; {self.other.report()}; in the attack {self.own_wait:.3f} s"


def damage_of(attack: Attack, broker: Target) -> Damage:
    """Attack, and measure."""
    strike = attack.prepare(broker)
    other = OtherClient(broker)
    before = resident_mb(broker, "VmRSS")
    with other, ExitStack() as attackers:
        own_wait = strike(attackers) or 0.0
    time.sleep(_SETTLE_SECONDS)
    return Damage(before, resident_mb(broker), resident_mb(broker, "VmRSS"), other, own_wait)
