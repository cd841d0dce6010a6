from types import SimpleNamespace
from typing import Any, cast

import pytest

from barnabas.client.core.producer.delivery import DeliveryWaiter, FailedBatch, StoredBatch
from barnabas.client.core.producer.delivery_tracker import DeliverySummary, DeliveryTracker
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.errors import BrokerError, ErrorCode, RequestTimeout
from barnabas.types import TopicPartition

TOO_LARGE = BrokerError(ErrorCode.MESSAGE_TOO_LARGE, "t-0")


class Now:
    """Waits for nothing."""

    def block(self, batch: ProducerBatch, index: int, timeout_s: float | None) -> None:
        assert timeout_s == 0
        if not batch.done(index):
            raise RequestTimeout("not yet")


def a_batch(count: int) -> ProducerBatch:
    batch = ProducerBatch(TopicPartition("t", 0), (0,), 0.0, 0, cast("DeliveryWaiter", Now()))
    batch.count = count
    return batch


def sent(batch: ProducerBatch, index: int) -> Any:
    return SimpleNamespace(batch=batch, result=lambda timeout: batch.result(index, 0, timeout))


def receipts_of(*batches: ProducerBatch) -> DeliveryTracker:
    receipts = DeliveryTracker()
    for batch in batches:
        for index in range(batch.count):
            receipts.add(sent(batch, index))
        receipts.look()
    return receipts


def test_what_is_stored_is_only_counted() -> None:
    first, second = a_batch(3), a_batch(2)
    first.settle(StoredBatch(0))
    receipts = receipts_of(first, second)
    assert len(receipts) == 5
    lost = receipts.summary().lost
    assert lost is not None, "asking too early is an error"
    assert (lost[0], type(lost[1])) == (4, RequestTimeout)
    second.settle(StoredBatch(3))
    receipts.look()
    assert receipts.summary() == DeliverySummary(5, 5, None)


def test_the_first_that_is_lost_is_reported_by_its_number() -> None:
    first, second, third = a_batch(3), a_batch(2), a_batch(4)
    receipts = receipts_of(first, second, third)
    first.settle(StoredBatch(0))
    third.settle(StoredBatch(3))
    second.settle(FailedBatch(TOO_LARGE))
    with pytest.raises(BrokerError, match="MESSAGE_TOO_LARGE"):
        receipts.look()
    assert receipts.summary() == DeliverySummary(9, 7, (4, TOO_LARGE))


def test_a_part_of_a_batch_may_be_lost_alone() -> None:
    batch = a_batch(3)
    receipts = receipts_of(batch)
    parts = [a_batch(2), a_batch(1)]
    batch.split_into(parts)
    parts[1].settle(FailedBatch(TOO_LARGE))
    receipts.look()
    parts[0].settle(StoredBatch(0))
    with pytest.raises(BrokerError, match="MESSAGE_TOO_LARGE"):
        receipts.look()
    assert receipts.summary() == DeliverySummary(3, 2, (3, TOO_LARGE))
