"""ROUTES: the handler and the versions of each API.

ApiVersions advertises exactly this, or what a release of Kafka had of it (see `profiles`).
"""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import NamedTuple, Never, cast

from barnabas.broker.apis import api_versions, fetch, list_offsets, metadata, produce
from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.protocol.api_keys import ApiKey
from barnabas.versions import VersionRange

Handler = Callable[[Broker, RequestContext, Never], object]
"""Takes a request of its API; gives the response, or a Pending of it."""


class Route(NamedTuple):
    """A handler and the versions it serves."""

    handle: Handler
    versions: VersionRange


def _route(handle: Handler, versions: str) -> Route:
    return Route(handle, VersionRange.parse(versions))


def _late(api: str, versions: str) -> Route:
    """A handler that is imported when it is first asked: a broker starts faster without it."""
    return _route(partial(_ask, api), versions)


def _of_controller(api: str, versions: str) -> Route:
    """A late handler of what a member of a cluster leaves to its controller."""
    return _route(partial(_ask_or_forward, api), versions)


def _ask_or_forward(api: str, broker: Broker, context: RequestContext, request: Never) -> object:
    if broker.member is None or broker.member.controller.is_active:
        # Asked each time: another broker of this process may be a member.
        return _handler_of(api)(broker, context, request)
    from barnabas.broker.requests.forwarding import forward

    return forward(broker.member, context, request)


def _handler_of(api: str) -> Handler:
    handler: Handler = import_module(f"barnabas.broker.apis.{api}").handle
    return handler


def _ask(api: str, broker: Broker, context: RequestContext, request: Never) -> object:
    found = _handler_of(api)
    # From now on without a detour.
    HANDLERS[context.api_key] = cast("Callable[[Broker, RequestContext, object], object]", found)
    return found(broker, context, request)


