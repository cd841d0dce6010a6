"""RestingMember: a member of a group whose broker shares out, that says again and again that it is alive."""

from collections.abc import Callable

from barnabas.broker.group_shards import GroupShards, Held


class RestingMember:
    """Hears a member that was heard before, for as long as there is nothing to do and nothing to tell.

    Whether something has happened is for the group to say, as it does to any heartbeat. What is left out
    is all around that: to make of a request what it asks, to find the group, and to make the reply.
    """

    __slots__ = ("_changes", "_hear", "_held", "_shards", "_told_ms")

    def __init__(
        self, shards: GroupShards, held: Held, hear: Callable[[int], int | None], told_ms: int
    ) -> None:
        """`hear`: the step of its kind of group at that time; gives when to be heard again, or None.

        `told_ms`: what the member was told of that.
        """
        self._shards = shards
        self._changes = shards.topics.changes
        self._held = held
        self._hear = hear
        self._told_ms = told_ms

    def beat(self) -> bool:
        """Hear it; False: something is to be done or told, or its answer has to wait."""
        shards = self._shards
        return (
            # The partition that the group is kept in may have gone.
            shards.topics.changes == self._changes
            and shards.is_written(self._held)
            and self._hear(shards.now_ms()) == self._told_ms
        )
