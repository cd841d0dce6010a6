"""Changes of groups that are refused the first time, as where they are too large to be written."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any, TypeVar

from barnabas.coordinators.group.shard import GroupShard
from barnabas.coordinators.shard import Replayed
from barnabas.coordinators.share_group.group import ShareGroup

Reply = TypeVar("Reply")


def refused_first(shard: GroupShard, change: Callable[[], Replayed[Reply]]) -> Replayed[Reply]:
    """What a change comes to where another one, taken back before it, has left nothing."""
    before = _known(shard)
    result = change()
    if not result.records:
        return result
    assert result.undo is not None
    result.undo()
    assert _known(shard) == before
    return change()


def _known(shard: GroupShard) -> list[Any]:
    """All that there is; when members were heard does not matter."""
    groups: list[Any] = [*shard.consumer.all(), *shard.share.all(), *shard.streams.all()]
    groups = deepcopy(groups)
    for group in groups:
        heard = group if isinstance(group, ShareGroup) else group.heard
        heard.sessions = dict.fromkeys(heard.sessions, 0)
    return [*groups, *shard.groups()]
