"""What to say where a group is not there, or has members that are in the way."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from barnabas import Admin
from barnabas.cli.output import counted
from barnabas.client.core.absence import meant
from barnabas.client.core.group_descriptions import GroupDescription
from barnabas.errors import BrokerError, ErrorCode


@contextmanager
def told_of(admin: Admin, names: Iterable[str]) -> Iterator[None]:
    """Where there is no such group, which ones there are."""
    try:
        yield
    except BrokerError as error:
        if error.code is ErrorCode.GROUP_ID_NOT_FOUND:
            # Of several the error names the one.
            missing = next((name for name in names if name in str(error)), "")
            error.add_note(known(admin, missing))
        raise


def known(admin: Admin, name: str) -> str:
    """Which group may have been meant, or how to see them all."""
    return near(admin, name) or "`barnabas groups list` shows what there is"


def near(admin: Admin, name: str) -> str:
    """Which group may have been meant; empty where none is like it."""
    return meant(name, (one.group_id for one in admin.list_groups()))


def in_the_way(found: GroupDescription) -> str:
    """That a group has members, and what to do."""
    members = counted(len(found.members), "member")
    return f"{found.group_id} is {found.state} with {members}: end them first"
