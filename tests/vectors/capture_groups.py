"""How the vectors of groups and transactions were taken.

`python -m tests.vectors.capture_groups` writes them, in some ten minutes. Real Kafka answers, and the
relay of `capture_versions` offers its clients one version after another of what groups and
transactions are asked in. Each version is kept once, from the first client that spoke it.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.metadata import version as installed
from itertools import product
from typing import NamedTuple

from confluent_kafka import Consumer as ConfluentConsumer
from confluent_kafka import KafkaException, ShareConsumer
from confluent_kafka.admin import AdminClient
from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from kafka.errors import KafkaError

from barnabas import Producer
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import read_request_header
from tests.interop.brokers import InteropBroker
from tests.interop.compatibility import go
from tests.interop.peers import generations
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.go_client import go_client
from tests.interop.peers.maven import KAFKA_4, KAFKA_STREAMS, MavenPeer
from tests.interop.peers.program import Program, ProgramFailed
from tests.vectors.annotated import Frame, to_text
from tests.vectors.arrival import ASIDE, RECORDS, Arrival
from tests.vectors.capture_clients import CONVERSATIONS, LONGEST_ANSWER, Conversation, kept
from tests.vectors.capture_versions import OfferingTap
from tests.vectors.tool_speakers import consumers, sharers, streams, transactions

SUFFIX = "-in-groups.txt"
CLASSIC = (
    *(ApiKey.FIND_COORDINATOR, ApiKey.JOIN_GROUP, ApiKey.SYNC_GROUP, ApiKey.HEARTBEAT),
    *(ApiKey.LEAVE_GROUP, ApiKey.OFFSET_COMMIT, ApiKey.OFFSET_FETCH, ApiKey.OFFSET_DELETE),
    *(ApiKey.DESCRIBE_GROUPS, ApiKey.LIST_GROUPS, ApiKey.DELETE_GROUPS),
)
TRANSACTIONS = (
    *(ApiKey.INIT_PRODUCER_ID, ApiKey.ADD_PARTITIONS_TO_TXN, ApiKey.ADD_OFFSETS_TO_TXN),
    *(ApiKey.TXN_OFFSET_COMMIT, ApiKey.END_TXN),
)
OF_HANGING = (
    *(ApiKey.LIST_TRANSACTIONS, ApiKey.DESCRIBE_TRANSACTIONS),
    *(ApiKey.DESCRIBE_PRODUCERS, ApiKey.WRITE_TXN_MARKERS),
)
CONSUMER = (ApiKey.CONSUMER_GROUP_HEARTBEAT, ApiKey.CONSUMER_GROUP_DESCRIBE)
SHARE = (
    *(ApiKey.SHARE_GROUP_HEARTBEAT, ApiKey.SHARE_FETCH, ApiKey.SHARE_ACKNOWLEDGE),
    *(ApiKey.SHARE_GROUP_DESCRIBE, ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS),
    *(ApiKey.ALTER_SHARE_GROUP_OFFSETS, ApiKey.DELETE_SHARE_GROUP_OFFSETS),
)
STREAMS = (ApiKey.STREAMS_GROUP_HEARTBEAT, ApiKey.STREAMS_GROUP_DESCRIBE)
OF_ADMINISTRATORS = (ApiKey.DESCRIBE_GROUPS, ApiKey.LIST_GROUPS, ApiKey.DELETE_GROUPS)
WANTED = (*CLASSIC, *TRANSACTIONS, *OF_HANGING, *CONSUMER, *SHARE, *STREAMS)
LAST = 10
"""No API of these has a later version."""
SECONDS = 20.0
OF_KAFKA_ITSELF = ("broker-", "AddPartitionsManager-")
"""How client ids of Kafka's own senders begin."""
CANNOT = suppress(KafkaError, KafkaException, ProgramFailed)
"""What a client cannot do with what it is offered, it does not."""


class Speaker(NamedTuple):
    """A client, what it does, and what it is offered less of."""

    name: str
    speak: Callable[[Arrival], None]
    offered: tuple[ApiKey, ...]


def fill(address: str, topic: str) -> None:
    """With numbers."""
    with Producer(bootstrap_servers=address, client_id=ASIDE) as producer:
        for number in range(RECORDS):
            producer.send(topic, b"%d" % number, partition=0)


def copies(program: Program, arrival: Arrival) -> None:
    """A member copies in transactions, one of them aborted."""
    program.copy(arrival.relay, arrival.source, arrival.target, RECORDS)


def member_of_kafka_python(arrival: Arrival) -> None:
    """Joins, reads, commits, leaves; then its group is looked at and removed."""
    address, source = arrival.relay, arrival.source
    group = f"of-{source}"
    reader = KafkaConsumer(
        source, bootstrap_servers=address, group_id=group, auto_offset_reset="earliest",
        enable_auto_commit=False, heartbeat_interval_ms=100, session_timeout_ms=6000,
    )  # fmt: skip
    deadline = time.monotonic() + SECONDS
    while not reader.poll(500) and time.monotonic() < deadline:
        pass
    reader.commit()
    beaten = time.monotonic() + 0.5
    while time.monotonic() < beaten:
        reader.poll(50)
    reader.close()
    admin = KafkaAdminClient(bootstrap_servers=address)
    for look in (
        admin.list_groups,
        partial(admin.describe_groups, [group]),
        partial(admin.list_group_offsets, {group: None}),
        partial(admin.delete_group_offsets, group, [TopicPartition(source, 0)]),
        partial(admin.delete_groups, [group]),
    ):
        with CANNOT:
            look()
    admin.close()


