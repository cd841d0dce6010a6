"""What tells one membership from another: for producers that commit a consumer's offsets (KIP-447)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from barnabas.client.core.group.epoch_trail import NO_EPOCH, KnownEpochs
from barnabas.types import TopicPartition


@dataclass(frozen=True, slots=True)
class GroupMetadata:
    """A member of a group in one generation; -1 and an empty id where it is none now.

    `epochs` are those of what it has fetched, for its positions to carry, as its own commits do;
    `topic_ids` those of the topics that it has positions in, as far as brokers told them.
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
        """The leader epoch of what is before an offset; -1 where that is not known."""
        known = self.epochs.get(where)
        return NO_EPOCH if known is None else known.before(offset)
