"""Find the names of topics that are known only by id."""

from collections.abc import Iterable
from typing import Any

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic


async def topic_names(cluster: Cluster, topic_ids: Iterable[bytes]) -> dict[bytes, str]:
    """Return the names of the topics that brokers know; send one request, for those that the view lacks.

    Raises:
        KafkaError: no response arrived.
    """
    named = {each: cluster.view.topic_named(each) for each in topic_ids}
    unnamed = [each for each, name in named.items() if name is None]
    if unnamed:
        rows = [MetadataRequestTopic(topic_id=each, name=None) for each in unnamed]
        request = MetadataRequest(topics=rows, allow_auto_topic_creation=False)
        reply: Any = await cluster.ask(request)
        named.update({row.topic_id: row.name for row in reply.topics if not row.error_code})
    return {each: name for each, name in named.items() if name is not None}
