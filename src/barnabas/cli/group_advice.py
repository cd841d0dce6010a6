"""What to say where a group is not there, or has members that are in the way."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from barnabas import Admin
from barnabas.cli.output import counted
from barnabas.client.core.absence import meant
from barnabas.client.core.group_descriptions import SHARE, GroupDescription
from barnabas.errors import BrokerError, ErrorCode

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


def near(admin: Admin, name: str) -> str:
    """Which group may have been meant; empty where none is like it."""
    return meant(name, (one.group_id for one in admin.list_groups() if one.group_id != name))


def without_positions(admin: Admin, name: str, where: str = "") -> str:
    """That a group has no positions `where`, and why: it is of another kind, or not there."""
    kinds = {one.group_id: one.kind for one in admin.list_groups()}
    if kinds.get(name) == SHARE:
        return share_group(name, "--delete-offsets changes where it is")
    if name not in kinds:
        return f"there is no group {name}; {meant(name, kinds) or _LISTED}"
    return f"{name} has no positions{where}"


def share_group(name: str, instead: str) -> str:
    """That a group is of that kind, and what of Kafka's tool for them does it `instead`."""
    return f"{name} is a share group, which saves no positions: kafka-share-groups.sh {instead}"


def in_the_way(found: GroupDescription) -> str:
    """That a group has members, and what to do."""
    members = counted(len(found.members), "member")
    return f"{found.group_id} is {found.state} with {members}: end them first"
