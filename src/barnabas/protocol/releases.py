"""Which release line of Kafka serves which versions of which API, from 0.8.0 to 4.3: facts only.

A row says from which release on a range holds, oldest first; "none" ends an API. To 3.2 it is a broker
with ZooKeeper, from 3.3 on one with KRaft (KIP-833) and the listener that clients use. Versions that
a release calls unstable are left out.
Source: the request schemas of each release; the answers of real brokers in the tests agree.
"""

from collections.abc import Mapping
from types import MappingProxyType

from barnabas.config.releases import RELEASES
from barnabas.protocol.api_keys import ApiKey
from barnabas.versions import VersionRange

_ROWS: Mapping[ApiKey, str] = {
    ApiKey.PRODUCE: (
        "0.8.0 0 · 0.9.0 0-1 · 0.10.0 0-2 · 0.11.0 0-3 · 1.0 0-5 · 2.0 0-6 · 2.1 0-7 · 2.4 0-8 · "
        "2.8 0-9 · 3.7 0-10 · 3.8 0-11 · 4.0 3-12 · 4.1 3-13"
    ),
    ApiKey.FETCH: (
        "0.8.0 0 · 0.9.0 0-1 · 0.10.0 0-2 · 0.10.1 0-3 · 0.11.0 0-5 · 1.0 0-6 · 1.1 0-7 · "
        "2.0 0-8 · 2.1 0-10 · 2.3 0-11 · 2.7 0-12 · 3.1 0-13 · 3.5 0-15 · 3.7 0-16 · 3.9 0-17 · "
        "4.0 4-17 · 4.1 4-18"
    ),
    ApiKey.LIST_OFFSETS: (
        "0.8.0 0 · 0.10.1 0-1 · 0.11.0 0-2 · 2.0 0-3 · 2.1 0-4 · 2.2 0-5 · 2.8 0-6 · 3.0 0-7 · "
        "3.5 0-8 · 3.9 0-9 · 4.0 1-10 · 4.2 1-11"
    ),
    ApiKey.METADATA: (
        "0.8.0 0 · 0.10.0 0-1 · 0.10.1 0-2 · 0.11.0 0-4 · 1.0 0-5 · 2.0 0-6 · 2.1 0-7 · 2.3 0-8 · "
        "2.4 0-9 · 2.8 0-11 · 3.1 0-12 · 4.0 0-13"
    ),
    ApiKey.LEADER_AND_ISR: "0.8.0 0 · 1.0 0-1 · 2.2 0-2 · 2.4 0-4 · 2.8 0-5 · 3.2 0-6 · 3.3 none",
    ApiKey.STOP_REPLICA: "0.8.0 0 · 2.2 0-1 · 2.4 0-2 · 2.6 0-3 · 3.3 none",
    ApiKey.UPDATE_METADATA: (
        "0.8.0 0 · 0.9.0 0-1 · 0.10.0 0-2 · 0.10.2 0-3 · 1.0 0-4 · 2.2 0-5 · 2.4 0-6 · 2.8 0-7 · "
        "3.3 none"
    ),
    ApiKey.CONTROLLED_SHUTDOWN: "0.8.0 0 · 0.9.0 0-1 · 0.10.0 1 · 1.0 0-1 · 2.2 0-2 · 2.4 0-3 · 3.3 none",
    ApiKey.OFFSET_COMMIT: (
        "0.8.1 0 · 0.8.2 0-1 · 0.9.0 0-2 · 0.11.0 0-3 · 2.0 0-4 · 2.1 0-6 · 2.3 0-7 · 2.4 0-8 · "
        "3.7 0-9 · 4.0 2-9 · 4.2 2-10"
    ),
    ApiKey.OFFSET_FETCH: (
        "0.8.1 0 · 0.8.2 0-1 · 0.10.2 0-2 · 0.11.0 0-3 · 2.0 0-4 · 2.1 0-5 · 2.4 0-6 · 2.5 0-7 · 3.0 0-8 · "
        "3.7 0-9 · 4.0 1-9 · 4.2 1-10"
    ),
    ApiKey.FIND_COORDINATOR: (
        "0.8.2 0 · 0.11.0 0-1 · 2.0 0-2 · 2.4 0-3 · 3.0 0-4 · 3.8 0-5 · 3.9 0-6"
    ),
    ApiKey.JOIN_GROUP: (
        "0.8.2 0 · 0.10.1 0-1 · 0.11.0 0-2 · 2.0 0-3 · 2.2 0-4 · 2.3 0-5 · 2.4 0-6 · 2.5 0-7 · "
        "3.2 0-9"
    ),
    ApiKey.HEARTBEAT: "0.8.2 0 · 0.11.0 0-1 · 2.0 0-2 · 2.3 0-3 · 2.4 0-4",
    ApiKey.LEAVE_GROUP: "0.9.0 0 · 0.11.0 0-1 · 2.0 0-2 · 2.4 0-4 · 3.2 0-5",
    ApiKey.SYNC_GROUP: "0.9.0 0 · 0.11.0 0-1 · 2.0 0-2 · 2.3 0-3 · 2.4 0-4 · 2.5 0-5",
    ApiKey.DESCRIBE_GROUPS: "0.9.0 0 · 0.11.0 0-1 · 2.0 0-2 · 2.3 0-3 · 2.4 0-5 · 4.0 0-6",
    ApiKey.LIST_GROUPS: "0.9.0 0 · 0.11.0 0-1 · 2.0 0-2 · 2.4 0-3 · 2.6 0-4 · 3.8 0-5",
    ApiKey.SASL_HANDSHAKE: "0.10.0 0 · 1.0 0-1",
    ApiKey.API_VERSIONS: "0.10.0 0 · 0.11.0 0-1 · 2.0 0-2 · 2.4 0-3 · 3.9 0-4",
    ApiKey.CREATE_TOPICS: (
        "0.10.1 0 · 0.10.2 0-1 · 0.11.0 0-2 · 2.0 0-3 · 2.4 0-5 · 2.7 0-6 · 2.8 0-7 · 4.0 2-7"
    ),
    ApiKey.DELETE_TOPICS: (
        "0.10.1 0 · 0.11.0 0-1 · 2.0 0-2 · 2.1 0-3 · 2.4 0-4 · 2.7 0-5 · 2.8 0-6 · 4.0 1-6"
    ),
    ApiKey.DELETE_RECORDS: "0.11.0 0 · 2.0 0-1 · 2.6 0-2",
    ApiKey.INIT_PRODUCER_ID: "0.11.0 0 · 2.0 0-1 · 2.4 0-2 · 2.5 0-3 · 2.7 0-4 · 3.8 0-5",
    ApiKey.OFFSET_FOR_LEADER_EPOCH: "0.11.0 0 · 2.0 0-1 · 2.1 0-2 · 2.3 0-3 · 2.8 0-4 · 4.0 2-4",
    ApiKey.ADD_PARTITIONS_TO_TXN: "0.11.0 0 · 2.0 0-1 · 2.7 0-2 · 2.8 0-3 · 3.6 0-4 · 3.8 0-5",
    ApiKey.ADD_OFFSETS_TO_TXN: "0.11.0 0 · 2.0 0-1 · 2.7 0-2 · 2.8 0-3 · 3.8 0-4",
    ApiKey.END_TXN: "0.11.0 0 · 2.0 0-1 · 2.7 0-2 · 2.8 0-3 · 3.8 0-4 · 4.0 0-5",
    ApiKey.WRITE_TXN_MARKERS: "0.11.0 0 · 2.8 0-1 · 4.0 1 · 4.2 1-2",
    ApiKey.TXN_OFFSET_COMMIT: "0.11.0 0 · 2.0 0-1 · 2.1 0-2 · 2.5 0-3 · 3.8 0-4 · 4.0 0-5",
    ApiKey.DESCRIBE_ACLS: "0.11.0 0 · 2.0 0-1 · 2.5 0-2 · 3.3 0-3 · 4.0 1-3",
    ApiKey.CREATE_ACLS: "0.11.0 0 · 2.0 0-1 · 2.5 0-2 · 3.3 0-3 · 4.0 1-3",
    ApiKey.DELETE_ACLS: "0.11.0 0 · 2.0 0-1 · 2.5 0-2 · 3.3 0-3 · 4.0 1-3",
    ApiKey.DESCRIBE_CONFIGS: "0.11.0 0 · 1.1 0-1 · 2.0 0-2 · 2.6 0-3 · 2.8 0-4 · 4.0 1-4",
    ApiKey.ALTER_CONFIGS: "0.11.0 0 · 2.0 0-1 · 2.8 0-2",
    ApiKey.ALTER_REPLICA_LOG_DIRS: "1.0 0 · 2.0 0-1 · 2.8 0-2 · 4.0 1-2",
    ApiKey.DESCRIBE_LOG_DIRS: "1.0 0 · 2.0 0-1 · 2.6 0-2 · 3.2 0-3 · 3.3 0-4 · 4.0 1-4 · 4.3 1-5",
    ApiKey.SASL_AUTHENTICATE: "1.0 0 · 2.2 0-1 · 2.5 0-2",
    ApiKey.CREATE_PARTITIONS: "1.0 0 · 2.0 0-1 · 2.5 0-2 · 2.7 0-3",
    ApiKey.CREATE_DELEGATION_TOKEN: "1.1 0 · 2.0 0-1 · 2.4 0-2 · 3.3 none · 3.6 0-3 · 4.0 1-3",
    ApiKey.RENEW_DELEGATION_TOKEN: "1.1 0 · 2.0 0-1 · 2.5 0-2 · 3.3 none · 3.6 0-2 · 4.0 1-2",
    ApiKey.EXPIRE_DELEGATION_TOKEN: "1.1 0 · 2.0 0-1 · 2.5 0-2 · 3.3 none · 3.6 0-2 · 4.0 1-2",
    ApiKey.DESCRIBE_DELEGATION_TOKEN: "1.1 0 · 2.0 0-1 · 2.5 0-2 · 3.3 none · 3.6 0-3 · 4.0 1-3",
    ApiKey.DELETE_GROUPS: "1.1 0 · 2.0 0-1 · 2.4 0-2",
    ApiKey.ELECT_LEADERS: "2.2 0 · 2.4 0-2",
    ApiKey.INCREMENTAL_ALTER_CONFIGS: "2.3 0 · 2.4 0-1",
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: "2.4 0 · 4.1 0-1",
    ApiKey.LIST_PARTITION_REASSIGNMENTS: "2.4 0",
    ApiKey.OFFSET_DELETE: "2.4 0",
    ApiKey.DESCRIBE_CLIENT_QUOTAS: "2.6 0 · 2.8 0-1",
    ApiKey.ALTER_CLIENT_QUOTAS: "2.6 0 · 2.8 0-1",
    ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS: "2.7 0 · 3.3 none · 3.5 0",
    ApiKey.ALTER_USER_SCRAM_CREDENTIALS: "2.7 0 · 3.3 none · 3.5 0",
    ApiKey.DESCRIBE_QUORUM: "3.3 0-1 · 3.9 0-2",
    ApiKey.ALTER_PARTITION: "2.7 0 · 3.2 0-1 · 3.3 none",
    ApiKey.UPDATE_FEATURES: "2.7 0 · 3.3 0-1 · 4.0 0-2",
    ApiKey.DESCRIBE_CLUSTER: "2.8 0 · 3.7 0-1 · 4.0 0-2",
    ApiKey.DESCRIBE_PRODUCERS: "2.8 0",
    ApiKey.UNREGISTER_BROKER: "3.3 0",
    ApiKey.DESCRIBE_TRANSACTIONS: "3.0 0",
    ApiKey.LIST_TRANSACTIONS: "3.0 0 · 3.8 0-1 · 4.1 0-2",
    ApiKey.ALLOCATE_PRODUCER_IDS: "3.0 0 · 3.3 none",
    ApiKey.CONSUMER_GROUP_HEARTBEAT: "3.7 0 · 4.0 0-1",
    ApiKey.CONSUMER_GROUP_DESCRIBE: "3.8 0 · 4.0 0-1",
    ApiKey.GET_TELEMETRY_SUBSCRIPTIONS: "3.7 0",
    ApiKey.PUSH_TELEMETRY: "3.7 0",
    ApiKey.LIST_CONFIG_RESOURCES: "3.7 0 · 4.1 0-1",
    ApiKey.DESCRIBE_TOPIC_PARTITIONS: "3.8 0",
    ApiKey.SHARE_GROUP_HEARTBEAT: "4.1 1",
    ApiKey.SHARE_GROUP_DESCRIBE: "4.1 1",
    ApiKey.SHARE_FETCH: "4.1 1 · 4.2 1-2",
    ApiKey.SHARE_ACKNOWLEDGE: "4.1 1 · 4.2 1-2",
    ApiKey.ADD_RAFT_VOTER: "3.9 0 · 4.2 0-1",
    ApiKey.REMOVE_RAFT_VOTER: "3.9 0",
    ApiKey.INITIALIZE_SHARE_GROUP_STATE: "4.1 0",
    ApiKey.READ_SHARE_GROUP_STATE: "4.1 0",
    ApiKey.WRITE_SHARE_GROUP_STATE: "4.1 0 · 4.2 0-1",
    ApiKey.DELETE_SHARE_GROUP_STATE: "4.1 0",
    ApiKey.READ_SHARE_GROUP_STATE_SUMMARY: "4.1 0 · 4.2 0-1",
    ApiKey.STREAMS_GROUP_HEARTBEAT: "4.2 0",
    ApiKey.STREAMS_GROUP_DESCRIBE: "4.2 0",
    ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS: "4.1 0 · 4.2 0-1",
    ApiKey.ALTER_SHARE_GROUP_OFFSETS: "4.1 0",
    ApiKey.DELETE_SHARE_GROUP_OFFSETS: "4.1 0",
}

