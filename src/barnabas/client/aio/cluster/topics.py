"""Topics that a client needs: waits until one has partitions, and explains one that does not exist."""

import asyncio
from collections.abc import Iterable
from typing import Final

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.retries import NOT_THERE
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.arguments.record_input import checked_topic
from barnabas.client.core.cluster.cluster_view import ClusterView, TopicView
from barnabas.client.core.cluster.missing_partitions import describe_missing
from barnabas.errors import BrokerError, ErrorCode, KafkaError, RequestTimeout
from barnabas.types import TopicPartition

MISSING_S: Final = 3.0
"""How long a question about a topic waits for its creation. (A send waits for max.block.ms.)"""

_EXPLAINING_S: Final = 2.0
_NAMES: Final = (
    "a name is 1 to 249 characters of a-z, A-Z, 0-9, '.', '_' and '-', but not '.' or '..'"
)


async def topic_within(
    cluster: Cluster,
    topic: str,
    deadline: Deadline,
    what: str,
    *,
    patience_s: float | None = None,
    partition: int | None = None,
) -> TopicView:
    """Return a topic once it has partitions.

    Args:
        cluster: the cluster to ask.
        topic: its name.
        deadline: the last moment.
        what: the call, for messages.
        patience_s: how long a missing topic may stay missing; None: until the deadline.
        partition: one that is needed: where it is not known, brokers are asked again, once.

    Raises:
        TypeError: the topic is not text.
        BrokerError: the topic cannot become available, or does not exist; the message names
            similar ones.
        RequestTimeout, ConnectionFailed: brokers did not answer in time.
    """
    learning = asyncio.ensure_future(
        known_topic(cluster, topic, patience_s=patience_s, partition=partition)
    )
    try:
        return await cluster.limits.within(deadline, what, learning)
    except RequestTimeout:
        view = cluster.view.topics.get(topic)
        if view is None or view.error not in NOT_THERE:
            raise
        raise deadline.missed(what, await _missing(cluster, topic)) from None


async def known_topic(
    cluster: Cluster, topic: str, *, patience_s: float | None = None, partition: int | None = None
) -> TopicView:
    """Like `topic_within`; the caller bounds the time."""
    checked_topic(topic)
    await cluster.metadata.know([topic])
    failures, since = 0, cluster.environment.loop.time()
    while not (view := cluster.view.topics[topic]).partitions:
        if view.error and not view.error.retriable:
            rule = f": {_NAMES}" if view.error is ErrorCode.INVALID_TOPIC_EXCEPTION else ""
            raise BrokerError(view.error, f"topic {topic!r}{rule}")
        waited_s = cluster.environment.loop.time() - since
        if patience_s is not None and waited_s >= patience_s and view.error in NOT_THERE:
            raise await _missing(cluster, topic)
        failures += 1
        await asyncio.sleep(cluster.retry_wait(failures))
        await cluster.metadata.updated()
    if partition is not None and partition >= len(view.partitions):
        await cluster.metadata.updated()  # It may have been added since the last update.
        return await known_topic(cluster, topic, patience_s=patience_s)
    return view


async def _missing(cluster: Cluster, topic: str) -> BrokerError:
    """The error about a topic that does not exist and that nobody creates."""
    deadline = cluster.limits.deadline(_EXPLAINING_S)
    there = await what_is_there(cluster, [TopicPartition(topic, 0)], deadline)
    why = (
        "requested, but the brokers do not create it (auto.create.topics.enable)"
        if cluster.metadata.creates_topics
        else "not created, because allow.auto.create.topics is false"
    )
    return BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"{there}; {why}: create it first")


async def what_is_there(
    cluster: Cluster, wanted: Iterable[TopicPartition], deadline: Deadline
) -> str:
    """Describe what exists, as a supplement to an error about missing partitions."""
    view = ClusterView()

    async def ask() -> None:
        reply = await cluster.metadata.of(None)
        view.update(reply, cluster.environment.loop.time())

    try:
        what = "asking for metadata"
        await cluster.limits.within(deadline, what, cluster.environment.loop.create_task(ask()))
    except KafkaError as error:
        # The original error must not be replaced by this one.
        return f"existing partitions could not be listed: {error}"
    return describe_missing(wanted, view.topics)
