"""Requests of an admin client: topics, records, log directories, elections, quotas.

Each function sends its request once; the caller retries.
"""

from collections.abc import Mapping, Sequence

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.retries import by_leader
from barnabas.client.core.admin.descriptions import ClientQuota, LogDirectory, NewTopic
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlteredEntity,
    EntityData,
    OpData,
)
from barnabas.protocol.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
)
from barnabas.protocol.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from barnabas.protocol.describe_client_quotas import ComponentData, DescribeClientQuotasRequest
from barnabas.protocol.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from barnabas.protocol.elect_leaders import ElectLeadersRequest, TopicPartitions
from barnabas.types import TopicPartition

_EXACT, _THE_DEFAULT = 0, 1


def new_topic(topic: NewTopic, configs: Mapping[str, str | None]) -> CreatableTopic:
    """A topic to create, as a request names it."""
    return CreatableTopic(
        name=topic.name,
        num_partitions=-1 if topic.assignments else topic.partitions,
        replication_factor=-1 if topic.assignments else topic.replication_factor,
        assignments=[
            CreatableReplicaAssignment(partition_index=index, broker_ids=list(brokers))
            for index, brokers in enumerate(topic.assignments)
        ],
        configs=[CreatableTopicConfig(name=name, value=value) for name, value in configs.items()],
    )


async def delete_before(
    cluster: Cluster,
    offsets: Mapping[TopicPartition, int],
    timeout_ms: int,
    begins: dict[TopicPartition, int],
) -> None:
    """Delete records before offsets; put the new start offsets into `begins`, also before an error."""
    for node_id, group in (await by_leader(cluster, list(offsets))).items():
        topics: dict[str, list[DeleteRecordsPartition]] = {}
        for where in group:
            row = DeleteRecordsPartition(partition_index=where.partition, offset=offsets[where])
            topics.setdefault(where.topic, []).append(row)
        request = DeleteRecordsRequest(
            topics=[
                DeleteRecordsTopic(name=name, partitions=rows) for name, rows in topics.items()
            ],
            timeout_ms=timeout_ms,
        )
        reply = await cluster.ask(request, node_id=node_id)
        for topic in reply.topics:
            for one in topic.partitions:
                if one.error_code:
                    what = f"deleting records of {topic.name}-{one.partition_index}"
                    raise BrokerError(one.error_code, what)
                begins[TopicPartition(topic.name, one.partition_index)] = one.low_watermark


async def log_dirs(
    cluster: Cluster, partitions: Sequence[TopicPartition] | None
) -> dict[int, list[LogDirectory]]:
    """Return the log directories of all brokers, with the sizes of these partitions or of all."""
    topics = None
    if partitions is not None:
        by_topic: dict[str, list[int]] = {}
        for where in partitions:
            by_topic.setdefault(where.topic, []).append(where.partition)
        topics = [
            DescribableLogDirTopic(topic=name, partitions=by_topic[name]) for name in by_topic
        ]
    if cluster.view.updates == 0:
        await cluster.metadata.updated()
    found = {}
    for node_id in sorted(cluster.view.brokers):
        reply = await cluster.ask(DescribeLogDirsRequest(topics=topics), node_id=node_id)
        if reply.error_code:
            raise BrokerError(reply.error_code, f"describing log directories of broker {node_id}")
        found[node_id] = [
            LogDirectory(
                one.log_dir,
                ErrorCode.of(one.error_code),
                {
                    TopicPartition(topic.name, log.partition_index): log.partition_size
                    for topic in one.topics
                    for log in topic.partitions
                    if not log.is_future_key
                },
                one.total_bytes,
                one.usable_bytes,
            )
            for one in reply.results
        ]
    return found


async def elected(
    cluster: Cluster, partitions: Sequence[TopicPartition] | None, *, unclean: bool
) -> list[TopicPartition]:
    """Elect leaders; return the partitions whose leader changed."""
    topics: dict[str, list[int]] = {}
    for topic, partition in partitions or ():
        topics.setdefault(topic, []).append(partition)
    request = ElectLeadersRequest(
        election_type=int(unclean),
        topic_partitions=None
        if partitions is None
        else [TopicPartitions(topic=name, partitions=rows) for name, rows in topics.items()],
    )
    reply = await cluster.ask(request, node_id=await controller(cluster))
    if reply.error_code:
        raise BrokerError(reply.error_code, "electing leaders")
    new = []
    for topic in reply.replica_election_results:
        for one in topic.partition_result:
            where = TopicPartition(topic.topic, one.partition_id)
            if one.error_code == ErrorCode.NONE:
                new.append(where)
            elif one.error_code != ErrorCode.ELECTION_NOT_NEEDED:
                what = one.error_message or f"electing a leader of {where.topic}-{where.partition}"
                raise BrokerError(one.error_code, what)
    return new


async def quotas(
    cluster: Cluster, parts: Mapping[str, str | None], *, strict: bool
) -> list[ClientQuota]:
    """Return the quotas of the entities that have these parts."""
    components = [
        ComponentData(
            entity_type=kind, match_type=_THE_DEFAULT if name is None else _EXACT, match=name
        )
        for kind, name in parts.items()
    ]
    reply = await cluster.ask(DescribeClientQuotasRequest(components=components, strict=strict))
    if reply.error_code:
        raise BrokerError(reply.error_code, reply.error_message or "describing quotas")
    return [
        ClientQuota(
            {part.entity_type: part.entity_name for part in one.entity},
            {value.key: value.value for value in one.values},
        )
        for one in reply.entries
    ]


def quota_changes(
    parts: Mapping[str, str | None], changes: Mapping[str, float | None], *, validate_only: bool
) -> AlterClientQuotasRequest:
    """Build a request that changes the quotas of one entity."""
    entity = [EntityData(entity_type=kind, entity_name=name) for kind, name in parts.items()]
    ops = [
        OpData(key=key, value=0.0 if value is None else float(value), remove=value is None)
        for key, value in changes.items()
    ]
    return AlterClientQuotasRequest(
        entries=[AlteredEntity(entity=entity, ops=ops)], validate_only=validate_only
    )


async def change_quotas(cluster: Cluster, request: AlterClientQuotasRequest) -> None:
    """Send such a change."""
    reply = await cluster.ask(request, node_id=await controller(cluster))
    for one in reply.entries:
        if one.error_code:
            raise BrokerError(one.error_code, one.error_message or "changing quotas")


async def controller(cluster: Cluster) -> int | None:
    """The broker that receives changes; None (any) if the controller is unknown."""
    if cluster.view.updates == 0:
        await cluster.metadata.updated()
    node_id = cluster.view.controller
    return node_id if node_id in cluster.view.brokers else None
