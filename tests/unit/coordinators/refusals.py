"""Changes of groups that are refused the first time, as where they are too large to be written."""

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any, TypeVar

from barnabas.coordinators.common.shard import Replayed
from barnabas.coordinators.groups_shard import GroupShard
from barnabas.coordinators.offsets.offsets import OffsetsShard
from barnabas.coordinators.share_group.group import ShareGroup
from barnabas.errors import BrokerError

Reply = TypeVar("Reply")


def refused_first(shard: GroupShard, change: Callable[[], Replayed[Reply]]) -> Replayed[Reply]:
    """What a change comes to where another one, taken back before it, has left nothing.

    One that may not be made leaves nothing either.
    """
    before = _known(shard)
    try:
        result = change()
    except BrokerError:
        assert _known(shard) == before
        raise
    if not result.records:
        return result
    assert result.undo is not None
    result.undo()
    assert _known(shard) == before
    return change()


def _known(shard: GroupShard) -> list[Any]:
    """All that there is, with offsets; the deadlines of sessions do not matter."""
    modern: list[Any] = [*shard.consumer.all(), *shard.share.all(), *shard.streams.all()]
    modern, classic = deepcopy((modern, [*shard.groups()]))
    for group in modern:
        timers = group if isinstance(group, ShareGroup) else group.volatile
        timers.sessions = dict.fromkeys(timers.sessions, 0)
    return [*modern, *classic, *map(partial(_offsets, shard.offsets), shard.offsets.groups())]


def _offsets(shard: OffsetsShard, group_id: str) -> tuple[object, ...]:
    places = shard.positions(group_id)
    return group_id, places, shard.fetch(group_id, places)
