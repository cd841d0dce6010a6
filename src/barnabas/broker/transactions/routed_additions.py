"""RoutedAdditions: asks a transaction's coordinator to verify or add partitions.

Leaders of partitions ask before they take records of a transaction (KIP-890). The coordinator may be
this broker or another one, which is asked by AddPartitionsToTxn: all that waits for it in one request.

Source: Kafka's AddPartitionsToTxnManager.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from barnabas.broker.cluster.member import ClusterMember
from barnabas.broker.cluster.peer_queues import Exchange, PeerQueues
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.transactions.transactions import Transactions
from barnabas.coordinators.internal_topics import TRANSACTIONS_TOPIC
from barnabas.coordinators.transaction.adding import AddRequest
from barnabas.errors import BrokerError, ErrorCode, StorageError
from barnabas.ports import Timers
from barnabas.protocol.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from barnabas.protocol.api_keys import ApiKey
from barnabas.types import NodeId, TopicPartition

Codes = Mapping[TopicPartition, ErrorCode]

_MOST_AT_ONCE = 1000
"""Transactions of a request."""
_AGAIN_SECONDS = 0.02
_TRIES = 5
"""Another leader may just have begun the same transaction: for 100 ms, Kafka's default, that is waited for."""


@dataclass(frozen=True, slots=True)
class _Question:
    """One transaction's; `answer` gets a code for each partition."""

    addition: AddRequest
    verify_only: bool
    answer: Pending
    tries_left: int = _TRIES


class RoutedAdditions:
    """For one thread."""

    def __init__(self, transactions: Transactions, member: ClusterMember, timers: Timers) -> None:
        self._transactions = transactions
        self._member = member
        self._timers = timers
        self._queues = PeerQueues(member, timers, self._begin)

    @property
    def can_ask(self) -> bool:
        """Whether the other brokers have the request; before Kafka 3.6 they have not."""
        return self._member.versions.add_partitions_to_txn >= 0

    def ask(self, addition: AddRequest, *, verify_only: bool) -> Pending:
        """A code for each partition, once the coordinator has written that they take part.

        `verify_only`: they must take part already.
        """
        answer = Pending()
        self._take(_Question(addition, verify_only, answer))
        return answer

    def _take(self, question: _Question) -> None:
        leader = self._coordinator(question.addition.transactional_id)
        if leader == self._member.node_id:
            self._take_here(question)
        elif leader is None or not self._queues.add(leader, question):
            self._answer_all(question, ErrorCode.COORDINATOR_NOT_AVAILABLE)

    def _coordinator(self, transactional_id: str) -> NodeId | None:
        return self._member.topics.leader_of(TRANSACTIONS_TOPIC, transactional_id)

    def _take_here(self, question: _Question) -> None:
        answer_all = partial(self._answer_all, question)
        try:
            if question.verify_only:
                self._answer(question, self._transactions.verify(question.addition))
            else:
                self._transactions.add(question.addition, answer_all)
                self._transactions.flush()
        except (BrokerError, StorageError) as error:
            answer_all(error.code)

    def _answer_all(self, question: _Question, code: ErrorCode) -> None:
        self._answer(question, dict.fromkeys(question.addition.partitions, code))

    def _answer(self, question: _Question, codes: Codes) -> None:
        is_busy = ErrorCode.CONCURRENT_TRANSACTIONS in codes.values()
        if is_busy and not question.verify_only and question.tries_left:
            again = replace(question, tries_left=question.tries_left - 1)
            self._timers.after(_AGAIN_SECONDS, partial(self._take, again))
        else:
            question.answer.complete(codes)

    def _begin(self, waiting: list[_Question]) -> Exchange:
        """One request for as many as can be in it: of each transaction one question."""
        taken: dict[str, _Question] = {}
        left: list[_Question] = []
        for one in waiting:
            transactional_id = one.addition.transactional_id
            if transactional_id in taken or len(taken) == _MOST_AT_ONCE:
                left.append(one)
            else:
                taken[transactional_id] = one
        waiting[:] = left
        request = AddPartitionsToTxnRequest(transactions=[_row(one) for one in taken.values()])
        version = self._member.versions.add_partitions_to_txn
        answered = partial(self._answered, [*taken.values()])
        return Exchange(ApiKey.ADD_PARTITIONS_TO_TXN, version, request, answered)

    def _answered(self, questions: Sequence[_Question], response: object) -> None:
        if not isinstance(response, AddPartitionsToTxnResponse):
            for one in questions:
                self._answer_all(one, ErrorCode.NETWORK_EXCEPTION)
            return
        codes = _codes(response)
        for one in questions:
            of_all = ErrorCode.of(response.error_code) or ErrorCode.UNKNOWN_SERVER_ERROR
            found = codes.get(one.addition.transactional_id, {})
            self._answer(
                one, {place: found.get(place, of_all) for place in one.addition.partitions}
            )


def _row(question: _Question) -> AddPartitionsToTxnTransaction:
    addition = question.addition
    topics: dict[str, list[int]] = {}
    for topic, index in sorted(addition.partitions):
        topics.setdefault(topic, []).append(index)
    return AddPartitionsToTxnTransaction(
        transactional_id=addition.transactional_id,
        producer_id=addition.producer.id,
        producer_epoch=addition.producer.epoch,
        verify_only=question.verify_only,
        topics=[AddPartitionsToTxnTopic(name=name, partitions=of) for name, of in topics.items()],
    )


def _codes(response: AddPartitionsToTxnResponse) -> dict[str, Codes]:
    return {
        one.transactional_id: {
            TopicPartition(topic.name, row.partition_index): ErrorCode.of(row.partition_error_code)
            for topic in one.topic_results
            for row in topic.results_by_partition
        }
        for one in response.results_by_transaction
    }
