"""MissingTopics: requests metadata again while subscribed topics do not exist."""

from collections.abc import Iterable

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.errors import ErrorCode


class MissingTopics:
    """Looks at each new view of the cluster, with growing delays between requests."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._seen = 0
        self._times = 0

    def look(self, topics: Iterable[str]) -> bool:
        """Look for these topics in the view; return False if it is the view of the last call."""
        view = self._cluster.view
        if view.updates == self._seen:
            return False
        self._seen = view.updates
        unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        missing = any(
            name not in view.topics or view.topics[name].error is unknown for name in topics
        )
        self._times = self._times + 1 if missing else 0
        if missing:
            wait = self._cluster.retry_wait(self._times)
            self._cluster.environment.loop.call_later(wait, self._cluster.metadata.refresh)
        return True
