"""API by API: the longest requests there are hold up nobody for long, and take no more than the memory."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from barnabas.broker.dispatch import SERVED
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import decode_response
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from tests.hostile.attacks.frames import frame_of
from tests.hostile.longest_requests import Names, longest_requests
from tests.hostile.other_client import OtherClient
from tests.hostile.processes import RSS_LIMIT_MB, resident_mb
from tests.hostile.test_attacks import WAIT_LIMIT_SECONDS
from tests.interop.brokers import InteropBroker
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.raw import Raw

pytestmark = pytest.mark.long

PARTITIONS = 100
ANSWER_SECONDS = 30.0
RECORDS = {ApiKey.PRODUCE}
"""Whose arrays are as long as the records that come with them."""


@pytest.fixture(scope="module")
def broker() -> Iterator[OurBroker]:
    with OurBroker() as one:
        yield one


@pytest.fixture(scope="module")
def topic(broker: OurBroker) -> Names:
    name = InteropBroker(broker).new_topic(partitions=PARTITIONS)
    asked = MetadataRequest(topics=[MetadataRequestTopic(name=name)])
    with Raw(broker.bootstrap_servers) as connection:
        answer = connection.ask(frame_of(asked, 12))
    assert answer is not None
    _, printed = decode_response(ApiKey.METADATA, 12, answer)
    assert isinstance(printed, MetadataResponse)
    return Names(name, bytes(printed.topics[0].topic_id), PARTITIONS, is_unique=False)


def asks(broker: OurBroker, frame: bytes) -> None:
    """Send it, and wait until an answer begins, or for some time; then hang up."""
    place = ("127.0.0.1", broker.port)
    with suppress(OSError), socket.create_connection(place, ANSWER_SECONDS) as connection:
        connection.sendall(frame)
        connection.recv(4)


@pytest.mark.parametrize(
    "key", [key for key in SERVED if key not in RECORDS], ids=lambda key: key.name
)
def test_the_longest_requests(broker: OurBroker, topic: Names, key: ApiKey) -> None:
    for names in (topic, topic._replace(is_unique=True)):
        for path, frame in longest_requests(key, names):
            Path(f"/proc/{broker.pid}/clear_refs").write_text("5")
            with OtherClient(broker) as other:
                asks(broker, frame)
            peak = resident_mb(broker)
            assert peak <= RSS_LIMIT_MB, f"{path}: {peak:.0f} MB"
            assert other.worst_wait <= WAIT_LIMIT_SECONDS, f"{path}: {other.report()}"
