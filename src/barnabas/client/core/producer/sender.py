"""What responses to a producer's requests mean for its batches. No I/O, no clock."""

from typing import Final

from barnabas.client.core.cluster.cluster_view import Broker
from barnabas.client.core.producer.delivery import StoredBatch
from barnabas.client.core.producer.idempotence import (
    AppendResult,
)
from barnabas.client.core.producer.old_formats import NEWEST_MAGIC, as_messages, magic_of_produce
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.client.core.producer.send_plan import ProduceBatches
from barnabas.client.core.producer.send_planning import SendPlanner
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.produce import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.types import Buffer, TopicPartition

_BY_ID_SINCE: Final = 13
"""The version of Produce that names topics by id."""


class Sender(SendPlanner):
    """The sending side of a producer."""

    def request(self, outgoing: ProduceBatches, version: int, now: float) -> ProduceRequest:
        """The request for these batches in a version of Produce.

        Batches with records that this version cannot store fail, and are taken out of `outgoing`.
        """
        by_id = version >= _BY_ID_SINCE
        magic = magic_of_produce(version)
        converted = {} if magic == NEWEST_MAGIC else self._converted(outgoing, magic, now)
        topics = outgoing.rows_by_topic(converted)
        return ProduceRequest(
            transactional_id=self._options.transactional_id,
            acks=self._options.acks,
            timeout_ms=int(self._options.request_timeout_s * 1000),
            topic_data=[
                TopicProduceData(
                    name=name, topic_id=self._view.topics[name].topic_id, partition_data=rows
                )
                if by_id
                else TopicProduceData(name=name, partition_data=rows)
                for name, rows in topics.items()
            ],
        )

    def answered(self, outgoing: ProduceBatches, response: ProduceResponse, now: float) -> bool:
        """Handle a response; return whether metadata should be requested."""
        self._in_flight[outgoing.node_id] -= 1
        for broker in response.node_endpoints:
            self._view.adopt_broker(Broker(broker.node_id, broker.host, broker.port, broker.rack))
        rows: dict[TopicPartition, PartitionProduceResponse] = {}
        for topic in response.responses:
            name = topic.name or self._view.topic_named(topic.topic_id) or ""
            for row in topic.partition_responses:
                rows[TopicPartition(name, row.index)] = row
        stale = False
        for batch in outgoing.batches:
            found = rows.get(batch.where)
            if found is None:
                error = BrokerError(
                    ErrorCode.UNKNOWN_SERVER_ERROR, "the broker did not answer for it"
                )
                self.outcomes.resolve(batch, ErrorCode.UNKNOWN_SERVER_ERROR, error, None, now)
                continue
            code = ErrorCode.of(found.error_code)
            error = BrokerError(found.error_code, found.error_message or code.text)
            self.outcomes.resolve(batch, code, error, found, now)
            stale |= code.stale_metadata and not self._hinted(batch.where, found)
        return stale

    def sent_unanswered(self, outgoing: ProduceBatches) -> None:
        """Requests with acks=0 are done once they are sent."""
        self._in_flight[outgoing.node_id] -= 1
        for batch in outgoing.batches:
            self._records.queues[batch.where].settled(batch)
            self.outcomes.settle(batch, StoredBatch())

    def failed(self, outgoing: ProduceBatches, error: KafkaError, now: float) -> None:
        """No response arrived: the connection was lost, or the request timed out."""
        self._in_flight[outgoing.node_id] -= 1
        for batch in outgoing.batches:
            self.outcomes.resolve(batch, error.code, error, None, now, answer=AppendResult.OPEN)

    def unsent(self, outgoing: ProduceBatches, error: KafkaError, now: float) -> None:
        """The request was never sent."""
        self._in_flight[outgoing.node_id] -= 1
        for batch in outgoing.batches:
            self.outcomes.resolve(batch, error.code, error, None, now, answer=AppendResult.REJECTED)

    def reconnected(self, node_id: int) -> None:
        """From now on, another connection to a broker is used."""
        for queue in list(self._records.queues.values()):
            if queue.leader[0] == node_id:
                queue.sent.disturbed()

    def _converted(
        self, outgoing: ProduceBatches, magic: int, now: float
    ) -> dict[ProducerBatch, Buffer]:
        found: dict[ProducerBatch, Buffer] = {}
        for batch in outgoing.batches:
            assert batch.payload is not None, "what is sent is built"
            try:
                found[batch] = as_messages(batch.payload, magic)
            except BrokerError as error:
                rejected = AppendResult.REJECTED
                self.outcomes.resolve(batch, error.code, error, None, now, answer=rejected)
        outgoing.batches = list(found)
        return found

    def _hinted(self, where: TopicPartition, row: PartitionProduceResponse) -> bool:
        """Whether the broker returned the new leader with the error (KIP-951)."""
        hint = row.current_leader
        return hint is not None and self._view.adopt_leader(
            where, hint.leader_id, hint.leader_epoch
        )
