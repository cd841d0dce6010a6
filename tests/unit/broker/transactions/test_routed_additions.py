"""Questions to the coordinators of transactions: which are one request, and what is asked again."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import cast

from barnabas.broker.cluster.member import ClusterMember
from barnabas.broker.cluster.peer_connection import OnAnswer
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.transactions.routed_additions import RoutedAdditions
from barnabas.broker.transactions.transactions import Transactions
from barnabas.cluster.image import (
    Broker,
    BrokerEndpoint,
    ClusterImage,
    ImageDelta,
    PartitionState,
    TopicDelta,
)
from barnabas.coordinators.internal_topics import TRANSACTIONS_TOPIC
from barnabas.coordinators.transaction.adding import AddRequest
from barnabas.coordinators.transaction.transaction import VERSION_2, ProducerIdAndEpoch
from barnabas.errors import ConnectionFailed, ErrorCode
from barnabas.protocol.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
)
from barnabas.protocol.api_keys import ApiKey
from barnabas.types import NodeId, TopicPartition
from tests.unit.runtime.manual_timers import ManualTimers

OTHER = NodeId(2)
PLACE = TopicPartition("dogs", 0)


class Asked:
    """A connection that keeps what is asked."""

    def __init__(self) -> None:
        self.requests: list[AddPartitionsToTxnRequest] = []
        self._on_answer: OnAnswer | None = None

    @property
    def is_busy(self) -> bool:
        return self._on_answer is not None

    def ask(
        self, key: ApiKey, version: int, message: object, seconds: float, on_answer: OnAnswer
    ) -> None:
        del seconds
        assert (key, version) == (ApiKey.ADD_PARTITIONS_TO_TXN, 5)
        assert isinstance(message, AddPartitionsToTxnRequest)
        self.requests.append(message)
        self._on_answer = on_answer

    def answer(self, response: object) -> None:
        on_answer, self._on_answer = self._on_answer, None
        assert on_answer is not None
        on_answer(response)


class Questions:
    """Another broker coordinates all transactions."""

    def __init__(self) -> None:
        self.connection, self.timers = Asked(), ManualTimers()
        state = PartitionState(OTHER, 1, (OTHER,), (OTHER,))
        image = ClusterImage().apply(
            ImageDelta(
                brokers={OTHER: Broker(OTHER, (BrokerEndpoint("PLAINTEXT", "localhost", 1),))},
                topics={TRANSACTIONS_TOPIC: TopicDelta(bytes(16), {0: state})},
            )
        )
        self.leader: NodeId | None = OTHER
        self.member = SimpleNamespace(
            node_id=NodeId(1), image=image, on_close=[], connect=lambda _address: self.connection,
            versions=SimpleNamespace(add_partitions_to_txn=5),
            topics=SimpleNamespace(leader_of=lambda _name, _key: self.leader),
        )  # fmt: skip
        nobody = cast("Transactions", SimpleNamespace())
        self.additions = RoutedAdditions(nobody, cast("ClusterMember", self.member), self.timers)

    def ask(self, name: str, *, verify_only: bool = False) -> Pending:
        producer = ProducerIdAndEpoch(7, 0)
        addition = AddRequest(name, producer, frozenset({PLACE}), VERSION_2)
        return self.additions.ask(addition, verify_only=verify_only)

    def names(self) -> list[list[str]]:
        """The transactions of each request."""
        return [
            [one.transactional_id for one in request.transactions]
            for request in self.connection.requests
        ]


def answer(codes: Mapping[str, ErrorCode]) -> AddPartitionsToTxnResponse:
    def row(code: ErrorCode) -> AddPartitionsToTxnTopicResult:
        rows = [AddPartitionsToTxnPartitionResult(partition_index=0, partition_error_code=code)]
        return AddPartitionsToTxnTopicResult(name="dogs", results_by_partition=rows)

    return AddPartitionsToTxnResponse(
        results_by_transaction=[
            AddPartitionsToTxnResult(transactional_id=name, topic_results=[row(code)])
            for name, code in codes.items()
        ]
    )


def test_what_waits_for_a_coordinator_is_one_request_with_each_transaction_once() -> None:
    questions = Questions()
    one, two, again = questions.ask("one"), questions.ask("two"), questions.ask("one")
    questions.timers.run_soon()
    assert questions.names() == [["one", "two"]]
    three = questions.ask("three")
    questions.timers.run_soon()
    assert questions.names() == [["one", "two"]]

    questions.connection.answer(answer({"two": ErrorCode.PRODUCER_FENCED, "one": ErrorCode.NONE}))
    assert (one.outcome, two.outcome) == (
        {PLACE: ErrorCode.NONE},
        {PLACE: ErrorCode.PRODUCER_FENCED},
    )
    questions.timers.run_soon()
    assert questions.names() == [["one", "two"], ["one", "three"]]
    questions.connection.answer(ConnectionFailed("gone"))
    assert again.outcome == three.outcome == {PLACE: ErrorCode.NETWORK_EXCEPTION}


def test_a_transaction_that_another_leader_has_just_begun_is_asked_for_again_for_a_while() -> None:
    questions = Questions()
    busy = answer({"one": ErrorCode.CONCURRENT_TRANSACTIONS})
    first = questions.ask("one")
    questions.timers.run_soon()
    questions.connection.answer(busy)
    assert not first.is_done
    questions.timers.advance(1)
    questions.timers.run_soon()
    questions.connection.answer(answer({"one": ErrorCode.NONE}))
    assert first.outcome == {PLACE: ErrorCode.NONE}

    second, asked = questions.ask("one"), len(questions.connection.requests)
    for _ in range(6):
        assert not second.is_done
        questions.timers.run_soon()
        questions.connection.answer(busy)
        questions.timers.advance(1)
    assert second.outcome == {PLACE: ErrorCode.CONCURRENT_TRANSACTIONS}
    assert len(questions.connection.requests) == asked + 6

    # A producer that only looks is answered at once: its client tries again.
    third = questions.ask("one", verify_only=True)
    questions.timers.run_soon()
    questions.connection.answer(busy)
    assert third.outcome == {PLACE: ErrorCode.CONCURRENT_TRANSACTIONS}


def test_without_a_coordinator_the_answer_is_there_at_once() -> None:
    questions = Questions()
    questions.leader = None
    assert questions.ask("one").outcome == {PLACE: ErrorCode.COORDINATOR_NOT_AVAILABLE}
