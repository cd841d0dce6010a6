"""SteadyMember: a member of a classic group that says again and again that it is alive."""

from barnabas.broker.groups.group_shards import GroupShards, Held
from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_states import STABLE
from barnabas.coordinators.classic_group.member import Member


class SteadyMember:
    """Hears a member that was heard before, for as long as its group goes on as it is.

    To see that nothing has happened takes a fraction of finding group and member anew.
    """

    __slots__ = ("_changes", "_generation", "_group", "_held", "_member", "_member_id", "_shards")

    def __init__(
        self, shards: GroupShards, held: Held, group: ClassicGroup, member: Member
    ) -> None:
        self._shards = shards
        self._changes = shards.topics.changes
        self._held = held
        self._group = group
        self._generation = group.generation
        self._member = member
        self._member_id = member.member_id

    def beat(self) -> bool:
        """Hear it; False: something has happened, and it was not heard."""
        group, member = self._group, self._member
        if (
            group.state is not STABLE
            or group.generation != self._generation
            or group.members.get(self._member_id) is not member
            # The partition that the group is kept in may have gone, or the group out of it.
            or self._shards.topics.changes != self._changes
            or self._held.shard.group(group.group_id) is not group
        ):
            return False
        group.heard(member, self._shards.now_ms())
        return True
