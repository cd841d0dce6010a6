"""The ids by which a request names its topics, where all of them are known. Asks nobody.

A request has its topics all by name or all by id, as its version has it (KIP-848). An id that is refused
is asked for again, so that a topic made anew under its name takes the place of the one before.
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
    """Of the topics of one request; false, and without any, where not all are known."""

    def __init__(self, ids: Mapping[str, bytes], topics: Iterable[str]) -> None:
        wanted = {name: ids.get(name, NO_UUID) for name in topics}
        self._ids = wanted if NO_UUID not in wanted.values() else {}
        self._names = {topic_id: name for name, topic_id in self._ids.items()}

    @classmethod
    def in_view(cls, view: ClusterView, topics: Iterable[str]) -> "TopicIds":
        """Those that the metadata told."""
        names = list(topics)
        known = {name: view.topics[name].topic_id for name in names if name in view.topics}
        return cls(known, names)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._ids)

    def of(self, name: str) -> bytes:
        """The id of a topic; none where topics go by name."""
        return self._ids.get(name, NO_UUID)

    def name_of(self, row: _Row) -> str:
        """What a row of the answer is about, in whichever way it says so.

        Raises:
            RemoteProtocolError: a topic that the request did not have.
        """
        if row.name or not self:
            return row.name
        name = self._names.get(row.topic_id)
        if name is None:
            raise RemoteProtocolError(
                f"an answer about topic id {row.topic_id.hex()}, not asked for"
            )
        return name


BY_NAME: Final = TopicIds({}, ())
