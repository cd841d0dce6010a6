"""WHY_NOT: why an API is not served, or not in all versions. For people.

What is served is in `dispatch`; a row here for something that is served by now says nothing.
"""

from collections.abc import Mapping
from types import MappingProxyType

from barnabas.protocol.api_keys import ApiKey

_BROKERS = "brokers ask it of each other, and there is one"
_CONTROLLERS = "asked of a controller, and there is none beside the broker"
_SHARE_GROUPS = "version 0 was of early access, and no release since 4.1 has it (KIP-932)"
_STREAMS_GROUPS = "descriptions of topologies are in no release yet (KIP-1331)"
_QUORUM = "the quorum of controllers is this node, and stays so"

_REASONS: tuple[tuple[str, tuple[ApiKey, ...]], ...] = (
    (
        _BROKERS,
        (
            ApiKey.LEADER_AND_ISR,
            ApiKey.STOP_REPLICA,
            ApiKey.UPDATE_METADATA,
        ),
    ),
    (
        _CONTROLLERS,
        (
            ApiKey.CONTROLLED_SHUTDOWN,
            ApiKey.VOTE,
            ApiKey.BEGIN_QUORUM_EPOCH,
            ApiKey.END_QUORUM_EPOCH,
            ApiKey.ALTER_PARTITION,
            ApiKey.ENVELOPE,
            ApiKey.FETCH_SNAPSHOT,
            ApiKey.BROKER_REGISTRATION,
            ApiKey.BROKER_HEARTBEAT,
            ApiKey.ALLOCATE_PRODUCER_IDS,
            ApiKey.CONTROLLER_REGISTRATION,
            ApiKey.ASSIGN_REPLICAS_TO_DIRS,
            ApiKey.UPDATE_RAFT_VOTER,
        ),
    ),
    (
        _QUORUM,
        (
            ApiKey.ADD_RAFT_VOTER,
            ApiKey.REMOVE_RAFT_VOTER,
            ApiKey.UNREGISTER_CONTROLLER,
        ),
    ),
    ("the only broker cannot be forgotten", (ApiKey.UNREGISTER_BROKER,)),
    (
        _SHARE_GROUPS,
        (
            ApiKey.SHARE_GROUP_HEARTBEAT,
            ApiKey.SHARE_GROUP_DESCRIBE,
            ApiKey.SHARE_FETCH,
            ApiKey.SHARE_ACKNOWLEDGE,
        ),
    ),
    (
        _STREAMS_GROUPS,
        (
            ApiKey.STREAMS_GROUP_HEARTBEAT,
            ApiKey.STREAMS_GROUP_DESCRIBE,
            ApiKey.STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE,
        ),
    ),
)

WHY_NOT: Mapping[ApiKey, str] = MappingProxyType(
    {key: reason for reason, keys in _REASONS for key in keys}
)
"""By key, in the order of reasons."""