ADVERTISED_FROM_ZERO: Mapping[ApiKey, frozenset[str]] = MappingProxyType(
    {ApiKey.PRODUCE: frozenset({"4.0", "4.1", "4.2", "4.3"})}
)
"""APIs that a release says it serves from version 0 on, and does not: librdkafka looks for it."""


def apis_of(release: str) -> dict[ApiKey, VersionRange]:
    """What a broker of that line serves, by the key's number.

    Raises:
        ValueError: there is no such release line.
    """
    last = RELEASES.index(release)
    found: dict[ApiKey, VersionRange] = {}
    for key, row in _ROWS.items():
        for step in row.split(" · "):
            since, versions = step.split()
            if RELEASES.index(since) <= last:
                found[key] = VersionRange.parse(versions)
    return {key: versions for key, versions in found.items() if not versions.is_empty}


def apis_for_clients(release: str) -> dict[ApiKey, VersionRange]:
    """What a client can use of a broker of that line: 0.8.2 knows JoinGroup, but has no membership.

    Raises:
        ValueError: there is no such release line.
    """
    found = apis_of(release)
    if ApiKey.SYNC_GROUP not in found:
        for key in (ApiKey.JOIN_GROUP, ApiKey.HEARTBEAT):
            found.pop(key, None)
    return found


def first_with(api: ApiKey, versions: VersionRange) -> str | None:
    """The oldest release line whose brokers a client can ask one of these versions; None where none is."""
    for release in RELEASES:
        offered = apis_for_clients(release).get(api)
        if offered is not None and not offered.intersection(versions).is_empty:
            return release
    return None
