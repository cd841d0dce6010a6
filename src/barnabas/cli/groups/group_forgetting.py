"""Positions that a group forgets, of whichever kind it is: a share group forgets whole topics."""

from collections.abc import Iterable
from typing import Final

from barnabas import Admin
from barnabas.cli.arguments.places import as_typed
from barnabas.cli.groups.group_advice import in_the_way, told_to_end_members, without_positions
from barnabas.cli.groups.group_reset import Reset
from barnabas.cli.output.output import counted
from barnabas.client.core.admin.group_descriptions import SHARE
from barnabas.errors import BrokerError, ConfigError, ErrorCode
from barnabas.types import TopicPartition

_LOOK_S: Final = 2.0


def forget(admin: Admin, group: str, topics: tuple[str, ...]) -> str:
    """Forget all that it has in these topics; what that was.

    Raises:
        ConfigError: there is nothing, or a share group is to forget some partitions of a topic.
        BrokerError: members are in the way.
    """
    if group in {one.group_id for one in admin.list_groups(kinds=(SHARE,))}:
        return _forget_shared(admin, group, topics)
    known = admin.describe_topics().values()
    there = [TopicPartition(view.name, one.partition) for view in known for one in view.partitions]
    saved = admin.list_group_offsets(group, require_stable=False)
    had, named = _named(topics, saved), _named(topics, there)
    if not had and not _is_undecided(admin, group, named):
        raise ConfigError(without_positions(admin, group, f" in {', '.join(topics)}"))
    # What open transactions have saved goes as well, and nobody tells where that is.
    gone = sorted({*had, *named})
    try:
        with as_typed(gone):
            admin.delete_group_offsets(group, gone)
    except BrokerError as error:
        if error.code is ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC:
            error.add_note("members of it subscribe to that topic: end them first")
        raise
    return counted(len(had), "position") if had else "what an open transaction had saved"


def _named(topics: tuple[str, ...], places: Iterable[TopicPartition]) -> list[TopicPartition]:
    return [where for where in places if Reset(topics).names(where)]


def _is_undecided(admin: Admin, group: str, places: list[TopicPartition]) -> bool:
    """Whether a transaction has saved something there, or did so just now."""
    if not places:
        return False
    try:
        return bool(admin.list_group_offsets(group, places, timeout_s=_LOOK_S))
    except BrokerError as error:
        if error.code is ErrorCode.UNSTABLE_OFFSET_COMMIT:
            return True
        raise


def _forget_shared(admin: Admin, group: str, topics: tuple[str, ...]) -> str:
    for text in topics:
        topic, _, numbers = text.partition(":")
        if numbers:
            whole = f"is a share group, which forgets whole topics: --topic {topic}"
            raise ConfigError(f"--topic {text}: {group} {whole}")
    found = admin.describe_groups([group])[group]
    if found.members:
        raise ConfigError(in_the_way(found))
    told = admin.survey_share_offsets([found]).get(group, {})
    gone = _named(topics, told)
    if not gone:
        raise ConfigError(without_positions(admin, group, f" in {', '.join(topics)}"))
    with told_to_end_members():
        admin.delete_share_group_offsets(group, sorted({where.topic for where in gone}))
    had = [where for where in gone if told[where].start is not None]
    return counted(len(had), "position")
