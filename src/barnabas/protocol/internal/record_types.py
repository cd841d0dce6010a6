"""Which kind of record is declared where: the numbers that keys, or values, of records begin with.

In __consumer_offsets, __transaction_state and __share_group_state the key begins with its kind as
int16 and the value with its version as int16. In the metadata log and __remote_log_metadata there
are no keys: the value begins with three unsigned varints, 1 for this layout, its type and version.
"""

from collections.abc import Mapping
from types import MappingProxyType

from barnabas.protocol.internal.access_records import (
    AccessControlEntryRecord,
    AccessControlRecord,
    ClientQuotaRecord,
    ConfigRecord,
    DelegationTokenRecord,
    RemoveAccessControlEntryRecord,
    RemoveDelegationTokenRecord,
    RemoveUserScramCredentialRecord,
    UserScramCredentialRecord,
)
from barnabas.protocol.internal.broker_records import (
    BrokerRegistrationChangeRecord,
    FenceBrokerRecord,
    RegisterBrokerRecord,
    UnfenceBrokerRecord,
    UnregisterBrokerRecord,
)
from barnabas.protocol.internal.consumer_group_records import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
    ConsumerGroupPartitionMetadataKey,
    ConsumerGroupPartitionMetadataValue,
    ConsumerGroupRegularExpressionKey,
    ConsumerGroupRegularExpressionValue,
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMemberValue,
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
)
from barnabas.protocol.internal.controller_records import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    EndTransactionRecord,
    FeatureLevelRecord,
    NoOpRecord,
    ProducerIdsRecord,
    RegisterControllerRecord,
    RemoveFeatureLevelRecord,
    UnregisterControllerRecord,
    ZkMigrationRecord,
)
from barnabas.protocol.internal.group_metadata_record import GroupMetadataKey, GroupMetadataValue
from barnabas.protocol.internal.offset_commit_record import (
    LegacyOffsetCommitKey,
    LegacyOffsetCommitValue,
    OffsetCommitKey,
    OffsetCommitValue,
)
from barnabas.protocol.internal.remote_log_records import (
    RemoteLogSegmentMetadataRecord,
    RemoteLogSegmentMetadataSnapshotRecord,
    RemoteLogSegmentMetadataUpdateRecord,
    RemotePartitionDeleteMetadataRecord,
)
from barnabas.protocol.internal.share_group_records import (
    ShareGroupCurrentMemberAssignmentKey,
    ShareGroupCurrentMemberAssignmentValue,
    ShareGroupMemberMetadataKey,
    ShareGroupMemberMetadataValue,
    ShareGroupMetadataKey,
    ShareGroupMetadataValue,
    ShareGroupPartitionMetadataKey,
    ShareGroupPartitionMetadataValue,
    ShareGroupStatePartitionMetadataKey,
    ShareGroupStatePartitionMetadataValue,
    ShareGroupTargetAssignmentMemberKey,
    ShareGroupTargetAssignmentMemberValue,
    ShareGroupTargetAssignmentMetadataKey,
    ShareGroupTargetAssignmentMetadataValue,
)
from barnabas.protocol.internal.share_state_records import (
    ShareSnapshotKey,
    ShareSnapshotValue,
    ShareUpdateKey,
    ShareUpdateValue,
)
from barnabas.protocol.internal.streams_group_records import (
    StreamsGroupCurrentMemberAssignmentKey,
    StreamsGroupCurrentMemberAssignmentValue,
    StreamsGroupMemberMetadataKey,
    StreamsGroupMemberMetadataValue,
    StreamsGroupMetadataKey,
    StreamsGroupMetadataValue,
    StreamsGroupTargetAssignmentMemberKey,
    StreamsGroupTargetAssignmentMemberValue,
    StreamsGroupTargetAssignmentMetadataKey,
    StreamsGroupTargetAssignmentMetadataValue,
    StreamsGroupTopologyKey,
    StreamsGroupTopologyValue,
)
from barnabas.protocol.internal.topic_records import (
    ClearElrRecord,
    PartitionChangeRecord,
    PartitionRecord,
    RemoveTopicRecord,
    TopicRecord,
)
from barnabas.protocol.internal.transaction_record import TransactionLogKey, TransactionLogValue

