"""Clusters, topics and archives as arguments of commands."""

from typing import TYPE_CHECKING

from barnabas.cli.arguments.connection import client_settings
from barnabas.cli.arguments.usage import usage
from barnabas.client.core.cluster.bootstrap import parse_address

if TYPE_CHECKING:
    from barnabas.pipelines.mirror_07 import Kafka07Address
    from barnabas.pipelines.sides import Side
    from barnabas.pipelines.topic_frames import ClusterAddress


def cluster(servers: str, pairs: tuple[str, ...], *, committed: bool = True) -> "ClusterAddress":
    """The cluster of -b, with the client properties of -X."""
    from barnabas.pipelines.topic_frames import ClusterAddress

    settings = client_settings(servers, pairs)
    client = {n: str(value) for n, value in settings.items() if n != "bootstrap.servers"}
    return ClusterAddress(bootstrap_servers=servers, client=client, committed_only=committed)


def side(text: str, servers: str, pairs: tuple[str, ...], *, committed: bool = True) -> "Side":
    """TOPIC (of -b), TOPIC@HOST:PORT, or the path of an archive, which has a slash."""
    from barnabas.pipelines.sides import ArchiveSide, TopicSide

    # The names of topics have neither.
    if "/" in text:
        return ArchiveSide(text)
    topics, _, other = text.partition("@")
    return TopicSide(cluster(other or servers, pairs, committed=committed), topics.split(","))


def old_cluster(brokers: tuple[str, ...], zookeeper: str | None) -> "Kafka07Address":
    """Brokers of Kafka 0.7: HOST:PORT, or N=HOST:PORT for broker N; without N they are 0, 1, 2 ..."""
    from barnabas.pipelines.mirror_07 import Kafka07Address

    numbered = {}
    for index, text in enumerate(brokers):
        number, equals, rest = text.partition("=")
        known = bool(equals) and number.isdecimal()
        numbered[int(number) if known else index] = rest if known else text
    with usage():
        for address in numbered.values():
            parse_address(address)
    return Kafka07Address(brokers=numbered, zookeeper=zookeeper)
