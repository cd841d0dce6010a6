"""A scripted broker that coordinates transactions: all of them go well, but for its misdeeds."""

from dataclasses import dataclass, field
from typing import Any

from barnabas.errors import ErrorCode
from barnabas.protocol.add_offsets_to_txn import AddOffsetsToTxnResponse
from barnabas.protocol.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopicResult,
)
from barnabas.protocol.api_keys import APIS, ApiKey
from barnabas.protocol.api_versions import ApiVersionsResponse, FinalizedFeatureKey
from barnabas.protocol.end_txn import EndTxnResponse
from barnabas.protocol.find_coordinator import Coordinator, FindCoordinatorResponse
from barnabas.protocol.init_producer_id import InitProducerIdResponse
from barnabas.protocol.txn_offset_commit import (
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)
from barnabas.versions import VersionRange
from tests.client.scripted_broker import SPOKEN, Call, Misdeed, ScriptedBroker, versions_of

_OURS = (
    ApiKey.FIND_COORDINATOR,
    ApiKey.ADD_PARTITIONS_TO_TXN,
    ApiKey.ADD_OFFSETS_TO_TXN,
    ApiKey.TXN_OFFSET_COMMIT,
    ApiKey.END_TXN,
)


@dataclass(slots=True)
class ScriptedCoordinator(ScriptedBroker):
    """By `version` 2 of transactions each has an epoch of its own.

    `newest` are versions of APIs that it speaks up to, where those are not all.
    """

    version: int = 1
    newest: dict[ApiKey, int] = field(default_factory=dict)
    epoch: int = -1

    def asked(self, api: ApiKey) -> list[Any]:
        """The requests of an API."""
        return [message for key, message in self.calls if key is api]

    def _right(self, api: ApiKey, message: Any) -> object:
        match api:
            case ApiKey.API_VERSIONS:
                return self._versions()
            case ApiKey.FIND_COORDINATOR:
                return self._found(message)
            case ApiKey.INIT_PRODUCER_ID:
                self.epoch += 1
                return InitProducerIdResponse(
                    error_code=0, producer_id=5, producer_epoch=self.epoch
                )
            case ApiKey.END_TXN:
                self.epoch += self.version > 1
                return EndTxnResponse(error_code=0, producer_id=5, producer_epoch=self.epoch)
            case _:
                return _taken(api, message) or ScriptedBroker._right(self, api, message)

    def _versions(self) -> ApiVersionsResponse:
        spoken = {each: APIS[each].versions for each in (*SPOKEN, *_OURS)}
        for api, newest in self.newest.items():
            spoken[api] = VersionRange(spoken[api].first, newest)
        response = versions_of(spoken)
        response.finalized_features = [
            FinalizedFeatureKey(
                name="transaction.version",
                max_version_level=self.version,
                min_version_level=self.version,
            )
        ]
        return response

    def _found(self, message: Any) -> FindCoordinatorResponse:
        host, port = self._listener.getsockname()
        found = [
            Coordinator(key=key, node_id=1, host=host, port=port, error_code=0, error_message=None)
            for key in message.coordinator_keys
        ]
        return FindCoordinatorResponse(coordinators=found)


def refuse(code: ErrorCode) -> Misdeed:
    """Answer with an error, in all rows that there are."""

    def refusing(call: Call) -> None:
        for row in _rows(call.right):
            name = "partition_error_code" if hasattr(row, "partition_error_code") else "error_code"
            setattr(row, name, code)
        call.reply(call.right)

    return refusing


def _rows(response: Any) -> list[Any]:
    match response:
        case FindCoordinatorResponse():
            return response.coordinators
        case AddPartitionsToTxnResponse():
            topics = response.results_by_topic_v3_and_below
            return [row for topic in topics for row in topic.results_by_partition]
        case TxnOffsetCommitResponse():
            return [row for topic in response.topics for row in topic.partitions]
        case InitProducerIdResponse() | EndTxnResponse() | AddOffsetsToTxnResponse():
            return [response]
        case _:
            return [row for topic in response.responses for row in topic.partition_responses]


def _taken(api: ApiKey, message: Any) -> object | None:
    if api is ApiKey.ADD_OFFSETS_TO_TXN:
        return AddOffsetsToTxnResponse(error_code=0)
    if api is ApiKey.ADD_PARTITIONS_TO_TXN:
        added = [
            AddPartitionsToTxnTopicResult(
                name=topic.name,
                results_by_partition=[
                    AddPartitionsToTxnPartitionResult(partition_index=each, partition_error_code=0)
                    for each in topic.partitions
                ],
            )
            for topic in message.v3_and_below_topics
        ]
        return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=added)
    if api is ApiKey.TXN_OFFSET_COMMIT:
        saved = [
            TxnOffsetCommitResponseTopic(
                name=topic.name,
                topic_id=topic.topic_id,
                partitions=[
                    TxnOffsetCommitResponsePartition(
                        partition_index=each.partition_index, error_code=0
                    )
                    for each in topic.partitions
                ],
            )
            for topic in message.topics
        ]
        return TxnOffsetCommitResponse(topics=saved)
    return None
