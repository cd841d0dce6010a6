"""Where a group goes on, of whichever kind it is, and how it is moved from there."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from barnabas import Admin
from barnabas.cli.arguments.places import as_typed
from barnabas.cli.groups.group_advice import (
    in_the_way,
    told_to_end_members,
    told_to_end_transactions,
)
from barnabas.client.core.admin.group_descriptions import SHARE, GroupDescription, GroupListing
from barnabas.errors import BrokerError, ConfigError, ErrorCode
from barnabas.types import TopicPartition

Offsets = Mapping[TopicPartition, int]

_AT_REST = ("Empty", "Dead")


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a group is that has no members, or that is not there yet.

    `unbegun`: what a share group reads, and has no offset in.
    """

    group: str
    is_there: bool
    is_share: bool
    offsets: Offsets
    unbegun: Collection[TopicPartition] = ()

    def move(self, admin: Admin, offsets: Offsets) -> None:
        """Have it go on there; it is made if it is not there."""
        alter = admin.alter_share_group_offsets if self.is_share else admin.alter_group_offsets
        with as_typed(offsets), told_to_end_members():
            alter(self.group, dict(offsets.items()))


def standing(
    admin: Admin, group: str, places: Collection[TopicPartition] | None, *, share: bool
) -> Standing:
    """Where a group is, in all that a share group reads, and of others in these places or in all.

    What is not asked for may be undecided. `share`: it is a share group, or is to be one.

    Raises:
        ConfigError: it is of another kind, or has members, and would not heed what is saved.
    """
    found = _found(admin, group)
    if share and found is not None and found.kind != SHARE:
        raise ConfigError(f"{group} is no share group but a {found.kind} group: leave out --share")
    if share or (found is not None and found.kind == SHARE):
        described = [found] if isinstance(found, GroupDescription) else []
        told = admin.survey_share_offsets(described).get(group, {})
        begun = {where: one.start for where, one in told.items() if one.start is not None}
        unbegun = told.keys() - begun.keys()
        return Standing(group, found is not None, is_share=True, offsets=begun, unbegun=unbegun)
    with told_to_end_transactions():
        saved = admin.list_group_offsets(group, places)
    offsets = {where: one.offset for where, one in saved.items()}
    return Standing(group, found is not None, is_share=False, offsets=offsets)


def _found(admin: Admin, group: str) -> GroupDescription | GroupListing | None:
    """The group, if it is there and will heed what is saved; one that would not is refused."""
    try:
        found = admin.describe_groups([group])[group]
    except BrokerError as error:
        if error.code is ErrorCode.GROUP_ID_NOT_FOUND:
            return None
        if error.code is ErrorCode.UNSUPPORTED_VERSION:
            # It is not served. What it has saved can be moved all the same.
            for one in admin.list_groups(states=_AT_REST):
                if one.group_id == group and one.kind != SHARE:
                    return one
        raise
    if found.state not in _AT_REST:
        raise ConfigError(in_the_way(found))
    return found
