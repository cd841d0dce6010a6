"""How the vectors of versions that no client would choose by itself were taken.

`python -m tests.vectors.capture_versions` writes them, after those of `capture_clients`. Real Kafka
answers, and a relay tells the clients in its place that it knows each API up to a certain version
only: so they choose that one. What `conversations` has from clients whose ApiVersions was not changed, stays
out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.metadata import version as installed
from typing import NamedTuple

from kafka import KafkaAdminClient, TopicPartition

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import ApiVersionsResponse
from barnabas.protocol.headers import decode_response, encode_response
from tests.interop import samples
from tests.interop.brokers import InteropBroker
from tests.interop.clients.confluent import Confluent
from tests.interop.compatibility import go
from tests.interop.peers import generations
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.go_client import go_client
from tests.interop.peers.maven import KAFKA_4, MavenPeer
from tests.interop.peers.program import Program, ProgramFailed
from tests.vectors.annotated import Frame, from_text, to_text
from tests.vectors.capture import Tap
from tests.vectors.capture_clients import CONVERSATIONS, LONGEST_ANSWER, Conversation, kept

BY_FRANZ = {
    ApiKey.PRODUCE: 13,
    ApiKey.FETCH: 18,
    ApiKey.LIST_OFFSETS: 11,
    ApiKey.METADATA: 13,
}
OF_TOPICS = {ApiKey.CREATE_TOPICS: 7, ApiKey.DELETE_TOPICS: 6, ApiKey.DESCRIBE_CONFIGS: 4}
OF_EPOCHS = {ApiKey.OFFSET_FOR_LEADER_EPOCH: 4}
BY_KAFKA_PYTHON = {ApiKey.DELETE_RECORDS: 2}
"""The last version of each API: what is offered goes up to it step by step."""
SUFFIX = "-offered-less.txt"


class OfferingTap(Tap):
    """A relay that tells of no version above `offered`."""

    def __init__(self) -> None:
        super().__init__()
        self.offered: Mapping[int, int] = {}

    def changed_response(self, request: bytes, response: bytes) -> bytes:
        """An answer to ApiVersions with less in it."""
        version = int.from_bytes(request[2:4])
        if request[:2] != ApiKey.API_VERSIONS.to_bytes(2) or response[4:6] != bytes(2):
            return response
        correlation, reported = decode_response(ApiKey.API_VERSIONS, version, response)
        assert isinstance(reported, ApiVersionsResponse)
        for each in reported.api_keys:
            last = self.offered.get(each.api_key, each.max_version)
            each.max_version = max(each.min_version, min(each.max_version, last))
        return encode_response(ApiKey.API_VERSIONS, version, correlation, reported).joined()[4:]


def with_kafka_python(address: str, topic: str) -> None:
    """Delete a record."""
    Confluent().write(address, topic, samples.many(2))
    admin = KafkaAdminClient(bootstrap_servers=address)
    admin.delete_records({TopicPartition(topic, 0): 1})
    admin.close()


def with_franz(program: Program, address: str, topic: str) -> None:
    """Write, read and look offsets up."""
    program.write(address, topic, samples.many(2))
    program.read(address, topic, 2)
    program.ends(address, topic)
    with suppress(ProgramFailed):  # version 0 of ListOffsets tells no times
        program.at_time(address, topic, samples.START_MS)


def topics_with_franz(program: Program, address: str, topic: str) -> None:
    """Make a topic, look at it, remove it."""
    program.topics(address, f"made-{topic}")


def epochs_with_franz(program: Program, address: str, topic: str) -> None:
    """Ask where the first leader's epoch ends."""
    program.write(address, topic, samples.many(2))
    program.epoch(address, topic, 0)


class Speaker(NamedTuple):
    """A client, what it does with an empty topic, and the last versions that it is offered."""

    name: str
    speak: Callable[[str, str], None]
    offered: Mapping[ApiKey, int]


def converse(release: MavenPeer, speakers: Sequence[Speaker], first: int) -> dict[str, list[Frame]]:
    """What each client and Kafka sent while up to `first` was offered, then one more and so on."""
    tap = OfferingTap()
    properties = {"advertised.listeners": f"PLAINTEXT://127.0.0.1:{tap.port}"}
    found: dict[str, list[Frame]] = {one.name: [] for one in speakers}
    with RealKafka(peer=release, properties=properties) as kafka:
        broker = InteropBroker(kafka)
        tap.start(kafka.port)
        for one in speakers:
            for last in range(first, max(one.offered.values()) + 1):
                tap.offered = {key: min(last, newest) for key, newest in one.offered.items()}
                topic = broker.new_topic()
                del tap.frames[:]
                one.speak(f"127.0.0.1:{tap.port}", topic)
                found[one.name] += _frames(one, release, list(tap.frames))
        tap.stop()
    return found


def _frames(
    speaker: Speaker, release: MavenPeer, reported: Sequence[Conversation]
) -> Iterator[Frame]:
    for (key, version), (asked, answer) in sorted(kept(reported).items()):
        if key in speaker.offered:
            yield Frame(key, "request", version, f"{speaker.name}, offered no more", asked)
            if len(answer) < LONGEST_ANSWER:
                yield Frame(key, "response", version, f"Kafka {release.version}", answer)


def main() -> None:
    for path in CONVERSATIONS.glob(f"*{SUFFIX}"):
        path.unlink()
    known = {
        (frame.api, frame.kind, frame.version)
        for path in CONVERSATIONS.glob("*.txt")
        for frame in from_text(path.read_text(encoding="utf-8"))
    }
    franz = next(peer for peer in go.PEERS if peer.client == "franz-go")
    parts: dict[str, list[Frame]] = {}
    with go_client("franz") as program:
        speakers = (
            Speaker(f"franz-go {franz.version}", partial(with_franz, program), BY_FRANZ),
            Speaker(f"franz-go {franz.version}", partial(topics_with_franz, program), OF_TOPICS),
            Speaker(f"franz-go {franz.version}", partial(epochs_with_franz, program), OF_EPOCHS),
            Speaker(
                f"kafka-python {installed('kafka-python')}", with_kafka_python, BY_KAFKA_PYTHON
            ),
        )
        # Kafka 4.3 says that it knows Produce 0 to 2, and closes the connection.
        for release, first in ((generations.KAFKA_3_9, 0), (KAFKA_4, 10)):
            for name, frames in converse(release, speakers, first).items():
                for frame in frames:
                    place = frame.api, frame.kind, frame.version
                    if place not in known:
                        known.add(place)
                        parts.setdefault(name, []).append(frame)
    for name, frames in parts.items():
        path = CONVERSATIONS / f"{name.replace(' ', '-')}{SUFFIX}"
        path.write_text("\n".join(map(to_text, frames)), encoding="utf-8")


if __name__ == "__main__":
    main()
