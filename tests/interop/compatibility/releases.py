"""Kafka's own clients, of one release of each generation."""

from collections.abc import Callable
from functools import partial

from tests.interop.compatibility.peer import ALL_CODECS, NO_LZ4, NO_ZSTD, Peer, any_samples
from tests.interop.peers import generations
from tests.interop.peers.java_client import java_client
from tests.interop.peers.maven import KAFKA_4, MavenPeer
from tests.interop.samples import Sample

_SIMPLE = {"read": "ReadBySimpleConsumer", "ends": "ReadBySimpleConsumer"}
_SCALA = {"write": "WriteByScalaProducer", **_SIMPLE}
_JAVA_AND_SIMPLE = {"write": "WriteByProducer", **_SIMPLE}
_JAVA = {
    "write": "WriteByProducer",
    **dict.fromkeys(("read", "ends", "time"), "ReadByConsumer"),
    "topics": "Topics",
}


def _without_nulls() -> list[Sample]:
    """What the producer of 0.8.0 can send."""
    return [each for each in any_samples() if each.value is not None]


def _scala(
    release: MavenPeer,
    codecs: tuple[str, ...],
    samples: Callable[[], list[Sample]] = any_samples,
) -> Peer:
    """The first producer and the simple consumer, which are in the broker's own jar."""
    return Peer(
        "Scala producer, SimpleConsumer",
        release.version,
        partial(java_client, release, _SCALA),
        codecs,
        codecs,
        times=False,
        headers=False,
        sets_times=False,  # that of 0.10 does
        tells_offsets=False,
        finds_times=False,
        samples=samples,
    )


def _java(release: MavenPeer, *, in_ci: bool = False) -> Peer:
    """kafka-clients; its consumer came with 0.9, times with 0.10, headers and more with 0.11."""
    generation = tuple(map(int, release.version.split(".")[:2]))
    modern = generation >= (0, 11)
    codecs = ALL_CODECS if generation >= (2, 1) else NO_ZSTD
    simple = generation < (0, 9)
    return Peer(
        "Java producer, SimpleConsumer" if simple else "Java producer and consumer",
        release.version,
        partial(java_client, release, _known(simple=simple, modern=modern)),
        codecs,
        codecs,
        times=generation >= (0, 10),
        headers=modern,
        finds_times=generation >= (0, 10),
        idempotent=modern,
        makes_topics=modern,
        in_ci=in_ci,
    )


def _known(*, simple: bool, modern: bool) -> dict[str, str]:
    if simple:
        return _JAVA_AND_SIMPLE
    return {verb: part for verb, part in _JAVA.items() if modern or verb != "topics"}


PEERS = (
    _scala(generations.KAFKA_0_8_0, NO_LZ4, _without_nulls),
    _scala(generations.KAFKA_0_8_1, NO_LZ4),
    _scala(generations.KAFKA_0_8_2, NO_ZSTD),
    _scala(generations.KAFKA_0_10, NO_ZSTD),
    _java(generations.KAFKA_0_8_2, in_ci=True),
    _java(generations.KAFKA_0_9),
    _java(generations.KAFKA_0_10),
    _java(generations.KAFKA_0_11),
    _java(generations.KAFKA_1),
    _java(generations.KAFKA_2_4),
    _java(generations.KAFKA_2_8),
    _java(generations.KAFKA_3_9),
    _java(KAFKA_4, in_ci=True),
)
