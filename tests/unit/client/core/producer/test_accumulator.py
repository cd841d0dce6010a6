"""What an accumulator holds after records that it took, refused, or may no longer take."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from barnabas.client.core.cluster.cluster_view import PartitionView, TopicView
from barnabas.client.core.producer.accumulator import Accumulator
from barnabas.client.core.producer.delivery import DeliverySource
from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.errors import LocalProtocolError
from barnabas.types import TopicPartition

pytestmark = pytest.mark.kernels

TOPIC = TopicView("t", partitions=(PartitionView("t", 0, 1, 5),))
GOOD = (1000, None, b"value", ())
REFUSED = {
    "the value of a header is text": (1000, None, b"v", [("name", "text")]),
    "the name of a header is bytes": (1000, None, b"v", [(b"name", b"bytes")]),
    "the name of a header has no UTF-8": (1000, None, b"v", [("\ud800", b"bytes")]),
    "a header is no pair": (1000, None, b"v", [("name",)]),
    "the time has no 64 bits": (2**63, None, b"v", ()),
    "the time is text": ("1000", None, b"v", ()),
    "the value is a list": (1000, None, [1], ()),
    "the key is a list": (1000, [1], b"v", ()),
    "the value is a number": (1000, None, 17, ()),
}


class Waits:
    """Nothing waits in these tests."""

    def block(self, batch: DeliverySource, index: int, timeout_s: float | None) -> None:
        assert batch.done(index)

    async def wait(self, batch: DeliverySource, index: int) -> None:
        assert batch.done(index)


class Lowest:
    """Chance that always says the least."""

    def below(self, _: int) -> int:
        return 0

    def fraction(self) -> float:
        return 0.0

    def uuid(self) -> bytes:
        return bytes(16)


@pytest.fixture
def records() -> Accumulator:
    return Accumulator(ProducerOptions(), Lowest(), nullcontext(), Waits())


@pytest.mark.parametrize("record", REFUSED.values(), ids=REFUSED.keys())
@pytest.mark.parametrize("partition", [None, 0])
def test_a_refused_record_leaves_nothing_behind(
    records: Accumulator, partition: int | None, record: Any
) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)):
        records.append(TOPIC, partition, record, 0.0)
    assert records.used == 0
    assert not records.news
    assert not records.unsettled
    assert not records.sticky
    assert not any(records.by_partition.get("t", ()))
    assert records.close_ripe(1.0, everything=True) is None
    assert not any(records.queues.values())


@pytest.mark.parametrize("record", REFUSED.values(), ids=REFUSED.keys())
def test_a_refused_record_leaves_those_before_it(records: Accumulator, record: Any) -> None:
    assert records.append(TOPIC, 0, GOOD, 0.0) is not None
    with pytest.raises((TypeError, ValueError, OverflowError)):
        records.append(TOPIC, 0, record, 0.0)
    second = records.append(TOPIC, 0, GOOD, 0.0)
    assert second is not None
    assert second.index == 1
    records.close_ripe(1.0, everything=True)
    (batch,) = records.queues[TopicPartition("t", 0)].closed
    assert batch.count == 2


@pytest.mark.parametrize(
    "add",
    [
        lambda records: records.append(TOPIC, None, GOOD, 0.0),
        lambda records: records.add_built(TopicPartition("t", 0), bytearray(100), 1, 0.0),
    ],
    ids=["a record", "a batch"],
)
def test_once_shut_it_seals_what_is_open_and_takes_nothing(
    records: Accumulator, add: Callable[[Accumulator], object]
) -> None:
    assert records.append(TOPIC, None, GOOD, 0.0) is not None
    appender = records.sticky["t"]
    records.shut(LocalProtocolError("closed"))
    assert appender.append(*GOOD) is None
    assert not records.sticky
    assert len(records.unsettled) == 1
    with pytest.raises(LocalProtocolError, match="closed"):
        add(records)


def test_a_partition_before_may_be_missing(records: Accumulator) -> None:
    """Brokers name the partitions that they know of, so a number may be beyond their count."""
    topic = TopicView("t", partitions=(PartitionView("t", 0, -1), PartitionView("t", 7, 1, 5)))
    for _ in range(2):
        delivery = records.append(topic, None, GOOD, 0.0)
        assert delivery is not None
        assert delivery.batch.where == TopicPartition("t", 7)
    assert len(records.unsettled) == 1
