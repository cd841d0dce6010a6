"""What Kafka's own tools, consumers and Streams say of groups and transactions, for `capture_groups`."""

from contextlib import suppress

from confluent_kafka import Producer as ConfluentProducer

from tests.interop.peers.child import ChildFailed
from tests.interop.peers.kafka_tools import ToolFailed, run_class
from tests.interop.peers.maven import KAFKA_4, MavenPeer
from tests.interop.peers.streams_app import StreamsApp
from tests.vectors.arrival import ASIDE, RECORDS, Arrival

_LASTING_MS = 600_000
"""A tool is started again for each question, and a transaction must still be open then."""
_SECONDS = 30.0
CANNOT = suppress(ToolFailed, ChildFailed)
"""What a tool cannot do with what it is offered, it does not."""


def transactions(release: MavenPeer, arrival: Arrival) -> None:
    """Look at a transaction that is open, list it, look at its producer and abort it."""
    name = f"open-{arrival.target}"
    producer = ConfluentProducer(
        {
            "bootstrap.servers": arrival.relay,
            "client.id": ASIDE,
            "transactional.id": name,
            "transaction.timeout.ms": _LASTING_MS,
        }
    )
    producer.init_transactions(_SECONDS)
    producer.begin_transaction()
    producer.produce(arrival.target, b"open", partition=0)
    producer.flush(_SECONDS)
    place = "--topic", arrival.target, "--partition", "0"
    for arguments in (
        ("list",),
        ("describe", "--transactional-id", name),
        ("describe-producers", *place),
        ("abort", *place, "--start-offset", "0"),
    ):
        with CANNOT:
            _tool(release, "TransactionsCommand", arrival, *arguments)


def consumers(arrival: Arrival) -> None:
    """A member whose broker assigns, and its group looked at and deleted."""
    group = f"modern-{arrival.source}"
    with CANNOT:
        _tool(
            KAFKA_4, "VerifiableConsumer", arrival, "--topic", arrival.source, "--group-id", group,
            "--group-protocol", "consumer", "--max-messages", str(RECORDS),
        )  # fmt: skip
    for what in (("--describe", "--state"), ("--delete",)):
        with CANNOT:
            _tool(KAFKA_4, "consumer.group.ConsumerGroupCommand", arrival, "--group", group, *what)


def sharers(arrival: Arrival) -> None:
    """A member of a share group, and the group looked at, moved and deleted."""
    group = f"share-{arrival.source}"
    with CANNOT:
        _tool(
            KAFKA_4, "VerifiableShareConsumer", arrival, "--topic", arrival.source,
            "--group-id", group, "--max-messages", str(RECORDS),
            "--acknowledgement-mode", "sync", "--offset-reset-strategy", "earliest",
        )  # fmt: skip
    topic = "--topic", arrival.source
    for what in (
        ("--describe", "--offsets"),
        ("--describe", "--members"),
        ("--reset-offsets", *topic, "--to-earliest", "--execute"),
        ("--delete-offsets", *topic),
    ):
        with CANNOT:
            _tool(KAFKA_4, "consumer.group.ShareGroupCommand", arrival, "--group", group, *what)


def streams(arrival: Arrival) -> None:
    """An application that counts words, and its group looked at."""
    group = f"streams-{arrival.source}"
    with CANNOT, StreamsApp(arrival.relay, group, (arrival.source, arrival.target)) as app:
        app.wait(lambda doing: doing.state == "RUNNING" and bool(doing.active))
        what = "--describe", "--members", "--group", group
        _tool(KAFKA_4, "streams.StreamsGroupCommand", arrival, *what)


def _tool(release: MavenPeer, name: str, arrival: Arrival, *arguments: str) -> None:
    run_class(
        release, f"org.apache.kafka.tools.{name}", "--bootstrap-server", arrival.relay, *arguments
    )
