"""Copy positions of Kafka 0.7 groups to today's groups; a position only moves forward."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from barnabas import Admin
from barnabas.cli.output.output import Cell
from barnabas.errors import BrokerError
from barnabas.migration.positions import StoredPosition, TranslatedPosition
from barnabas.migration.saved_offsets import saved_offsets
from barnabas.types import TopicPartition

COLUMNS = ("group", "source", "partition", "old_offset", "new_offset", "was", "state")
MOVED, KEPT, SHOWN = "moved", "kept", "not moved"
NOT_COPIED = "source has no such partition"
NO_OFFSET = "refused: not an offset"


def move(
    admin: Admin, topic: str, found: Iterable[TranslatedPosition], *, execute: bool
) -> Iterator[tuple[Cell, ...]]:
    """Return a row for each position, with the columns `COLUMNS`, once it is saved or refused.

    If today's group has a later position, it is kept: the group has read that far already.
    """
    for group, places in groupby(found, key=lambda position: position.group):
        rows = list(places)
        saved = saved_offsets(admin, group)
        was = {one.partition: saved.get(TopicPartition(topic, one.partition)) for one in rows}
        new = {
            TopicPartition(topic, one.partition): one.new
            for one in rows
            if (before := was[one.partition]) is None or before < one.new
        }
        state = SHOWN
        if execute:
            state = _executed(admin, group, new)
        for one in rows:
            moved = TopicPartition(topic, one.partition) in new
            yield (
                group, str(one.place), one.partition, one.old, one.new, was[one.partition],
                state if moved else KEPT,
            )  # fmt: skip


def not_moved(one: StoredPosition) -> tuple[Cell, ...]:
    """The cells before the state, for a position without a record."""
    return one.group, str(one.place), one.partition, one.old, None, None


def _executed(admin: Admin, group: str, new: dict[TopicPartition, int]) -> str:
    try:
        if new:
            admin.alter_group_offsets(group, dict(new.items()))
    except BrokerError as error:
        return f"refused: {error}"
    return MOVED
