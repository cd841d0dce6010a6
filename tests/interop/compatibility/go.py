"""Clients written in Go."""

from functools import partial

from tests.interop.compatibility.peer import NO_LZ4, NO_ZSTD, Peer
from tests.interop.peers.go_client import go_client, go_module_version

_SARAMA = go_module_version("github.com/IBM/sarama")


def _sarama_as(broker: str, codecs: tuple[str, ...], *, times: bool) -> Peer:
    return Peer(
        f"Sarama for a broker of {broker}",
        _SARAMA,
        partial(go_client, "sarama", broker),
        codecs,
        codecs,
        times=times,
        headers=False,
        finds_times=times,
    )


PEERS = (
    Peer(
        "franz-go",
        go_module_version("github.com/twmb/franz-go"),
        partial(go_client, "franz"),
        idempotent=True,
        makes_topics=True,
    ),
    Peer(
        "Sarama",
        _SARAMA,
        partial(go_client, "sarama", "4.0.0"),
        idempotent=True,
        makes_topics=True,
    ),
    _sarama_as("0.8.2.2", NO_LZ4, times=False),
    _sarama_as("0.10.2.0", NO_ZSTD, times=True),
    Peer(
        "kafka-go",
        go_module_version("github.com/segmentio/kafka-go"),
        partial(go_client, "kafkago"),
        tells_offsets=False,
        tells_empty=False,
        makes_topics=True,
    ),
)
