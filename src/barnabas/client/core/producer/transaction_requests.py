"""A transactional producer's requests to its coordinators, and the errors in their responses.

No I/O.

Version limits exclude versions for brokers, or for another version of transactions.

Source: KIP-98, KIP-447 (who commits offsets), KIP-890.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from barnabas.client.core.cluster.topic_ids import TopicIds
from barnabas.client.core.group.group_metadata import GroupMetadata
from barnabas.client.core.group.subscription import by_topic
from barnabas.errors import ErrorCode
from barnabas.protocol.add_offsets_to_txn import AddOffsetsToTxnRequest
from barnabas.protocol.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
)
from barnabas.protocol.end_txn import EndTxnRequest
from barnabas.protocol.init_producer_id import InitProducerIdRequest
from barnabas.protocol.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
)
from barnabas.types import TopicPartition

INIT_AT_MOST: Final = 5  # 6 is of two-phase commit
INIT_THAT_BUMPS: Final = 3
ADD_PARTITIONS_AT_MOST: Final = 3  # 4 is between brokers
END_EXPLICIT_AT_MOST: Final = 4
OFFSETS_EXPLICIT_AT_MOST: Final = 4
OFFSETS_BY_NAME_AT_MOST: Final = 5
PRODUCE_EXPLICIT_AT_MOST: Final = 11


@dataclass(frozen=True, slots=True)
class ProducerIdentity:
    """A transactional producer as brokers know it; id and epoch are -1 until brokers assign them."""

    transactional_id: str
    producer_id: int = -1
    producer_epoch: int = -1

    def init(self, timeout_ms: int) -> InitProducerIdRequest:
        """Request an id and epoch: the next one, if there is one already (KIP-360)."""
        return InitProducerIdRequest(
            transactional_id=self.transactional_id,
            transaction_timeout_ms=timeout_ms,
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
        )

    def add_partitions(self, partitions: Iterable[TopicPartition]) -> AddPartitionsToTxnRequest:
        """Add partitions to the transaction."""
        return AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self.transactional_id,
            v3_and_below_producer_id=self.producer_id,
            v3_and_below_producer_epoch=self.producer_epoch,
            v3_and_below_topics=[
                AddPartitionsToTxnTopic(name=name, partitions=rows)
                for name, rows in by_topic(partitions).items()
            ],
        )

    def add_group(self, group_id: str) -> AddOffsetsToTxnRequest:
        """Add a group to the transaction."""
        return AddOffsetsToTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            group_id=group_id,
        )

    def commit_offsets(
        self,
        group: GroupMetadata,
        offsets: Mapping[TopicPartition, int],
        ids: TopicIds,
        metadata: str = "",
    ) -> TxnOffsetCommitRequest:
        """Save positions of a group with the transaction; `metadata` is stored with each."""
        topics: dict[str, list[TxnOffsetCommitRequestPartition]] = {}
        for where, offset in offsets.items():
            row = TxnOffsetCommitRequestPartition(
                partition_index=where.partition,
                committed_offset=offset,
                committed_leader_epoch=group.epoch_before(where, offset),
                committed_metadata=metadata,
            )
            topics.setdefault(where.topic, []).append(row)
        return TxnOffsetCommitRequest(
            transactional_id=self.transactional_id,
            group_id=group.group_id,
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            generation_id_or_member_epoch=group.generation,
            member_id=group.member_id,
            group_instance_id=group.instance_id,
            topics=[
                TxnOffsetCommitRequestTopic(name=name, topic_id=ids.of(name), partitions=rows)
                for name, rows in topics.items()
            ],
        )

    def end(self, *, commit: bool) -> EndTxnRequest:
        """Commit or abort."""
        return EndTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            committed=commit,
        )


@dataclass(frozen=True, slots=True)
class PreparedTransaction:
    """An open transaction whose records are all stored: any process may commit or abort it.

    `Producer.prepare_transaction` returns it and `Admin.end_transactions` accepts it; it can be
    pickled. `begun`: it is not empty. `implicit`: it uses version 2 of transactions (KIP-890).
    """

    transactional_id: str
    producer_id: int
    producer_epoch: int
    begun: bool
    implicit: bool

    @property
    def identity(self) -> ProducerIdentity:
        """Its producer."""
        return ProducerIdentity(self.transactional_id, self.producer_id, self.producer_epoch)

    @property
    def end_at_most(self) -> int | None:
        """The version of EndTxn that ends it: 5 raises the epoch, which belongs to version 2."""
        return None if self.implicit else END_EXPLICIT_AT_MOST


def refused_partitions(
    response: AddPartitionsToTxnResponse,
) -> Iterator[tuple[TopicPartition, int]]:
    """The partitions that were not added, and why, without those that failed only because others did."""
    for topic in response.results_by_topic_v3_and_below:
        for row in topic.results_by_partition:
            code = row.partition_error_code
            if code not in (ErrorCode.NONE, ErrorCode.OPERATION_NOT_ATTEMPTED):
                yield TopicPartition(topic.name, row.partition_index), code


def refused_offsets(
    response: TxnOffsetCommitResponse, ids: TopicIds
) -> Iterator[tuple[TopicPartition, int]]:
    """The positions that were not saved, and why; `ids` are those of the request."""
    for topic in response.topics:
        name = ids.name_of(topic)
        for row in topic.partitions:
            if row.error_code:
                yield TopicPartition(name, row.partition_index), row.error_code
