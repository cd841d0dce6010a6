"""Clients written for Node."""

from functools import partial

from tests.interop.compatibility.peer import ALL_CODECS, NO_LZ4, Peer
from tests.interop.peers.node_client import node_client, node_package_version

PEERS = (
    Peer(
        "@platformatic/kafka",
        node_package_version("@platformatic/kafka"),
        partial(node_client, "platformatic"),
        ALL_CODECS,
        ALL_CODECS,
        idempotent=True,
        makes_topics=True,
    ),
    Peer(
        "kafkajs",
        node_package_version("kafkajs"),
        partial(node_client, "kafkajs"),
        NO_LZ4,
        NO_LZ4,
        idempotent=True,
        makes_topics=True,
        note="reads as a member of a group",
    ),
    Peer(
        "kafka-node",
        node_package_version("kafka-node"),
        partial(node_client, "kafka-node"),
        ("none", "gzip"),
        ("none", "gzip"),
        times=False,
        headers=False,
        sets_times=False,
        tells_offsets=False,
        finds_times=False,
        note="its snappy is not to be had for this Node",
    ),
)
