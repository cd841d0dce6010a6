"""Clients from PyPI and Debian, of today and in the roles of their past."""

import shutil
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib.metadata import version

import confluent_kafka

from tests.interop import samples
from tests.interop.clients.aiokafka_client import Aiokafka
from tests.interop.clients.client import Finder
from tests.interop.clients.confluent import Confluent
from tests.interop.clients.kafka_python import KafkaPython
from tests.interop.clients.kcat import Kcat
from tests.interop.compatibility.peer import ALL_CODECS, NO_LZ4, NO_ZSTD, Peer
from tests.interop.peers import kafka_python_client, pykafka_client
from tests.interop.peers.missing import PeerMissing
from tests.interop.samples import Sample

_LIBRDKAFKA: str = confluent_kafka.libversion()[0]


def lines() -> list[Sample]:
    """What a command line can send."""
    return [
        Sample(b"key-%d" % index, b"value %d " % index + b"x" * (index % 50), samples.START_MS)
        for index in range(300)
    ]


def _here(client: Finder) -> Callable[[], AbstractContextManager[Finder]]:
    """A client in this process: nothing to start."""
    return lambda: nullcontext(client)


def _kcat_version() -> str:
    program = shutil.which("kcat")
    if program is None:
        return "not installed"
    reported = subprocess.run([program, "-V"], capture_output=True, text=True, check=False)
    return next(
        line.split()[1] for line in reported.stdout.splitlines() if line.startswith("Version")
    )


def _kcat(broker_version: str | None = None) -> AbstractContextManager[Finder]:
    if shutil.which("kcat") is None:
        raise PeerMissing("needs kcat: apt-get install kcat")
    return nullcontext(Kcat(broker_version))


def _librdkafka_as(old: str) -> Peer:
    """From 0.10 on it would ask for the versions, however it is configured."""
    return Peer(
        f"confluent-kafka for a broker of {old}",
        f"{version('confluent-kafka')} (librdkafka {_LIBRDKAFKA})",
        _here(Confluent(old)),
        NO_ZSTD,
        NO_ZSTD,
        times=False,
        headers=False,
        finds_times=False,
    )


def _kafka_python_as(*old: int) -> Peer:
    modern = old >= (0, 10)
    # It needs a package more for lz4 with the header checksum of the first brokers.
    codecs = NO_ZSTD if modern else NO_LZ4
    return Peer(
        f"kafka-python for a broker of {'.'.join(map(str, old))}",
        version("kafka-python"),
        _here(KafkaPython(old)),
        codecs,
        codecs,
        times=modern,
        headers=False,
        finds_times=False,
    )


def _kafka_python_of(release: str, codecs: tuple[str, ...]) -> Peer:
    start = partial(kafka_python_client.kafka_python_client, release)
    return Peer("kafka-python", release, start, codecs, codecs)


PEERS = (
    Peer(
        "confluent-kafka",
        f"{version('confluent-kafka')} (librdkafka {_LIBRDKAFKA})",
        _here(Confluent()),
        idempotent=True,
    ),
    *(_librdkafka_as(old) for old in ("0.8.2.2", "0.9.0.1")),
    Peer(
        "kafka-python",
        version("kafka-python"),
        _here(KafkaPython()),
        idempotent=True,
    ),
    *(_kafka_python_as(*old) for old in ((0, 8, 2), (0, 9), (0, 10))),
    Peer(
        "kafka-python on Python 2",
        "0.9.5",
        kafka_python_client.kafka_python_0_9_5,
        ("none", "gzip"),
        ("none", "gzip"),
        times=False,
        headers=False,
        sets_times=False,
        finds_times=False,
    ),
    *(
        _kafka_python_of(old, codecs)
        for old, codecs in (("1.4.7", NO_ZSTD), ("2.0.2", ALL_CODECS), ("2.3.1", ALL_CODECS))
    ),
    Peer(
        "aiokafka",
        version("aiokafka"),
        _here(Aiokafka()),
        idempotent=True,
    ),
    *(
        Peer(
            f"pykafka for a broker of {old}",
            pykafka_client.VERSION,
            partial(pykafka_client.pykafka_client, old),
            ("none", "gzip"),
            ("none", "gzip"),
            times=False,
            headers=False,
            sets_times=False,
            tells_offsets=False,
            finds_times=False,
        )
        for old in ("0.8.2", "0.9.0", "0.10.2")
    ),
    Peer(
        "kcat",
        _kcat_version(),
        _kcat,
        sets_times=False,
        headers=False,
        tells_offsets=False,
        samples=lines,
    ),
    *(
        Peer(
            f"kcat for a broker of {old}",
            _kcat_version(),
            partial(_kcat, old),
            NO_ZSTD,
            NO_ZSTD,
            times=False,
            sets_times=False,
            headers=False,
            tells_offsets=False,
            finds_times=False,
            samples=lines,
        )
        for old in ("0.8.2.2", "0.9.0.1")
    ),
)
