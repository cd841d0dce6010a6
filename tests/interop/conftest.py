"""The brokers of the interop tests: each started once a session, and only when a test wants it."""

from collections.abc import Iterator

import pytest

from tests.interop.brokers import InteropBroker
from tests.interop.group_members import QUICK
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.brokers.zookeeper import ZooKeeper
from tests.interop.peers.missing import PeerMissing, give_up

_DAY_MS = "86400000"
_NOT_AMID_A_TEST = {
    "offsets.retention.check.interval.ms": _DAY_MS,
    "producer.id.expiration.check.interval.ms": _DAY_MS,
}
"""When brokers look for what is over: groups with nothing left, producers whose records are old."""


@pytest.fixture(scope="session")
def real_kafka() -> Iterator[RealKafka]:
    """Apache Kafka 4.3 on loopback."""
    try:
        with RealKafka(properties=_NOT_AMID_A_TEST) as kafka:
            yield kafka
    except PeerMissing as missing:
        give_up(missing)


@pytest.fixture(scope="session")
def our_broker() -> Iterator[OurBroker]:
    """`barnabas serve` on loopback."""
    with OurBroker(properties=_NOT_AMID_A_TEST) as broker:
        yield broker


@pytest.fixture(scope="module")
def keeper() -> Iterator[ZooKeeper]:
    """A ZooKeeper of a file's own."""
    try:
        with ZooKeeper() as keeper:
            yield keeper
    except PeerMissing as missing:
        give_up(missing)


@pytest.fixture(
    params=[
        pytest.param("real_kafka", marks=pytest.mark.java, id="kafka"),
        pytest.param("our_broker", id="barnabas"),
    ]
)
def broker(request: pytest.FixtureRequest) -> InteropBroker:
    """Each broker in turn: the tests are proven on the real one and then hold ours to it."""
    return InteropBroker(request.getfixturevalue(request.param))


@pytest.fixture(scope="session")
def quick_broker() -> Iterator[OurBroker]:
    """Ours, whose groups begin at once."""
    with OurBroker(properties=QUICK | _NOT_AMID_A_TEST) as running:
        yield running


@pytest.fixture(
    params=[
        pytest.param("real_kafka", marks=pytest.mark.java, id="kafka"),
        pytest.param("quick_broker", id="barnabas"),
    ]
)
def group_broker(request: pytest.FixtureRequest) -> InteropBroker:
    """As `broker`, for what waits for groups."""
    return InteropBroker(request.getfixturevalue(request.param))
