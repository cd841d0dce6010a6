"""The positions of a group of any type, and how to move them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from barnabas import Admin
from barnabas.cli.arguments.partition_names import in_typed_notation
from barnabas.cli.groups.group_advice import (
    blocked_by_members,
    explain_members,
    explain_transactions,
)
from barnabas.client.core.admin.group_descriptions import SHARE, GroupDescription, GroupListing
from barnabas.errors import BrokerError, ConfigError, ErrorCode
from barnabas.types import TopicPartition

Offsets = Mapping[TopicPartition, int]

_AT_REST = ("Empty", "Dead")


@dataclass(frozen=True, slots=True)
class GroupPositions:
    """The position of a group that has no members, or does not exist yet.

    `unbegun`: partitions that a share group reads, and in which it has no offset.
    """

    group: str
    is_there: bool
    is_share: bool
    offsets: Offsets
    unbegun: Collection[TopicPartition] = ()

    def move(self, admin: Admin, offsets: Offsets) -> None:
        """Move the group; create it if it does not exist."""
        alter = admin.alter_share_group_offsets if self.is_share else admin.alter_group_offsets
        with in_typed_notation(offsets), explain_members():
            alter(self.group, dict(offsets.items()))


def standing(
    admin: Admin, group: str, places: Collection[TopicPartition] | None, *, share: bool
) -> GroupPositions:
    """Return a group's position, in these partitions or in all; of a share group, in all that it reads.

    Only the requested partitions must be free of open transactions. `share`: the group is, or will
    be, a share group.

    Raises:
        ConfigError: it has another type, or has members and would ignore the new position.
    """
    found = _found(admin, group)
    if share and found is not None and found.kind != SHARE:
        raise ConfigError(f"{group} is a {found.kind} group, not a share group: leave out --share")
    if share or (found is not None and found.kind == SHARE):
        described = [found] if isinstance(found, GroupDescription) else []
        found_offsets = admin.survey_share_offsets(described).get(group, {})
        begun = {where: one.start for where, one in found_offsets.items() if one.start is not None}
        unbegun = found_offsets.keys() - begun.keys()
        return GroupPositions(
            group, found is not None, is_share=True, offsets=begun, unbegun=unbegun
        )
    with explain_transactions():
        saved = admin.list_group_offsets(group, places)
    offsets = {where: one.offset for where, one in saved.items()}
    return GroupPositions(group, found is not None, is_share=False, offsets=offsets)


def _found(admin: Admin, group: str) -> GroupDescription | GroupListing | None:
    """The group, if it exists and will use a new position; otherwise an error."""
    try:
        found = admin.describe_groups([group])[group]
    except BrokerError as error:
        if error.code is ErrorCode.GROUP_ID_NOT_FOUND:
            return None
        if error.code is ErrorCode.UNSUPPORTED_VERSION:
            # The broker does not serve it, but its saved positions can be moved.
            for one in admin.list_groups(states=_AT_REST):
                if one.group_id == group and one.kind != SHARE:
                    return one
        raise
    if found.state not in _AT_REST:
        raise ConfigError(blocked_by_members(found))
    return found