def member_of_librdkafka(arrival: Arrival) -> None:
    """Of a group whose broker assigns, and of one that shares partitions."""
    source = arrival.source
    servers = {"bootstrap.servers": arrival.relay}
    group = f"modern-{source}"
    mine = {"group.id": group, "group.protocol": "consumer", "auto.offset.reset": "earliest"}
    reader = ConfluentConsumer(servers | mine)
    reader.subscribe([source])
    deadline = time.monotonic() + SECONDS
    while reader.poll(0.5) is None and time.monotonic() < deadline:
        pass
    reader.commit(asynchronous=False)
    admin = AdminClient(servers)
    for future in admin.describe_consumer_groups([group]).values():
        future.result(SECONDS)
    reader.close()
    with ShareConsumer(servers | {"group.id": f"share-{source}"}) as sharer:
        sharer.subscribe([source])
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            fill(arrival.relay, source)
            if sharer.poll(1):
                break
        sharer.commit_sync()


def converse(
    release: MavenPeer, speakers: Sequence[Speaker], offers: range
) -> Iterator[tuple[str, Frame]]:
    """What was sent while up to each of the offered versions was known."""
    tap = OfferingTap()
    properties: Mapping[str, str] = {
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{tap.port}",
        "group.initial.rebalance.delay.ms": "0",
    }
    with RealKafka(peer=release, properties=properties) as kafka:
        broker = InteropBroker(kafka)
        tap.start(kafka.port)
        for last, one in product(offers, speakers):
            tap.offered = dict.fromkeys(one.offered, last) if last < LAST else {}
            source, target = broker.new_topic(), broker.new_topic()
            fill(kafka.bootstrap_servers, source)
            del tap.frames[:]
            with CANNOT:
                one.speak(Arrival(f"127.0.0.1:{tap.port}", source, target))
            reported, inside = apart(tap.frames)
            for frame in frames_of(one.name, release, reported):
                less = frame.kind == "request" and tap.offered.get(frame.api) == frame.version
                note = f"{frame.note}, offered no more" if less else frame.note
                yield one.name, frame._replace(note=note)
            itself = f"kafka-broker {release.version}"
            for frame in frames_of(itself, release, inside):
                yield itself, frame
        tap.stop()


def apart(reported: Sequence[Conversation]) -> tuple[list[Conversation], list[Conversation]]:
    """What clients asked, and what Kafka asked of itself: it takes the way of its clients."""
    found: tuple[list[Conversation], list[Conversation]] = [], []
    for each in list(reported):
        client_id = read_request_header(each[0])[0].client_id or ""
        if client_id != ASIDE:
            found[client_id.startswith(OF_KAFKA_ITSELF)].append(each)
    return found


def frames_of(note: str, release: MavenPeer, reported: Sequence[Conversation]) -> Iterator[Frame]:
    """A request of each API and version that is wanted, with its answer if one can read that."""
    for (key, version), (asked, answer) in sorted(kept(reported).items()):
        if key in WANTED:
            yield Frame(key, "request", version, note, asked)
            if len(answer) < LONGEST_ANSWER:
                yield Frame(key, "response", version, f"Kafka {release.version}", answer)


def rounds(program: Program) -> Iterator[tuple[MavenPeer, Sequence[Speaker], range]]:
    """Which client speaks to which release, and up to which versions of what it is offered less of."""
    franz = next(peer for peer in go.PEERS if peer.client == "franz-go")
    franz_go = f"franz-go {franz.version}"
    python = f"kafka-python {installed('kafka-python')}"
    copying = partial(copies, program)
    classic = (
        Speaker(franz_go, copying, CLASSIC),
        Speaker(franz_go, copying, TRANSACTIONS),
        Speaker(python, member_of_kafka_python, (ApiKey.OFFSET_COMMIT,)),
        Speaker(python, member_of_kafka_python, OF_ADMINISTRATORS),
    )
    old, new = (f"kafka-tools {one.version}" for one in (generations.KAFKA_3_9, KAFKA_4))
    of_open, of_old = partial(transactions, KAFKA_4), partial(transactions, generations.KAFKA_3_9)
    modern = (
        Speaker(f"confluent-kafka {installed('confluent-kafka')}", member_of_librdkafka, ()),
        Speaker(new, of_open, ()),
        Speaker(new, consumers, ()),
        Speaker(new, sharers, ()),
        Speaker(f"kafka-streams {KAFKA_STREAMS.version}", streams, ()),
    )
    less = (
        Speaker(new, of_open, OF_HANGING),
        Speaker(new, consumers, CONSUMER),
        Speaker(new, sharers, SHARE),
    )
    newest = range(LAST, LAST + 1)
    yield generations.KAFKA_3_9, classic, range(LAST)
    yield generations.KAFKA_3_9, (Speaker(old, of_old, OF_HANGING),), range(1)
    yield KAFKA_4, (*classic, *modern), newest
    yield KAFKA_4, less, range(2)


def main() -> None:
    known: set[tuple[ApiKey, str, int]] = set()
    parts: dict[str, list[Frame]] = {}
    with go_client("franz") as program:
        for release, speakers, offers in rounds(program):
            for name, frame in converse(release, speakers, offers):
                place = frame.api, frame.kind, frame.version
                if place not in known:
                    known.add(place)
                    parts.setdefault(name, []).append(frame)
    for path in CONVERSATIONS.glob(f"*{SUFFIX}"):
        path.unlink()
    for name, frames in parts.items():
        frames.sort(key=lambda each: (each.api, each.version, each.kind != "request"))
        path = CONVERSATIONS / f"{name.replace(' ', '-')}{SUFFIX}"
        path.write_text("\n".join(map(to_text, frames)), encoding="utf-8")


if __name__ == "__main__":
    main()
