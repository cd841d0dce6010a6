"""The identity of a group member, for producers that commit a consumer's offsets (KIP-447)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from barnabas.client.core.group.fetched_epochs import NO_EPOCH, KnownEpochs
from barnabas.types import TopicPartition


@dataclass(frozen=True, slots=True)
class GroupMetadata:
    """A member of a group in one generation; -1 and an empty id without membership.

    `epochs` are those of fetched batches, to be stored with positions as the member's own commits
    do. `topic_ids` are those of the topics with positions, as far as brokers reported them.
    """

    group_id: str
    generation: int = -1
    member_id: str = ""
    instance_id: str | None = None
    epochs: Mapping[TopicPartition, KnownEpochs] = field(
        default_factory=dict, repr=False, compare=False
    )
    topic_ids: Mapping[str, bytes] = field(default_factory=dict, repr=False, compare=False)

    def epoch_before(self, where: TopicPartition, offset: int) -> int:
        """The leader epoch before an offset; -1 if unknown."""
        known = self.epochs.get(where)
        return NO_EPOCH if known is None else known.before(offset)
