"""Four generations of clients on one topic at once: each reads all that all of them wrote."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace

import pytest

from tests.interop import samples
from tests.interop.brokers import InteropBroker
from tests.interop.clients.client import Finder
from tests.interop.clients.ours import Ours
from tests.interop.compatibility import releases
from tests.interop.compatibility.peer import Peer
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.samples import Sample

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.long]

GENERATIONS = ("0.8.2.2", "0.10.2.2", "2.8.2", "4.3.0")
ROUNDS, EACH = 4, 200
CODEC = {"0.8.2.2": "snappy", "0.10.2.2": "lz4", "2.8.2": "gzip", "4.3.0": "none"}


@pytest.fixture(scope="module")
def estate() -> Iterator[dict[Peer, Finder]]:
    """The clients, all started."""
    found = [
        peer
        for peer in releases.PEERS
        if peer.version in GENERATIONS and peer.client.startswith("Java")
    ]
    assert [peer.version for peer in found] == list(GENERATIONS)
    try:
        with ExitStack() as stack:
            yield {peer: stack.enter_context(peer.start()) for peer in found}
    except PeerMissing as missing:
        give_up(missing)


def written_by(peer: Peer, which: int) -> list[Sample]:
    """What a peer writes in one of its rounds, recognised by the values."""
    mark = f"{peer.version}/{which}/".encode()
    made = samples.many(EACH, seed=which)
    return peer.seen([replace(each, value=mark + (each.value or b"")) for each in made])


@pytest.mark.parametrize("config", [{}, {"message.timestamp.type": "LogAppendTime"}], ids=str)
def test_each_reads_all_that_all_wrote(
    our_broker: OurBroker, estate: dict[Peer, Finder], config: dict[str, str]
) -> None:
    broker = InteropBroker(our_broker)
    topic, address = broker.new_topic(config), broker.bootstrap_servers

    def work(peer: Peer) -> None:
        for which in range(ROUNDS):
            codec = CODEC[peer.version] if which % 2 else "none"
            estate[peer].write(address, topic, written_by(peer, which), codec=codec)

    with ThreadPoolExecutor(len(estate)) as pool:
        for done in [pool.submit(work, peer) for peer in estate]:
            done.result()
    count = len(estate) * ROUNDS * EACH
    stored = Ours().read(address, topic, count)
    for peer in estate:
        mark = f"{peer.version}/".encode()
        wrote = [each for which in range(ROUNDS) for each in written_by(peer, which)]
        found = [each for each in stored if (each.value or b"").startswith(mark)]
        if config:
            assert all(each.timestamp > samples.START_MS for each in found)
            found, wrote = untimed(found), untimed(wrote)
        # Each writer's records, once each and in its order, whoever wrote between them.
        assert found == wrote
    for peer, client in estate.items():
        assert client.read(address, topic, count) == peer.seen(stored), peer.version
        assert client.read(address, topic, 7, start=count - 7) == peer.seen(stored[-7:])
        assert client.ends(address, topic) == (0, count)


def untimed(records: list[Sample]) -> list[Sample]:
    return [replace(each, timestamp=-1) for each in records]
