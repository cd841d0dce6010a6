"""The ids by which a request names its topics, if all of them are known. Sends nothing.

A request names its topics all by name or all by id, depending on its version (KIP-848). A refused
id is looked up again, so that a recreated topic replaces the earlier one of its name.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from barnabas.client.core.cluster.cluster_view import ClusterView
from barnabas.errors import RemoteProtocolError
from barnabas.wire.schema import NO_UUID


class _Row(Protocol):
    name: str
    topic_id: bytes


class TopicIds:
    """The ids of one request's topics; empty, and false, if not all are known."""

    def __init__(self, ids: Mapping[str, bytes], topics: Iterable[str]) -> None:
        wanted = {name: ids.get(name, NO_UUID) for name in topics}
        self._ids = wanted if NO_UUID not in wanted.values() else {}
        self._names = {topic_id: name for name, topic_id in self._ids.items()}

    @classmethod
    def in_view(cls, view: ClusterView, topics: Iterable[str]) -> "TopicIds":
        """The ids in the metadata."""
        names = list(topics)
        known = {name: view.topics[name].topic_id for name in names if name in view.topics}
        return cls(known, names)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._ids)

    def of(self, name: str) -> bytes:
        """The id of a topic; none if topics go by name."""
        return self._ids.get(name, NO_UUID)

    def name_of(self, row: _Row) -> str:
        """The topic name of a response row, which has a name or an id.

        Raises:
            RemoteProtocolError: the request had no such topic.
        """
        if row.name or not self:
            return row.name
        name = self._names.get(row.topic_id)
        if name is None:
            raise RemoteProtocolError(
                f"the response contains topic id {row.topic_id.hex()}, which was not requested"
            )
        return name


BY_NAME: Final = TopicIds({}, ())
