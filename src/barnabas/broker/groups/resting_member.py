"""RestingMember: a member of a group whose broker shares out, that says again and again that it is alive."""

from collections.abc import Callable
from typing import Any

from barnabas.broker.groups.group_shards import GroupShards, Held
from barnabas.broker.groups.policies import Policies


class RestingMember:
    """Hears a member that was heard before, for as long as there is nothing to do and nothing to tell.

    Whether something has happened in the group is for the group to say. What is left out is all around
    that: to make of a request what it asks, to find the group, and to make the reply.
    """

    __slots__ = ("_changes", "_hear", "_known", "_partition", "_policies", "_shards")

    def __init__(
        self,
        shards: GroupShards,
        policies: Policies[Any],
        held: Held,
        hear: Callable[[int], bool],
    ) -> None:
        """`hear`: the step of its kind of group at that time; gives whether the member is heard."""
        self._shards = shards
        self._changes = shards.topics.changes
        self._policies = policies
        self._known = policies.known
        self._partition = held.partition
        self._hear = hear

    def beat(self) -> bool:
        """Hear it; False: something is to be done or told, or its answer has to wait."""
        shards = self._shards
        return (
            # The partition that the group is kept in may have gone.
            shards.topics.changes == self._changes
            # With another session there is an alarm to be set.
            and self._policies.known is self._known
            and shards.replicas.is_written(self._partition)
            and self._hear(shards.now_ms())
        )