GROUP_RECORDS: Mapping[int, tuple[type, type]] = MappingProxyType(
    {
        0: (LegacyOffsetCommitKey, LegacyOffsetCommitValue),
        1: (OffsetCommitKey, OffsetCommitValue),
        2: (GroupMetadataKey, GroupMetadataValue),
        3: (ConsumerGroupMetadataKey, ConsumerGroupMetadataValue),
        4: (ConsumerGroupPartitionMetadataKey, ConsumerGroupPartitionMetadataValue),
        5: (ConsumerGroupMemberMetadataKey, ConsumerGroupMemberMetadataValue),
        6: (ConsumerGroupTargetAssignmentMetadataKey, ConsumerGroupTargetAssignmentMetadataValue),
        7: (ConsumerGroupTargetAssignmentMemberKey, ConsumerGroupTargetAssignmentMemberValue),
        8: (ConsumerGroupCurrentMemberAssignmentKey, ConsumerGroupCurrentMemberAssignmentValue),
        9: (ShareGroupPartitionMetadataKey, ShareGroupPartitionMetadataValue),
        10: (ShareGroupMemberMetadataKey, ShareGroupMemberMetadataValue),
        11: (ShareGroupMetadataKey, ShareGroupMetadataValue),
        12: (ShareGroupTargetAssignmentMetadataKey, ShareGroupTargetAssignmentMetadataValue),
        13: (ShareGroupTargetAssignmentMemberKey, ShareGroupTargetAssignmentMemberValue),
        14: (ShareGroupCurrentMemberAssignmentKey, ShareGroupCurrentMemberAssignmentValue),
        15: (ShareGroupStatePartitionMetadataKey, ShareGroupStatePartitionMetadataValue),
        16: (ConsumerGroupRegularExpressionKey, ConsumerGroupRegularExpressionValue),
        17: (StreamsGroupMetadataKey, StreamsGroupMetadataValue),
        19: (StreamsGroupMemberMetadataKey, StreamsGroupMemberMetadataValue),
        20: (StreamsGroupTargetAssignmentMetadataKey, StreamsGroupTargetAssignmentMetadataValue),
        21: (StreamsGroupTargetAssignmentMemberKey, StreamsGroupTargetAssignmentMemberValue),
        22: (StreamsGroupCurrentMemberAssignmentKey, StreamsGroupCurrentMemberAssignmentValue),
        23: (StreamsGroupTopologyKey, StreamsGroupTopologyValue),
    }
)
"""__consumer_offsets: key and value by the kind of the key."""

TRANSACTION_RECORDS: Mapping[int, tuple[type, type]] = MappingProxyType(
    {
        0: (TransactionLogKey, TransactionLogValue),
    }
)
"""__transaction_state: key and value by the kind of the key."""

SHARE_STATE_RECORDS: Mapping[int, tuple[type, type]] = MappingProxyType(
    {
        0: (ShareSnapshotKey, ShareSnapshotValue),
        1: (ShareUpdateKey, ShareUpdateValue),
    }
)
"""__share_group_state: key and value by the kind of the key."""

METADATA_RECORDS: Mapping[int, type] = MappingProxyType(
    {
        0: RegisterBrokerRecord,
        1: UnregisterBrokerRecord,
        2: TopicRecord,
        3: PartitionRecord,
        4: ConfigRecord,
        5: PartitionChangeRecord,
        6: AccessControlRecord,
        7: FenceBrokerRecord,
        8: UnfenceBrokerRecord,
        9: RemoveTopicRecord,
        10: DelegationTokenRecord,
        11: UserScramCredentialRecord,
        12: FeatureLevelRecord,
        14: ClientQuotaRecord,
        15: ProducerIdsRecord,
        16: RemoveFeatureLevelRecord,
        17: BrokerRegistrationChangeRecord,
        18: AccessControlEntryRecord,
        19: RemoveAccessControlEntryRecord,
        20: NoOpRecord,
        21: ZkMigrationRecord,
        22: RemoveUserScramCredentialRecord,
        23: BeginTransactionRecord,
        24: EndTransactionRecord,
        25: AbortTransactionRecord,
        26: RemoveDelegationTokenRecord,
        27: RegisterControllerRecord,
        28: ClearElrRecord,
        29: UnregisterControllerRecord,
    }
)
"""The metadata log: records by type."""

REMOTE_LOG_RECORDS: Mapping[int, type] = MappingProxyType(
    {
        0: RemoteLogSegmentMetadataRecord,
        1: RemoteLogSegmentMetadataUpdateRecord,
        2: RemotePartitionDeleteMetadataRecord,
        3: RemoteLogSegmentMetadataSnapshotRecord,
    }
)
"""__remote_log_metadata: records by type."""
