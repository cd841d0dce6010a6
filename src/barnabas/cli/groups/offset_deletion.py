"""Delete a group's positions. A share group deletes whole topics only."""

from collections.abc import Iterable
from typing import Final

from barnabas import Admin
from barnabas.cli.arguments.partition_names import in_typed_notation
from barnabas.cli.groups.group_advice import blocked_by_members, explain_members, without_positions
from barnabas.cli.groups.group_reset import Reset
from barnabas.cli.output.output import counted
from barnabas.client.core.admin.group_descriptions import SHARE
from barnabas.errors import BrokerError, ConfigError, ErrorCode
from barnabas.types import TopicPartition

_LOOK_S: Final = 2.0


def forget(admin: Admin, group: str, topics: tuple[str, ...]) -> str:
    """Delete all its positions in these topics; return them.

    Raises:
        ConfigError: there are none, or a share group cannot delete some partitions of a topic.
        BrokerError: members block the change.
    """
    if group in {one.group_id for one in admin.list_groups(kinds=(SHARE,))}:
        return _forget_shared(admin, group, topics)
    known = admin.describe_topics().values()
    there = [TopicPartition(view.name, one.partition) for view in known for one in view.partitions]
    saved = admin.list_group_offsets(group, require_stable=False)
    had, named = _named(topics, saved), _named(topics, there)
    if not had and not _is_undecided(admin, group, named):
        raise ConfigError(without_positions(admin, group, f" in {', '.join(topics)}"))
    # This also deletes what open transactions have saved, which no request reveals.
    gone = sorted({*had, *named})
    try:
        with in_typed_notation(gone):
            admin.delete_group_offsets(group, gone)
    except BrokerError as error:
        if error.code is ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC:
            error.add_note("its members subscribe to that topic: end them first")
        raise
    return counted(len(had), "position") if had else "positions that an open transaction had saved"


def _named(topics: tuple[str, ...], places: Iterable[TopicPartition]) -> list[TopicPartition]:
    return [where for where in places if Reset(topics).names(where)]


def _is_undecided(admin: Admin, group: str, places: list[TopicPartition]) -> bool:
    """Whether a transaction has saved a position there, or did so just now."""
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
            whole = f"is a share group, which deletes positions of whole topics: --topic {topic}"
            raise ConfigError(f"--topic {text}: {group} {whole}")
    found = admin.describe_groups([group])[group]
    if found.members:
        raise ConfigError(blocked_by_members(found))
    offsets = admin.survey_share_offsets([found]).get(group, {})
    gone = _named(topics, offsets)
    if not gone:
        raise ConfigError(without_positions(admin, group, f" in {', '.join(topics)}"))
    with explain_members():
        admin.delete_share_group_offsets(group, sorted({where.topic for where in gone}))
    had = [where for where in gone if offsets[where].start is not None]
    return counted(len(had), "position")
