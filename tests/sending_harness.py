"""A sender with its accumulator and queues, without a network, at a time that the test sets."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from barnabas.client.core.cluster.cluster_view import Broker, ClusterView, PartitionView, TopicView
from barnabas.client.core.cluster.retry import Backoff
from barnabas.client.core.producer.accumulator import Accumulator
from barnabas.client.core.producer.delivery import DeliverySource, Sent
from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.client.core.producer.send_plan import ProduceBatches, SendPlan
from barnabas.client.core.producer.sender import Sender
from barnabas.client.core.producer.transaction_states import ProducerTransactionInput
from barnabas.client.core.producer.transactions import ProducerTransactions
from barnabas.errors import ErrorCode, KafkaError
from barnabas.protocol.produce import (
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)
from barnabas.records.batches.batch import crc_is_right, read_header
from barnabas.records.columns.reading import decode_records
from barnabas.types import TopicPartition

WHERE = TopicPartition("t", 0)
TOPIC = TopicView("t", partitions=(PartitionView("t", 0, 1, 5), PartitionView("t", 1, 2, 5)))


class Waits:
    """Nothing waits in these tests."""

    def block(self, batch: DeliverySource, index: int, timeout_s: float | None) -> None:
        assert batch.done(index)

    async def wait(self, batch: DeliverySource, index: int) -> None:
        assert batch.done(index)


class Middle:
    """Chance that always says the same."""

    def below(self, bound: int) -> int:
        return bound // 2

    def fraction(self) -> float:
        return 0.5

    def uuid(self) -> bytes:
        return bytes(16)


class Harness:
    """A sender at a time that the test sets, and what is in flight."""

    def __init__(self, **changes: Any) -> None:
        self.now = 100.0
        self.options = ProducerOptions(**{"linger_s": 0.0, "batch_size": 150, **changes})
        self.view = ClusterView()
        self.view.topics["t"] = TOPIC
        self.view.brokers = {1: Broker(1, "h", 1), 2: Broker(2, "h", 2)}
        self.records = Accumulator(self.options, Middle(), nullcontext(), Waits())
        name = self.options.transactional_id
        self.transactions = ProducerTransactions(name or "")
        self.sender = Sender(
            self.options,
            self.view,
            self.records,
            Backoff(100, 100, Middle()),
            self.transactions if name else None,
        )
        self.sender.producer_id, self.sender.producer_epoch = 7, 0

    def send(self, value: bytes, partition: int = 0) -> Sent:
        delivery = self.records.append(TOPIC, partition, (1000, None, value, ()), self.now)
        assert delivery is not None
        return delivery

    def introduce(self) -> None:
        """Have a record stored, so that the broker knows the producer."""
        self.send(b"0")
        self.answer(self.go())

    def plan(self, can_send: Callable[[int], bool] = lambda _: True) -> SendPlan:
        return self.sender.collect(self.now, can_send)

    def go(self) -> ProduceBatches:
        (outgoing,) = self.plan().outgoing
        return outgoing

    def answer(
        self, outgoing: ProduceBatches, code: ErrorCode = ErrorCode.NONE, offset: int = 0
    ) -> bool:
        return self.sender.answered(outgoing, reply(outgoing, code, offset), self.now)

    def later(self, seconds: float = 0.1) -> None:
        self.now += seconds


class InTransaction(Harness):
    """Amid a transaction of a version."""

    def __init__(self, version: int = 2, **changes: object) -> None:
        super().__init__(transactional_id="x", **changes)
        self.transactions.set_version(version)
        self.happens(ProducerTransactionInput.INITIATED, ProducerTransactionInput.BEGIN)

    def happens(self, *inputs: ProducerTransactionInput) -> None:
        for each in inputs:
            self.transactions.move(each)


def reply(
    outgoing: ProduceBatches, code: ErrorCode = ErrorCode.NONE, offset: int = 0
) -> ProduceResponse:
    rows = [
        PartitionProduceResponse(
            index=batch.where.partition, error_code=code, base_offset=offset if not code else -1
        )
        for batch in outgoing.batches
    ]
    return ProduceResponse(responses=[TopicProduceResponse(name="t", partition_responses=rows)])


def values(outgoing: ProduceBatches) -> list[bytes | None]:
    return [record.value for batch in outgoing.batches for record in records_of(batch.payload)]


def records_of(payload: bytearray | None) -> list[Any]:
    assert payload is not None
    return decode_records(payload, "t", 0)[0]


def sequences(outgoing: ProduceBatches) -> tuple[int, int, int]:
    payload = outgoing.batches[0].payload
    assert payload is not None
    header = read_header(payload)
    assert crc_is_right(payload, header)
    return header.producer_id, header.producer_epoch, header.base_sequence


def error_of(delivery: Sent) -> KafkaError:
    with pytest.raises(KafkaError) as caught:
        delivery.result(0)
    return caught.value
