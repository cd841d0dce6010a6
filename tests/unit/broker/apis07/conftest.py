"""A broker whose clients are those of Kafka 0.7, and a connection to it."""

from collections.abc import Iterator

import pytest

from barnabas.testing import EmbeddedBroker
from tests.wires.wire07 import Wire07


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    config = {
        "num.partitions": "2",
        "topic.partition.count.map": "wide:4",
        "log.file.size": "100",
        "max.message.size": "1000",
    }
    with EmbeddedBroker(config, profile="0.7") as made:
        yield made


@pytest.fixture
def wire(broker: EmbeddedBroker) -> Iterator[Wire07]:
    with Wire07(broker.port) as made:
        yield made
