"""The APIs: their keys, and the messages of those that are declared. Knows no behaviour."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType

from barnabas.protocol.add_offsets_to_txn import AddOffsetsToTxnRequest, AddOffsetsToTxnResponse
from barnabas.protocol.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
)
from barnabas.protocol.alter_configs import AlterConfigsRequest, AlterConfigsResponse
from barnabas.protocol.api_versions import ApiVersionsRequest, ApiVersionsResponse
from barnabas.protocol.create_partitions import CreatePartitionsRequest, CreatePartitionsResponse
from barnabas.protocol.create_topics import CreateTopicsRequest, CreateTopicsResponse
from barnabas.protocol.delete_records import DeleteRecordsRequest, DeleteRecordsResponse
from barnabas.protocol.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from barnabas.protocol.describe_cluster import DescribeClusterRequest, DescribeClusterResponse
from barnabas.protocol.describe_configs import DescribeConfigsRequest, DescribeConfigsResponse
from barnabas.protocol.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
)
from barnabas.protocol.end_txn import EndTxnRequest, EndTxnResponse
from barnabas.protocol.fetch import FetchRequest, FetchResponse
from barnabas.protocol.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from barnabas.protocol.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from barnabas.protocol.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from barnabas.protocol.list_offsets import ListOffsetsRequest, ListOffsetsResponse
from barnabas.protocol.metadata import MetadataRequest, MetadataResponse
from barnabas.protocol.offset_commit import OffsetCommitRequest, OffsetCommitResponse
from barnabas.protocol.offset_fetch import OffsetFetchRequest, OffsetFetchResponse
from barnabas.protocol.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
)
from barnabas.protocol.produce import ProduceRequest, ProduceResponse
from barnabas.protocol.txn_offset_commit import TxnOffsetCommitRequest, TxnOffsetCommitResponse
from barnabas.versions import VersionRange
from barnabas.wire.schema import declaration_of


class ApiKey(IntEnum):
    """The number of an API in a request header; all that any release has had."""

    __hash__ = int.__hash__  # That of an enumeration is Python, and each request looks for its row.

    PRODUCE = 0
    FETCH = 1
    LIST_OFFSETS = 2
    METADATA = 3
    LEADER_AND_ISR = 4
    STOP_REPLICA = 5
    UPDATE_METADATA = 6
    CONTROLLED_SHUTDOWN = 7
    OFFSET_COMMIT = 8
    OFFSET_FETCH = 9
    FIND_COORDINATOR = 10
    JOIN_GROUP = 11
    HEARTBEAT = 12
    LEAVE_GROUP = 13
    SYNC_GROUP = 14
    DESCRIBE_GROUPS = 15
    LIST_GROUPS = 16
    SASL_HANDSHAKE = 17
    API_VERSIONS = 18
    CREATE_TOPICS = 19
    DELETE_TOPICS = 20
    DELETE_RECORDS = 21
    INIT_PRODUCER_ID = 22
    OFFSET_FOR_LEADER_EPOCH = 23
    ADD_PARTITIONS_TO_TXN = 24
    ADD_OFFSETS_TO_TXN = 25
    END_TXN = 26
    WRITE_TXN_MARKERS = 27
    TXN_OFFSET_COMMIT = 28
    DESCRIBE_ACLS = 29
    CREATE_ACLS = 30
    DELETE_ACLS = 31
    DESCRIBE_CONFIGS = 32
    ALTER_CONFIGS = 33
    ALTER_REPLICA_LOG_DIRS = 34
    DESCRIBE_LOG_DIRS = 35
    SASL_AUTHENTICATE = 36
    CREATE_PARTITIONS = 37
    CREATE_DELEGATION_TOKEN = 38
    RENEW_DELEGATION_TOKEN = 39
    EXPIRE_DELEGATION_TOKEN = 40
    DESCRIBE_DELEGATION_TOKEN = 41
    DELETE_GROUPS = 42
    ELECT_LEADERS = 43
    INCREMENTAL_ALTER_CONFIGS = 44
    ALTER_PARTITION_REASSIGNMENTS = 45
    LIST_PARTITION_REASSIGNMENTS = 46
    OFFSET_DELETE = 47
    DESCRIBE_CLIENT_QUOTAS = 48
    ALTER_CLIENT_QUOTAS = 49
    DESCRIBE_USER_SCRAM_CREDENTIALS = 50
    ALTER_USER_SCRAM_CREDENTIALS = 51
    VOTE = 52
    BEGIN_QUORUM_EPOCH = 53
    END_QUORUM_EPOCH = 54
    DESCRIBE_QUORUM = 55
    ALTER_PARTITION = 56
    UPDATE_FEATURES = 57
    ENVELOPE = 58
    FETCH_SNAPSHOT = 59
    DESCRIBE_CLUSTER = 60
    DESCRIBE_PRODUCERS = 61
    BROKER_REGISTRATION = 62
    BROKER_HEARTBEAT = 63
    UNREGISTER_BROKER = 64
    DESCRIBE_TRANSACTIONS = 65
    LIST_TRANSACTIONS = 66
    ALLOCATE_PRODUCER_IDS = 67
    CONSUMER_GROUP_HEARTBEAT = 68
    CONSUMER_GROUP_DESCRIBE = 69
    CONTROLLER_REGISTRATION = 70
    GET_TELEMETRY_SUBSCRIPTIONS = 71
    PUSH_TELEMETRY = 72
    ASSIGN_REPLICAS_TO_DIRS = 73
    LIST_CONFIG_RESOURCES = 74
    DESCRIBE_TOPIC_PARTITIONS = 75
    SHARE_GROUP_HEARTBEAT = 76
    SHARE_GROUP_DESCRIBE = 77
    SHARE_FETCH = 78
    SHARE_ACKNOWLEDGE = 79
    ADD_RAFT_VOTER = 80
    REMOVE_RAFT_VOTER = 81
    UPDATE_RAFT_VOTER = 82
    INITIALIZE_SHARE_GROUP_STATE = 83
    READ_SHARE_GROUP_STATE = 84
    WRITE_SHARE_GROUP_STATE = 85
    DELETE_SHARE_GROUP_STATE = 86
    READ_SHARE_GROUP_STATE_SUMMARY = 87
    STREAMS_GROUP_HEARTBEAT = 88
    STREAMS_GROUP_DESCRIBE = 89
    DESCRIBE_SHARE_GROUP_OFFSETS = 90
    ALTER_SHARE_GROUP_OFFSETS = 91
    DELETE_SHARE_GROUP_OFFSETS = 92
    STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE = 93
    UNREGISTER_CONTROLLER = 94


@dataclass(frozen=True, slots=True)
class Api:
    """One API: its messages and every version that there has been of them."""

    key: ApiKey
    name: str
    request: type
    response: type
    versions: VersionRange
    flexible: VersionRange


def apis_of(*pairs: tuple[type, type]) -> Mapping[ApiKey, Api]:
    """The APIs of these requests and responses; each is checked to agree with itself."""
    apis = {}
    for request, response in pairs:
        asked, answered = declaration_of(request), declaration_of(response)
        assert asked.key is not None
        key = ApiKey(asked.key)
        name = request.__name__.removesuffix("Request")
        request_row = (asked.key, asked.versions, asked.flexible)
        assert request_row == (answered.key, answered.versions, answered.flexible), name
        assert key not in apis, name
        apis[key] = Api(key, name, request, response, asked.versions, asked.flexible)
    return MappingProxyType(apis)


APIS: Mapping[ApiKey, Api] = apis_of(
    (ProduceRequest, ProduceResponse),
    (FetchRequest, FetchResponse),
    (ListOffsetsRequest, ListOffsetsResponse),
    (MetadataRequest, MetadataResponse),
    (OffsetCommitRequest, OffsetCommitResponse),
    (OffsetFetchRequest, OffsetFetchResponse),
    (FindCoordinatorRequest, FindCoordinatorResponse),
    (ApiVersionsRequest, ApiVersionsResponse),
    (CreateTopicsRequest, CreateTopicsResponse),
    (DeleteTopicsRequest, DeleteTopicsResponse),
    (DeleteRecordsRequest, DeleteRecordsResponse),
    (InitProducerIdRequest, InitProducerIdResponse),
    (OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse),
    (AddPartitionsToTxnRequest, AddPartitionsToTxnResponse),
    (AddOffsetsToTxnRequest, AddOffsetsToTxnResponse),
    (EndTxnRequest, EndTxnResponse),
    (TxnOffsetCommitRequest, TxnOffsetCommitResponse),
    (DescribeConfigsRequest, DescribeConfigsResponse),
    (AlterConfigsRequest, AlterConfigsResponse),
    (CreatePartitionsRequest, CreatePartitionsResponse),
    (IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse),
    (DescribeClusterRequest, DescribeClusterResponse),
    (DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse),
)
"""The APIs that no broker or client is without; `declared` imports the others when asked."""
