"""No client takes the broker's memory or its time from the others: see tests/hostile/attacks."""

import pytest

from tests.hostile.attacks.attack import Attack, damage_of
from tests.hostile.attacks.every_attack import ATTACKS
from tests.hostile.processes import RSS_LIMIT_MB
from tests.interop.peers.brokers.our_broker import OurBroker

WAIT_LIMIT_SECONDS = 5.0
"""Of a machine that does other things too; docs/security.md has what was measured on one at rest."""


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_others_are_served_and_the_memory_is_bounded(attack: Attack) -> None:
    with OurBroker() as broker:
        damage = damage_of(attack, broker)
    assert damage.peak_mb <= RSS_LIMIT_MB, damage.report()
    assert damage.worst_wait <= WAIT_LIMIT_SECONDS, damage.report()
