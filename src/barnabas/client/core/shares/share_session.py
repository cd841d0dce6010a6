"""A share session with one broker: which partitions it has, and the number of the next request. No I/O.

Source: KIP-932.
"""

from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

from barnabas.client.core.group.epoch_membership import TopicIdIndex
from barnabas.protocol import share_acknowledge
from barnabas.protocol.share_acknowledge import AcknowledgePartition, AcknowledgeTopic
from barnabas.protocol.share_fetch import (
    AcknowledgementBatch,
    FetchPartition,
    FetchTopic,
    ForgottenTopic,
)

OPENS: Final = 0
CLOSES: Final = -1
_LAST_EPOCH: Final = 2**31 - 1

Batches = Mapping[TopicIdIndex, list[AcknowledgementBatch]]
"""Acknowledgements by partition."""
_Row = TypeVar("_Row")


class ClientShareSession:
    """`epoch`: the number of the next request; 0 opens the session, and takes no acknowledgements."""

    def __init__(self) -> None:
        self.epoch = OPENS
        self._known: frozenset[TopicIdIndex] = frozenset()

    @property
    def is_open(self) -> bool:
        """Whether the broker has a session."""
        return self.epoch != OPENS

    def fetched(
        self, wanted: Iterable[TopicIdIndex], acknowledged: Batches
    ) -> tuple[list[FetchTopic], list[ForgottenTopic]]:
        """The topics of the next ShareFetch: new partitions and acknowledgements; and those to forget."""
        target = frozenset(wanted)
        named = (target - self._known) | acknowledged.keys()
        rows = {
            place: FetchPartition(
                partition_index=place.partition,
                acknowledgement_batches=acknowledged.get(place, []),
            )
            for place in named
        }
        forgotten = {place: place.partition for place in self._known - target}
        self._known = target
        return (
            [FetchTopic(topic_id=each, partitions=part) for each, part in _by_topic(rows).items()],
            [
                ForgottenTopic(topic_id=each, partitions=part)
                for each, part in _by_topic(forgotten).items()
            ],
        )

    def answered(self) -> None:
        """The broker has handled a request of the session."""
        self.epoch = 1 if self.epoch == _LAST_EPOCH else self.epoch + 1

    def reset(self) -> None:
        """The broker has no session any more: the next request opens one."""
        self.epoch = OPENS
        self._known = frozenset()


def acknowledged_topics(batches: Batches) -> list[AcknowledgeTopic]:
    """The topics of a ShareAcknowledge."""
    rows = {
        place: AcknowledgePartition(
            partition_index=place.partition,
            acknowledgement_batches=[
                share_acknowledge.AcknowledgementBatch(
                    first_offset=row.first_offset,
                    last_offset=row.last_offset,
                    acknowledge_types=row.acknowledge_types,
                )
                for row in each
            ],
        )
        for place, each in batches.items()
    }
    return [
        AcknowledgeTopic(topic_id=each, partitions=part) for each, part in _by_topic(rows).items()
    ]


def _by_topic(rows: Mapping[TopicIdIndex, _Row]) -> dict[bytes, list[_Row]]:
    found: dict[bytes, list[_Row]] = {}
    for place in sorted(rows):
        found.setdefault(place.topic_id, []).append(rows[place])
    return found
