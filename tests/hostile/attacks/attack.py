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


class Attack(NamedTuple):
    """`prepare` makes topics and frames, and returns what attacks.

    That is called with a stack, which closes the attackers' connections when the attack is over.
    `sent` is for the table: what comes, from how many connections.
    """

    name: str
    sent: str
    prepare: Callable[[Target], Callable[[ExitStack], None]]


class Damage(NamedTuple):
    """Memory in MB: before, at most, and some time after the attackers have gone."""

    before_mb: float
    peak_mb: float
    kept_mb: float
    other: OtherClient

    def report(self) -> str:
        """All of it as one line, for the message of an assertion."""
        memory = f"RSS {self.before_mb:.0f} -> {self.peak_mb:.0f} MB, kept {self.kept_mb:.0f} MB"
        return f"{memory}; {self.other.report()}"


def damage_of(attack: Attack, broker: Target) -> Damage:
    """Attack, and measure."""
    strike = attack.prepare(broker)
    other = OtherClient(broker)
    before = resident_mb(broker, "VmRSS")
    with other, ExitStack() as attackers:
        strike(attackers)
    time.sleep(_SETTLE_SECONDS)
    return Damage(before, resident_mb(broker), resident_mb(broker, "VmRSS"), other)
