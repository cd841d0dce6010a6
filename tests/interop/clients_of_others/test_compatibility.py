"""Every client on our broker: what it writes, others read, and it reads what others write."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.interop import samples
from tests.interop.brokers import InteropBroker
from tests.interop.clients.client import Finder
from tests.interop.clients.ours import Ours
from tests.interop.compatibility import go, node, python, releases
from tests.interop.compatibility.notes import FAILS, WORKS, Notes
from tests.interop.compatibility.peer import Peer
from tests.interop.peers.java_client import java_client
from tests.interop.peers.maven import KAFKA_4
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.peers.program import Program
from tests.interop.samples import Sample
from tests.interop.stored_log import stored_batches
from tests.interop.tapped import TappedBroker

pytestmark = [pytest.mark.interop, pytest.mark.java]

PEERS = (*releases.PEERS, *python.PEERS, *go.PEERS, *node.PEERS)
Noted = Callable[[str], AbstractContextManager[None]]


@pytest.fixture(scope="module")
def tapped() -> Iterator[TappedBroker]:
    with TappedBroker() as broker:
        yield broker


@pytest.fixture(scope="module")
def broker(tapped: TappedBroker) -> InteropBroker:
    return InteropBroker(tapped)


@pytest.fixture(scope="module")
def notes() -> Iterator[Notes]:
    """Written where BARNABAS_COMPATIBILITY says, if it does."""
    kept = Notes()
    yield kept
    path = os.environ.get("BARNABAS_COMPATIBILITY")
    if path:
        kept.write(Path(path), PEERS)


@pytest.fixture(scope="module")
def judge() -> Iterator[Program]:
    """The reference client of today, the second opinion beside our own."""
    try:
        verbs = {"write": "WriteByProducer", "read": "ReadByConsumer"}
        with java_client(KAFKA_4, verbs) as client:
            yield client
    except PeerMissing as missing:
        give_up(missing)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(peer, id=peer.name, marks=() if peer.in_ci else pytest.mark.long)
        for peer in PEERS
    ],
)
def peer(request: pytest.FixtureRequest) -> Peer:
    found: Peer = request.param
    return found


@pytest.fixture(scope="module")
def client(peer: Peer) -> Iterator[Finder]:
    """The peer, started."""
    try:
        with peer.start() as started:
            yield started
    except PeerMissing as missing:
        give_up(missing)


@pytest.fixture
def noted(tapped: TappedBroker, notes: Notes, peer: Peer) -> Noted:
    """Keeps what came of a scenario, and what the peer asked in it."""

    @contextmanager
    def note(scenario: str) -> Iterator[None]:
        tapped.tap.take()
        try:
            yield
        except BaseException:
            notes.add(peer, scenario, FAILS, tapped.tap.take())
            raise
        notes.add(peer, scenario, WORKS, tapped.tap.take())

    return note


def untimed(records: list[Sample]) -> list[Sample]:
    return [replace(each, timestamp=-1) for each in records]


def test_all_that_it_writes_is_read_by_others(
    tapped: TappedBroker, broker: InteropBroker, peer: Peer, client: Finder, judge: Program,
    noted: Noted,
) -> None:  # fmt: skip
    sent = peer.sent()
    for codec in peer.writes:
        topic = broker.new_topic()
        with noted(f"write {codec}"):
            offsets = client.write(tapped.tapped, topic, sent, codec=codec)
            assert offsets == (list(range(len(sent))) if peer.tells_offsets else [])
            stored = {batch.codec for batch in stored_batches(broker.data_dir, topic)}
            assert stored == {samples.CODECS[codec]}
            expected = peer.seen(sent)
            for reader in (Ours(), judge):
                found = reader.read(broker.bootstrap_servers, topic, len(sent))
                same = found == expected if peer.sets_times else untimed(found) == untimed(expected)
                assert same, reader.name


def test_it_reads_all_that_others_write(
    tapped: TappedBroker, broker: InteropBroker, peer: Peer, client: Finder, judge: Program,
    noted: Noted,
) -> None:  # fmt: skip
    written = samples.awkward() + samples.many(300)
    for codec in peer.reads:
        topic = broker.new_topic()
        judge.write(broker.bootstrap_servers, topic, written, codec=codec)
        expected = peer.seen(written)
        with noted(f"read {codec}"):
            found = client.read(tapped.tapped, topic, len(written))
            assert found == expected
            # From the middle of a batch.
            found = client.read(tapped.tapped, topic, len(written) - 123, start=123)
            assert found == expected[123:]


def test_it_finds_both_ends(
    tapped: TappedBroker, broker: InteropBroker, peer: Peer, client: Finder, noted: Noted
) -> None:
    if not peer.finds_ends:
        pytest.skip("no such call")
    topic = broker.new_topic()
    Ours().write(broker.bootstrap_servers, topic, samples.many(100))
    with noted("ends"):
        assert client.ends(tapped.tapped, topic) == (0, 100)


def test_it_finds_offsets_by_time(
    tapped: TappedBroker, broker: InteropBroker, peer: Peer, client: Finder, noted: Noted
) -> None:
    if not peer.finds_times:
        pytest.skip("no such call")
    topic = broker.new_topic()
    Ours().write(broker.bootstrap_servers, topic, samples.many(100))
    with noted("times"):
        assert client.at_time(tapped.tapped, topic, samples.START_MS + 40) == 40


def test_it_writes_with_sequence_numbers(
    tapped: TappedBroker, broker: InteropBroker, peer: Peer, client: Finder, noted: Noted
) -> None:
    if not peer.idempotent:
        pytest.skip("no such producer")
    topic, sent = broker.new_topic(), peer.sent()
    with noted("idempotent"):
        client.write(tapped.tapped, topic, sent, idempotent=True)
        assert all(one.producer_id >= 0 for one in stored_batches(broker.data_dir, topic))
        assert Ours().read(broker.bootstrap_servers, topic, len(sent)) == sent


def test_it_makes_describes_and_removes_topics(
    tapped: TappedBroker, peer: Peer, client: Finder, noted: Noted
) -> None:
    if not peer.makes_topics:
        pytest.skip("no such calls")
    assert isinstance(client, Program)
    with noted("topics"):
        given = client.topics(tapped.tapped, f"made-by-{peer.version}")
        assert given == ["3", "86400000", "true", "false"]
