"""Transactions written as records, and read again, with none, one and several partitions."""

import pytest

from barnabas.coordinators.transaction.transaction import ProducerIdAndEpoch, Transaction
from barnabas.coordinators.transaction.transaction_records import (
    NEWEST,
    decode_key,
    decode_transaction,
    encode_transaction,
)
from barnabas.coordinators.transaction.transaction_states import TransactionState
from barnabas.protocol.internal.transaction_record import TransactionLogValue
from barnabas.types import TopicPartition
from barnabas.wire.compiler import Codec

PLACES = [
    [],
    [("animals", 3)],
    [("animals", 3), ("animals", 0)],
    [("trees", 1), ("animals", 2), ("trees", 0), ("animals", 10)],
]


def kept(state: TransactionState, places: list[tuple[str, int]]) -> Transaction:
    return Transaction(
        transactional_id="t",
        producer=ProducerIdAndEpoch(7, 3),
        timeout_ms=60_000,
        state=state,
        updated_ms=100,
        partitions=frozenset(TopicPartition(*one) for one in places),
        previous_id=5,
        next_id=9,
        started_ms=90,
        client_version=2,
    )


@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("state", [one for one in TransactionState if one.value != "Empty"])
def test_what_is_written_reads_as_it_was(
    state: TransactionState, places: list[tuple[str, int]]
) -> None:
    whole = kept(state, places)
    key, value = encode_transaction(whole, NEWEST)
    assert value is not None
    assert decode_key(key) == "t"
    assert decode_transaction("t", value) == whole


@pytest.mark.parametrize("places", PLACES)
def test_topics_and_partitions_are_in_order(places: list[tuple[str, int]]) -> None:
    _, value = encode_transaction(kept(TransactionState.ONGOING, places), 0)
    assert value is not None
    given, _ = Codec.of(TransactionLogValue, 0).decode(value, 2)
    topics = given.transaction_partitions or []
    assert [(one.topic, index) for one in topics for index in one.partition_ids] == sorted(places)
    assert len({one.topic for one in topics}) == len(topics)


def test_of_an_empty_one_no_partitions_are_written_rather_than_a_list_of_none() -> None:
    for state in (TransactionState.EMPTY, TransactionState.COMPLETE_COMMIT):
        _, value = encode_transaction(kept(state, []), NEWEST)
        assert value is not None
        given, _ = Codec.of(TransactionLogValue, NEWEST).decode(value, 2)
        assert given.transaction_partitions == (None if state is TransactionState.EMPTY else [])
