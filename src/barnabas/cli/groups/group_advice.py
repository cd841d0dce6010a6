"""Advice if a group is missing, or has members or transactions that block a change."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from barnabas import Admin
from barnabas.cli.output.output import counted
from barnabas.client.core.admin.group_descriptions import GroupDescription
from barnabas.client.core.cluster.missing_partitions import similar_names
from barnabas.errors import BrokerError, ErrorCode

_HAS_MEMBERS = (ErrorCode.NON_EMPTY_GROUP, ErrorCode.UNKNOWN_MEMBER_ID)
_OPEN = (
    "an open transaction has saved it: end the transaction first. `barnabas transactions list` "
    "lists them, `find-hanging` those that hang"
)
_LISTED = "`barnabas groups list` lists the groups"


@contextmanager
def suggest_groups(admin: Admin, names: Iterable[str]) -> Iterator[None]:
    """If the group does not exist, list the existing ones."""
    try:
        yield
    except BrokerError as error:
        if error.code is ErrorCode.GROUP_ID_NOT_FOUND:
            # The error names one of several.
            missing = next((name for name in names if name in str(error)), "")
            error.add_note(near(admin, missing) or _LISTED)
        raise


@contextmanager
def explain_members() -> Iterator[None]:
    """If the group has members that block a change, say what to do; they may have just joined."""
    try:
        yield
    except BrokerError as error:
        if error.code in _HAS_MEMBERS:
            error.add_note("it has members: end them first")
        raise


@contextmanager
def explain_transactions() -> Iterator[None]:
    """If an open transaction holds positions of the group, say what to do."""
    try:
        yield
    except BrokerError as error:
        if error.code is ErrorCode.UNSTABLE_OFFSET_COMMIT:
            error.add_note(_OPEN)
        raise


def near(admin: Admin, name: str) -> str:
    """The group that the user may have meant; empty if none is similar."""
    return similar_names(
        name, (one.group_id for one in admin.list_groups() if one.group_id != name)
    )


def without_positions(admin: Admin, name: str, where: str = "") -> str:
    """Report that a group has no positions `where`, or does not exist, with the name that was meant."""
    names = [one.group_id for one in admin.list_groups()]
    if name not in names:
        return f"there is no group {name}; {similar_names(name, names) or _LISTED}"
    return f"{name} has no positions{where}"


def blocked_by_members(found: GroupDescription) -> str:
    """Report that a group has members, and what to do."""
    members = counted(len(found.members), "member")
    return f"{found.group_id} is {found.state} with {members}: end them first"
