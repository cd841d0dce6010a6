"""How the vectors in `conversations` were taken: clients of every generation speak to real Kafka.

`python -m tests.vectors.capture_clients` writes them anew, or those of the clients named as arguments:
Kafka 3.9 answers the clients that need a broker before 4.0, Kafka 4.3 the others. One request of each
API and version stays of a client, and the answer where no client before had one of that version.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from barnabas.protocol.api_keys import ApiKey
from tests.interop import samples
from tests.interop.brokers import InteropBroker
from tests.interop.clients.client import Finder
from tests.interop.compatibility import go, node, python, releases
from tests.interop.compatibility.peer import Peer
from tests.interop.peers import generations
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.maven import KAFKA_4, MavenPeer
from tests.interop.peers.program import Program
from tests.vectors.annotated import Frame, from_text, to_text
from tests.vectors.capture import Tap

CONVERSATIONS = Path(__file__).with_name("conversations")
PEERS = (*releases.PEERS, *python.PEERS, *go.PEERS, *node.PEERS)
LONGEST_ANSWER = 1500
_UNSUPPORTED_VERSION = (35).to_bytes(2)
_OLD = re.compile(r"^(0\.|1\.|2\.0)|for a broker of|kafka-python|aiokafka|kafkajs|kafka-node|kcat")
"""Clients that Kafka 4 refuses in something."""

_RDKAFKA = b"\0\7rdkafka"
"""The client id of librdkafka, behind API, version and number of a request."""

Conversation = tuple[bytes, bytes]


@contextmanager
def tapped(release: MavenPeer) -> Iterator[tuple[RealKafka, Tap]]:
    """Kafka whose clients are sent to a tap."""
    tap = Tap()
    properties = {"advertised.listeners": f"PLAINTEXT://127.0.0.1:{tap.port}"}
    with RealKafka(peer=release, properties=properties) as kafka:
        tap.start(kafka.port)
        try:
            yield kafka, tap
        finally:
            tap.stop()


def speak(peer: Peer, client: Finder, address: str, topic: str) -> None:
    """All that the peer can do, with few records."""
    sent = [each for each in peer.sent() if each.value is not None][:2]
    for codec in [each for each in ("none", "gzip") if each in peer.writes]:
        client.write(address, topic, sent, codec=codec)
    if peer.reads:
        client.read(address, topic, 2)
    if peer.finds_ends:
        client.ends(address, topic)
    if peer.finds_times:
        client.at_time(address, topic, samples.START_MS)
    if peer.idempotent:
        client.write(address, topic, sent, idempotent=True)
    if peer.makes_topics and isinstance(client, Program):
        client.topics(address, f"made-{peer.version}")


def frames_of_client(peer: Peer, frames: Sequence[Conversation]) -> list[Conversation]:
    """Without what librdkafka still says that the clients before this one had."""
    if peer.client.startswith(("confluent-kafka", "kcat")):
        return list(frames)
    return [each for each in frames if not each[0].startswith(_RDKAFKA, 8)]


def kept(frames: Sequence[Conversation]) -> dict[tuple[ApiKey, int], Conversation]:
    """By API and version the conversation with the largest answer of a size that one can read."""
    best: dict[tuple[ApiKey, int], Conversation] = {}
    for request, response in frames:
        key = ApiKey(int.from_bytes(request[:2])), int.from_bytes(request[2:4])
        known = best.get(key)
        if known is None or len(known[1]) < len(response) < LONGEST_ANSWER:
            best[key] = request, response
    return best


def file_of(peer: Peer) -> Path:
    """Where the conversation with a client is."""
    name = re.sub(r"[^a-z0-9.]+", "-", f"{peer.client} {peer.version}".lower()).strip("-")
    return CONVERSATIONS / f"{name}.txt"


def write_down(
    peer: Peer,
    release: MavenPeer,
    frames: Sequence[Conversation],
    answered: set[tuple[ApiKey, int]],
) -> None:
    """A file for a client; `answered` grows by the answers in it."""
    note = f"{peer.client} {peer.version}"
    parts = []
    for (key, version), (request, response) in sorted(kept(frames).items()):
        parts.append(to_text(Frame(key, "request", version, note, request)))
        # A version of ApiVersions that the broker does not know is answered in version 0 (KIP-511).
        unknown = key is ApiKey.API_VERSIONS and response[4:6] == _UNSUPPORTED_VERSION
        reported = key, 0 if unknown else version
        if reported not in answered and len(response) < LONGEST_ANSWER:
            answered.add(reported)
            answer = Frame(key, "response", reported[1], f"Kafka {release.version}", response)
            parts.append(to_text(answer))
    file_of(peer).write_text("\n".join(parts), encoding="utf-8")


def answered_without(wanted: Sequence[str]) -> set[tuple[ApiKey, int]]:
    """What is answered in the files of the other clients, where only some are taken anew."""
    others = [peer for peer in PEERS if not any(each in peer.name for each in wanted)]
    return {
        (frame.api, frame.version)
        for path in map(file_of, others)
        for frame in from_text(path.read_text(encoding="utf-8"))
        if frame.kind == "response"
    }


def main() -> None:
    CONVERSATIONS.mkdir(exist_ok=True)
    wanted = sys.argv[1:]
    answered = answered_without(wanted) if wanted else set()
    for release in (generations.KAFKA_3_9, KAFKA_4):
        with tapped(release) as (kafka, tap):
            for peer in PEERS:
                old = bool(_OLD.search(peer.version) or _OLD.search(peer.client))
                if old != (release is generations.KAFKA_3_9):
                    continue
                if wanted and not any(each in peer.name for each in wanted):
                    continue
                topic = InteropBroker(kafka).new_topic({"cleanup.policy": "delete"})
                del tap.frames[:]  # confluent-kafka made the topic
                started: AbstractContextManager[Finder] = peer.start()
                with started as client:
                    speak(peer, client, f"127.0.0.1:{tap.port}", topic)
                write_down(peer, release, frames_of_client(peer, tap.frames), answered)


if __name__ == "__main__":
    main()
