"""Positions that a group forgets, of whichever kind it is: a share group forgets whole topics."""

from barnabas import Admin
from barnabas.cli.group_advice import (
    in_the_way,
    told_to_end_members,
    told_to_end_transactions,
    without_positions,
)
from barnabas.cli.group_reset import Reset
from barnabas.cli.places import as_typed
from barnabas.client.core.group_descriptions import SHARE
from barnabas.errors import BrokerError, ConfigError, ErrorCode


def forget(admin: Admin, group: str, topics: tuple[str, ...]) -> int:
    """Forget all that it has in these topics; how many positions that were.

    Raises:
        ConfigError: there are none, or a share group is to forget some partitions of a topic.
        BrokerError: members are in the way.
    """
    if group in {one.group_id for one in admin.list_groups(kinds=(SHARE,))}:
        return _forget_shared(admin, group, topics)
    with told_to_end_transactions():
        saved = admin.list_group_offsets(group)
    gone = [where for where in saved if Reset(topics).names(where)]
    if not gone:
        raise ConfigError(without_positions(admin, group, f" in {', '.join(topics)}"))
    try:
        with as_typed(gone):
            admin.delete_group_offsets(group, gone)
    except BrokerError as error:
        if error.code is ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC:
            error.add_note("members of it subscribe to that topic: end them first")
        raise
    return len(gone)


def _forget_shared(admin: Admin, group: str, topics: tuple[str, ...]) -> int:
    for text in topics:
        topic, _, numbers = text.partition(":")
        if numbers:
            whole = f"is a share group, which forgets whole topics: --topic {topic}"
            raise ConfigError(f"--topic {text}: {group} {whole}")
    found = admin.describe_groups([group])[group]
    if found.members:
        raise ConfigError(in_the_way(found))
    told = admin.survey_share_offsets([found]).get(group, {})
    gone = [where for where in told if Reset(topics).names(where)]
    if not gone:
        raise ConfigError(without_positions(admin, group, f" in {', '.join(topics)}"))
    with told_to_end_members():
        admin.delete_share_group_offsets(group, sorted({where.topic for where in gone}))
    return len(gone)
