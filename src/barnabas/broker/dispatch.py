"""ROUTES: which handler answers which API, in which versions.

ApiVersions advertises exactly this, or what a release of Kafka had of it (see `profiles`).
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import NamedTuple, Never, cast

from barnabas.broker.apis import (
    alter_client_quotas,
    alter_configs,
    alter_partition_reassignments,
    alter_replica_log_dirs,
    api_versions,
    create_partitions,
    create_topics,
    delete_groups,
    delete_records,
    delete_topics,
    describe_client_quotas,
    describe_cluster,
    describe_configs,
    describe_groups,
    describe_log_dirs,
    describe_topic_partitions,
    elect_leaders,
    fetch,
    find_coordinator,
    get_telemetry_subscriptions,
    heartbeat,
    incremental_alter_configs,
    join_group,
    leave_group,
    list_config_resources,
    list_groups,
    list_offsets,
    list_partition_reassignments,
    metadata,
    offset_commit,
    offset_delete,
    offset_fetch,
    offset_for_leader_epoch,
    produce,
    push_telemetry,
    sync_group,
    update_features,
)
from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.protocol.api_keys import ApiKey
from barnabas.versions import VersionRange

Handler = Callable[[Broker, RequestContext, Never], object]
"""Takes a command or a message of its API; gives the outcome, a Pending of it, or None: no reply."""


class Route(NamedTuple):
    """A handler and the versions it serves."""

    handle: Handler
    versions: VersionRange


def _route(handle: Handler, versions: str) -> Route:
    return Route(handle, VersionRange.parse(versions))


def _transactional(versions: str) -> Route:
    """Imported when it is first asked for: a broker starts faster without it."""

    def handle(broker: Broker, context: RequestContext, request: Never) -> object:
        from barnabas.broker.transaction_apis import TRANSACTION_HANDLERS

        return TRANSACTION_HANDLERS[ApiKey(context.api_key)](broker, context, request)

    return _route(handle, versions)


def _late(module: str, versions: str) -> Route:
    """A handler that is imported when it is first asked: a broker starts faster without it."""

    def handle(broker: Broker, context: RequestContext, request: Never) -> object:
        answer: object = import_module(f"barnabas.{module}").handle(broker, context, request)
        return answer

    return _route(handle, versions)


ROUTES: Mapping[ApiKey, Route] = {
    ApiKey.PRODUCE: _route(produce.handle, "0-13"),
    ApiKey.FETCH: _route(fetch.handle, "0-18"),
    ApiKey.LIST_OFFSETS: _route(list_offsets.handle, "0-11"),
    ApiKey.METADATA: _route(metadata.handle, "0-13"),
    ApiKey.OFFSET_COMMIT: _route(offset_commit.handle, "0-10"),
    ApiKey.OFFSET_FETCH: _route(offset_fetch.handle, "0-10"),
    ApiKey.FIND_COORDINATOR: _route(find_coordinator.handle, "0-6"),
    ApiKey.JOIN_GROUP: _route(join_group.handle, "0-9"),
    ApiKey.HEARTBEAT: _route(heartbeat.handle, "0-4"),
    ApiKey.LEAVE_GROUP: _route(leave_group.handle, "0-5"),
    ApiKey.SYNC_GROUP: _route(sync_group.handle, "0-5"),
    ApiKey.DESCRIBE_GROUPS: _route(describe_groups.handle, "0-6"),
    ApiKey.LIST_GROUPS: _route(list_groups.handle, "0-5"),
    ApiKey.SASL_HANDSHAKE: _late("broker.apis.sasl_handshake", "0-1"),
    ApiKey.API_VERSIONS: _route(api_versions.handle, "0-5"),
    ApiKey.CREATE_TOPICS: _route(create_topics.handle, "0-7"),
    ApiKey.DELETE_TOPICS: _route(delete_topics.handle, "0-6"),
    ApiKey.DELETE_RECORDS: _route(delete_records.handle, "0-2"),
    ApiKey.INIT_PRODUCER_ID: _transactional("0-6"),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: _route(offset_for_leader_epoch.handle, "0-4"),
    ApiKey.ADD_PARTITIONS_TO_TXN: _transactional("0-5"),
    ApiKey.ADD_OFFSETS_TO_TXN: _transactional("0-4"),
    ApiKey.END_TXN: _transactional("0-5"),
    ApiKey.WRITE_TXN_MARKERS: _transactional("0-2"),
    ApiKey.TXN_OFFSET_COMMIT: _transactional("0-6"),
    ApiKey.DESCRIBE_ACLS: _late("broker.apis.describe_acls", "0-3"),
    ApiKey.CREATE_ACLS: _late("broker.apis.create_acls", "0-3"),
    ApiKey.DELETE_ACLS: _late("broker.apis.delete_acls", "0-3"),
    ApiKey.DESCRIBE_CONFIGS: _route(describe_configs.handle, "0-4"),
    ApiKey.ALTER_CONFIGS: _route(alter_configs.handle, "0-2"),
    ApiKey.ALTER_REPLICA_LOG_DIRS: _route(alter_replica_log_dirs.handle, "0-2"),
    ApiKey.DESCRIBE_LOG_DIRS: _route(describe_log_dirs.handle, "0-5"),
    ApiKey.SASL_AUTHENTICATE: _late("broker.apis.sasl_authenticate", "0-2"),
    ApiKey.CREATE_PARTITIONS: _route(create_partitions.handle, "0-3"),
    ApiKey.CREATE_DELEGATION_TOKEN: _late("broker.apis.create_delegation_token", "0-3"),
    ApiKey.RENEW_DELEGATION_TOKEN: _late("broker.apis.renew_delegation_token", "0-2"),
    ApiKey.EXPIRE_DELEGATION_TOKEN: _late("broker.apis.expire_delegation_token", "0-2"),
    ApiKey.DESCRIBE_DELEGATION_TOKEN: _late("broker.apis.describe_delegation_token", "0-3"),
    ApiKey.DELETE_GROUPS: _route(delete_groups.handle, "0-3"),
    ApiKey.ELECT_LEADERS: _route(elect_leaders.handle, "0-2"),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: _route(incremental_alter_configs.handle, "0-1"),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: _route(alter_partition_reassignments.handle, "0-1"),
    ApiKey.LIST_PARTITION_REASSIGNMENTS: _route(list_partition_reassignments.handle, "0"),
    ApiKey.OFFSET_DELETE: _route(offset_delete.handle, "0"),
    ApiKey.DESCRIBE_CLIENT_QUOTAS: _route(describe_client_quotas.handle, "0-1"),
    ApiKey.ALTER_CLIENT_QUOTAS: _route(alter_client_quotas.handle, "0-1"),
    ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS: _late(
        "broker.apis.describe_user_scram_credentials", "0"
    ),
    ApiKey.UPDATE_FEATURES: _route(update_features.handle, "0-2"),
    ApiKey.DESCRIBE_CLUSTER: _route(describe_cluster.handle, "0-2"),
    ApiKey.DESCRIBE_PRODUCERS: _transactional("0"),
    ApiKey.DESCRIBE_TRANSACTIONS: _transactional("0"),
    ApiKey.LIST_TRANSACTIONS: _transactional("0-2"),
    ApiKey.CONSUMER_GROUP_HEARTBEAT: _late("broker.apis.consumer_group_heartbeat", "0-1"),
    ApiKey.CONSUMER_GROUP_DESCRIBE: _late("broker.apis.consumer_group_describe", "0-1"),
    ApiKey.GET_TELEMETRY_SUBSCRIPTIONS: _route(get_telemetry_subscriptions.handle, "0"),
    ApiKey.PUSH_TELEMETRY: _route(push_telemetry.handle, "0"),
    ApiKey.LIST_CONFIG_RESOURCES: _route(list_config_resources.handle, "0-1"),
    ApiKey.DESCRIBE_TOPIC_PARTITIONS: _route(describe_topic_partitions.handle, "0"),
    ApiKey.SHARE_GROUP_HEARTBEAT: _late("broker.apis.share_group_heartbeat", "1"),
    ApiKey.SHARE_GROUP_DESCRIBE: _late("broker.apis.share_group_describe", "1"),
    ApiKey.SHARE_FETCH: _late("broker.apis.share_fetch", "1-2"),
    ApiKey.SHARE_ACKNOWLEDGE: _late("broker.apis.share_acknowledge", "1-2"),
    ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS: _late("broker.apis.describe_share_group_offsets", "0-1"),
    ApiKey.ALTER_SHARE_GROUP_OFFSETS: _late("broker.apis.alter_share_group_offsets", "0"),
    ApiKey.DELETE_SHARE_GROUP_OFFSETS: _late("broker.apis.delete_share_group_offsets", "0"),
}

SERVED: Mapping[ApiKey, VersionRange] = {key: route.versions for key, route in ROUTES.items()}

HANDLERS = cast(
    "Mapping[int, Callable[[Broker, RequestContext, object], object]]",
    {int(key): route.handle for key, route in ROUTES.items()},
)
"""The handlers by API key. Whose body and version it is, the dialect has checked."""