ROUTES: Mapping[ApiKey, Route] = {
    ApiKey.PRODUCE: _route(produce.handle, "0-13"),
    ApiKey.FETCH: _route(fetch.handle, "0-18"),
    ApiKey.LIST_OFFSETS: _route(list_offsets.handle, "0-11"),
    ApiKey.METADATA: _route(metadata.handle, "0-13"),
    ApiKey.OFFSET_COMMIT: _late("offset_commit", "0-10"),
    ApiKey.OFFSET_FETCH: _late("offset_fetch", "0-10"),
    ApiKey.FIND_COORDINATOR: _late("find_coordinator", "0-6"),
    ApiKey.JOIN_GROUP: _late("join_group", "0-9"),
    ApiKey.HEARTBEAT: _late("heartbeat", "0-4"),
    ApiKey.LEAVE_GROUP: _late("leave_group", "0-5"),
    ApiKey.SYNC_GROUP: _late("sync_group", "0-5"),
    ApiKey.DESCRIBE_GROUPS: _late("describe_groups", "0-6"),
    ApiKey.LIST_GROUPS: _late("list_groups", "0-5"),
    ApiKey.SASL_HANDSHAKE: _late("sasl_handshake", "0-1"),
    ApiKey.API_VERSIONS: _route(api_versions.handle, "0-5"),
    ApiKey.CREATE_TOPICS: _of_controller("create_topics", "0-7"),
    ApiKey.DELETE_TOPICS: _of_controller("delete_topics", "0-6"),
    ApiKey.DELETE_RECORDS: _late("delete_records", "0-2"),
    ApiKey.INIT_PRODUCER_ID: _late("init_producer_id", "0-6"),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: _late("offset_for_leader_epoch", "0-4"),
    ApiKey.ADD_PARTITIONS_TO_TXN: _late("add_partitions_to_txn", "0-5"),
    ApiKey.ADD_OFFSETS_TO_TXN: _late("add_offsets_to_txn", "0-4"),
    ApiKey.END_TXN: _late("end_txn", "0-5"),
    ApiKey.WRITE_TXN_MARKERS: _late("write_txn_markers", "0-2"),
    ApiKey.TXN_OFFSET_COMMIT: _late("txn_offset_commit", "0-6"),
    ApiKey.DESCRIBE_ACLS: _late("describe_acls", "0-3"),
    ApiKey.CREATE_ACLS: _late("create_acls", "0-3"),
    ApiKey.DELETE_ACLS: _late("delete_acls", "0-3"),
    ApiKey.DESCRIBE_CONFIGS: _late("describe_configs", "0-4"),
    ApiKey.ALTER_CONFIGS: _late("alter_configs", "0-2"),
    ApiKey.ALTER_REPLICA_LOG_DIRS: _late("alter_replica_log_dirs", "0-2"),
    ApiKey.DESCRIBE_LOG_DIRS: _late("describe_log_dirs", "0-5"),
    ApiKey.SASL_AUTHENTICATE: _late("sasl_authenticate", "0-2"),
    ApiKey.CREATE_PARTITIONS: _of_controller("create_partitions", "0-3"),
    ApiKey.CREATE_DELEGATION_TOKEN: _late("create_delegation_token", "0-3"),
    ApiKey.RENEW_DELEGATION_TOKEN: _late("renew_delegation_token", "0-2"),
    ApiKey.EXPIRE_DELEGATION_TOKEN: _late("expire_delegation_token", "0-2"),
    ApiKey.DESCRIBE_DELEGATION_TOKEN: _late("describe_delegation_token", "0-3"),
    ApiKey.DELETE_GROUPS: _late("delete_groups", "0-3"),
    ApiKey.ELECT_LEADERS: _of_controller("elect_leaders", "0-2"),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: _late("incremental_alter_configs", "0-1"),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: _of_controller("alter_partition_reassignments", "0-1"),
    ApiKey.LIST_PARTITION_REASSIGNMENTS: _of_controller("list_partition_reassignments", "0"),
    ApiKey.OFFSET_DELETE: _late("offset_delete", "0"),
    ApiKey.DESCRIBE_CLIENT_QUOTAS: _late("describe_client_quotas", "0-1"),
    ApiKey.ALTER_CLIENT_QUOTAS: _late("alter_client_quotas", "0-1"),
    ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS: _late("describe_user_scram_credentials", "0"),
    ApiKey.ALTER_USER_SCRAM_CREDENTIALS: _late("alter_user_scram_credentials", "0"),
    ApiKey.DESCRIBE_QUORUM: _late("describe_quorum", "0-2"),
    ApiKey.UPDATE_FEATURES: _late("update_features", "0-2"),
    ApiKey.DESCRIBE_CLUSTER: _late("describe_cluster", "0-2"),
    ApiKey.DESCRIBE_PRODUCERS: _late("describe_producers", "0"),
    ApiKey.DESCRIBE_TRANSACTIONS: _late("describe_transactions", "0"),
    ApiKey.LIST_TRANSACTIONS: _late("list_transactions", "0-2"),
    ApiKey.CONSUMER_GROUP_HEARTBEAT: _late("consumer_group_heartbeat", "0-1"),
    ApiKey.CONSUMER_GROUP_DESCRIBE: _late("consumer_group_describe", "0-1"),
    ApiKey.GET_TELEMETRY_SUBSCRIPTIONS: _late("get_telemetry_subscriptions", "0"),
    ApiKey.PUSH_TELEMETRY: _late("push_telemetry", "0"),
    ApiKey.LIST_CONFIG_RESOURCES: _late("list_config_resources", "0-1"),
    ApiKey.DESCRIBE_TOPIC_PARTITIONS: _late("describe_topic_partitions", "0"),
    ApiKey.SHARE_GROUP_HEARTBEAT: _late("share_group_heartbeat", "1"),
    ApiKey.SHARE_GROUP_DESCRIBE: _late("share_group_describe", "1"),
    ApiKey.SHARE_FETCH: _late("share_fetch", "1-2"),
    ApiKey.SHARE_ACKNOWLEDGE: _late("share_acknowledge", "1-2"),
    ApiKey.INITIALIZE_SHARE_GROUP_STATE: _late("initialize_share_group_state", "0"),
    ApiKey.READ_SHARE_GROUP_STATE: _late("read_share_group_state", "0"),
    ApiKey.WRITE_SHARE_GROUP_STATE: _late("write_share_group_state", "0-1"),
    ApiKey.DELETE_SHARE_GROUP_STATE: _late("delete_share_group_state", "0"),
    ApiKey.READ_SHARE_GROUP_STATE_SUMMARY: _late("read_share_group_state_summary", "0-1"),
    ApiKey.STREAMS_GROUP_HEARTBEAT: _late("streams_group_heartbeat", "0"),
    ApiKey.STREAMS_GROUP_DESCRIBE: _late("streams_group_describe", "0"),
    ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS: _late("describe_share_group_offsets", "0-1"),
    ApiKey.ALTER_SHARE_GROUP_OFFSETS: _late("alter_share_group_offsets", "0"),
    ApiKey.DELETE_SHARE_GROUP_OFFSETS: _late("delete_share_group_offsets", "0"),
}

BETWEEN_BROKERS: Mapping[ApiKey, Route] = {
    ApiKey.LEADER_AND_ISR: _late("leader_and_isr", "0-7"),
    ApiKey.STOP_REPLICA: _late("stop_replica", "0-4"),
    ApiKey.UPDATE_METADATA: _late("update_metadata", "0-8"),
    ApiKey.CONTROLLED_SHUTDOWN: _late("controlled_shutdown", "0-3"),
    ApiKey.ALTER_PARTITION: _late("alter_partition", "0-3"),
    ApiKey.ALLOCATE_PRODUCER_IDS: _late("allocate_producer_ids", "0"),
}
"""What only a member of a cluster serves: its controller asks it, or it is the controller."""

SERVED: Mapping[ApiKey, VersionRange] = {key: route.versions for key, route in ROUTES.items()}

HANDLERS = cast(
    "dict[int, Callable[[Broker, RequestContext, object], object]]",
    {int(key): route.handle for key, route in {**ROUTES, **BETWEEN_BROKERS}.items()},
)
"""The handlers by API key. The dialect has already checked version and body."""
