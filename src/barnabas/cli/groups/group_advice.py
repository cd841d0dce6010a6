"""What to say where a group is not there, or has members that are in the way."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from barnabas import Admin
from barnabas.cli.output.output import counted
from barnabas.client.core.admin.group_descriptions import GroupDescription
from barnabas.client.core.cluster.absence import meant
from barnabas.errors import BrokerError, ErrorCode

_HAS_MEMBERS = (ErrorCode.NON_EMPTY_GROUP, ErrorCode.UNKNOWN_MEMBER_ID)
_OPEN = (
    "an open transaction has saved it and is not decided: end it first, "
    "`barnabas transactions list` shows which there are, and `find-hanging` those that hang"
)
_LISTED = "`barnabas groups list` shows what there is"


@contextmanager
def told_of(admin: Admin, names: Iterable[str]) -> Iterator[None]:
    """Where there is no such group, which ones there are."""
    try:
        yield
    except BrokerError as error:
        if error.code is ErrorCode.GROUP_ID_NOT_FOUND:
            # Of several the error names the one.
            missing = next((name for name in names if name in str(error)), "")
            error.add_note(near(admin, missing) or _LISTED)
        raise


@contextmanager
def told_to_end_members() -> Iterator[None]:
    """Where a group has members that are in the way, what to do: they may have come just now."""
    try:
        yield
    except BrokerError as error:
        if error.code in _HAS_MEMBERS:
            error.add_note("it has members: end them first")
        raise


@contextmanager
def told_to_end_transactions() -> Iterator[None]:
    """Where a transaction that may still be aborted has positions of a group, what to do."""
    try:
        yield
    except BrokerError as error:
        if error.code is ErrorCode.UNSTABLE_OFFSET_COMMIT:
            error.add_note(_OPEN)
        raise


def near(admin: Admin, name: str) -> str:
    """Which group may have been meant; empty where none is like it."""
    return meant(name, (one.group_id for one in admin.list_groups() if one.group_id != name))


def without_positions(admin: Admin, name: str, where: str = "") -> str:
    """That a group has no positions `where`; or that it is not there, and which one may be meant."""
    names = [one.group_id for one in admin.list_groups()]
    if name not in names:
        return f"there is no group {name}; {meant(name, names) or _LISTED}"
    return f"{name} has no positions{where}"


def in_the_way(found: GroupDescription) -> str:
    """That a group has members, and what to do."""
    members = counted(len(found.members), "member")
    return f"{found.group_id} is {found.state} with {members}: end them first"
