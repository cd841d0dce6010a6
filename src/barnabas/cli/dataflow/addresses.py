"""Clusters, topics and archives as arguments of commands."""

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from barnabas.cli.arguments.connection import client_settings
from barnabas.cli.arguments.hints import add_hint
from barnabas.cli.arguments.usage import usage
from barnabas.cli.arguments.waiting_notice import waiting_notice
from barnabas.client.core.cluster.bootstrap import parse_address
from barnabas.client.driver07.simple_consumer import FetchStart07, SimpleConsumer
from barnabas.errors import BrokerError, KafkaError

if TYPE_CHECKING:
    from barnabas.pipelines.mirrors.mirror_07 import Kafka07Address
    from barnabas.pipelines.sides import Side
    from barnabas.pipelines.topic_frames import ClusterAddress


def cluster(servers: str, pairs: tuple[str, ...], *, committed: bool = True) -> "ClusterAddress":
    """The cluster of -b, with the client properties of -X."""
    from barnabas.pipelines.topic_frames import ClusterAddress

    settings = client_settings(servers, pairs)
    client = {n: str(value) for n, value in settings.items() if n != "bootstrap.servers"}
    return ClusterAddress(bootstrap_servers=servers, client=client, committed_only=committed)


def check_cluster(where: "ClusterAddress", topics: Sequence[str] = (), option: str = "-b") -> None:
    """Ask the cluster, named by `option`, for these topics: what is wrong shows before Spark starts.

    Raises:
        ConnectionFailed: no broker is there.
        BrokerError: UNKNOWN_TOPIC_OR_PARTITION, one of the topics does not exist.
    """
    from barnabas.pipelines.topic_frames import partitions_of

    try:
        with where.admin() as admin, waiting_notice(where.bootstrap_servers):
            partitions_of(admin, topics)
    except KafkaError as error:
        if isinstance(error, BrokerError) and option != "-b":
            # The command names two clusters.
            error.add_note(f"the brokers of {option} are {where.bootstrap_servers}")
        add_hint(error, where.bootstrap_servers, option)
        raise


def check_old_cluster(where: "Kafka07Address", topic: str, option: str) -> None:
    """Ask brokers of Kafka 0.7, named by `option`, for a topic, which may be missing.

    Brokers that ZooKeeper names are not asked.

    Raises:
        ConnectionFailed, RequestTimeout, DecodeError: one does not answer as Kafka 0.7 does.
    """
    for text in where.brokers.values():
        with closing(SimpleConsumer(*parse_address(text))) as consumer:
            try:
                consumer.multi_fetch([FetchStart07(topic, 0, 0, 1)])
            except KafkaError as error:
                error.add_note(
                    f"check that Kafka 0.7 answers at {text}, or name another broker with {option}"
                )
                raise


def checked_side(
    text: str, servers: str, pairs: tuple[str, ...], *, committed: bool = True
) -> "Side":
    """TOPIC (of -b), TOPIC@HOST:PORT, or the path of an archive, which has a slash.

    Raises:
        KafkaError: as `check_cluster`.
    """
    from barnabas.pipelines.sides import ArchiveSide, TopicSide

    # The names of topics have neither.
    if "/" in text:
        return ArchiveSide(text)
    topics, at, other = text.partition("@")
    where, names = cluster(other or servers, pairs, committed=committed), topics.split(",")
    check_cluster(where, names, f"{topics}@HOST:PORT" if at else "-b")
    return TopicSide(where, names)


def old_cluster(brokers: tuple[str, ...], zookeeper: str | None) -> "Kafka07Address":
    """Brokers of Kafka 0.7: HOST:PORT, or N=HOST:PORT for broker N; without N they are 0, 1, 2 ..."""
    from barnabas.pipelines.mirrors.mirror_07 import Kafka07Address

    numbered = {}
    for index, text in enumerate(brokers):
        number, equals, rest = text.partition("=")
        known = bool(equals) and number.isdecimal()
        numbered[int(number) if known else index] = rest if known else text
    with usage():
        for address in numbered.values():
            parse_address(address)
    return Kafka07Address(brokers=numbered, zookeeper=zookeeper)
