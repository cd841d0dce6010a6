"""Listeners of old dialects: no request holds up the clients of the others, or takes the memory."""

import pytest

from tests.hostile.attacks.attack import Attack, damage_of
from tests.hostile.attacks.old_dialects import ATTACKS, Prepare
from tests.hostile.processes import RSS_LIMIT_MB
from tests.hostile.test_attacks import WAIT_LIMIT_SECONDS
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.ready import free_ports


@pytest.mark.parametrize(
    ("dialect", "prepare"),
    [
        pytest.param(dialect, prepare, id=f"{dialect}-{name}")
        for dialect, attacks in ATTACKS.items()
        for name, prepare in attacks
    ],
)
def test_others_are_served_and_the_memory_is_bounded(dialect: str, prepare: Prepare) -> None:
    broker = OurBroker()
    (old,) = free_ports(1)
    broker.properties |= {
        "listeners": f"PLAINTEXT://:{broker.port},OLD://:{old}",
        "listener.dialect.map": f"OLD:{dialect}",
    }
    attack = Attack(prepare.__name__, prepare.__doc__ or "", lambda _: prepare(f"localhost:{old}"))
    with broker:
        damage = damage_of(attack, broker)
    assert damage.peak_mb <= RSS_LIMIT_MB, damage.report()
    assert damage.worst_wait <= WAIT_LIMIT_SECONDS, damage.report()
