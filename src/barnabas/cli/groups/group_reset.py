"""The arguments of `barnabas groups reset`, turned into offsets. Changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, TextIO

import click

from barnabas import Admin
from barnabas.cli.arguments.connection import existing_topics
from barnabas.cli.arguments.partition_names import in_typed_notation, shown
from barnabas.cli.groups.group_positions import GroupPositions, Offsets
from barnabas.cli.output.moment import moment_ms
from barnabas.client.core.admin.descriptions import EARLIEST, LATEST
from barnabas.errors import ConfigError
from barnabas.types import TopicPartition

_FIELDS = 3
_WORDS = "earliest, latest, current, a number"


@dataclass(frozen=True, slots=True)
class Reset:
    """One of `to`, `by` and `lines` is set.

    `topics` are names, or name:0,1; None for all saved positions.
    """

    topics: tuple[str, ...] = ()
    to: str | None = None
    by: int | None = None
    lines: Sequence[str] | None = None

    def names(self, where: TopicPartition) -> bool:
        """Whether `topics` names the partition."""
        return any(_names(text, where) for text in self.topics)


class ResetPlan(NamedTuple):
    """New positions, each within its partition; `clamped` holds the offsets that were out of range.

    `left`: partitions where a share group has not started, so that its own property decides.
    """

    offsets: Offsets
    clamped: Offsets = MappingProxyType({})
    left: Sequence[TopicPartition] = ()


def lines_of(file: TextIO) -> list[str]:
    """The lines of `--file`, including files with Windows line ends or a byte order mark."""
    try:
        return file.read().splitlines()
    except UnicodeDecodeError as error:
        raise click.UsageError(f"--file: {file.name} is not UTF-8 text: {error}") from None


def places_of(admin: Admin, reset: Reset) -> list[TopicPartition] | None:
    """The partitions that `topics` or `lines` name; None for all that the group has.

    Raises:
        ConfigError: there is no such partition.
        click.UsageError: `lines` is empty, has one that is not topic,partition,offset, or two that
            contradict each other.
    """
    if reset.lines is not None:
        places = list(_wanted(reset.lines))
        _refuse_missing(admin, places)
        return places
    return _named_places(admin, reset) if reset.topics else None


def plan(
    admin: Admin, now: GroupPositions, reset: Reset, named_places: list[TopicPartition] | None
) -> ResetPlan:
    """Return the new positions for the partitions that `places_of` returned.

    Raises:
        ConfigError: --by cannot shift a named partition without a position.
        click.UsageError: `to` is not a time.
    """
    if reset.lines is not None:
        return _within(admin, _wanted(reset.lines))
    whole = sorted({*now.offsets, *now.unbegun})
    places = whole if named_places is None else named_places
    unbegun = [where for where in places if where not in now.offsets]
    if reset.by is not None:
        if unbegun and named_places is not None:
            what = f"{shown(unbegun[0])} has no position that --by could move"
            raise ConfigError(f"{what}: use --to")
        moved = {where: now.offsets[where] + reset.by for where in places if where in now.offsets}
        return _within(admin, moved)._replace(left=unbegun)
    if reset.to == "current" and now.is_share:
        kept = {where: now.offsets[where] for where in places if where in now.offsets}
        return _within(admin, kept)._replace(left=unbegun)
    return _moved(admin, places, now, reset.to or "")


def _moved(admin: Admin, places: list[TopicPartition], now: GroupPositions, to: str) -> ResetPlan:
    if to == "earliest":
        return ResetPlan(_looked_up(admin, places, EARLIEST))
    if to == "latest":
        return ResetPlan(_looked_up(admin, places, LATEST))
    if to == "current":
        ends = _looked_up(admin, places, LATEST)
        return _within(admin, {where: now.offsets.get(where, ends[where]) for where in places})
    if _is_number(to):
        return _within(admin, dict.fromkeys(places, int(to)))
    ends = _looked_up(admin, places, LATEST)
    found = _looked_up(admin, places, moment_ms("--to", to, _WORDS))
    # After the last record there is only the end.
    return ResetPlan({one: found[one] if found[one] >= 0 else ends[one] for one in places})


def _within(admin: Admin, wanted: Offsets) -> ResetPlan:
    """The nearest existing offsets."""
    places = list(wanted)
    first, last = _looked_up(admin, places, EARLIEST), _looked_up(admin, places, LATEST)
    there = {one: min(max(wanted[one], first[one]), last[one]) for one in places}
    return ResetPlan(there, {one: wanted[one] for one in places if wanted[one] != there[one]})


def _looked_up(admin: Admin, places: list[TopicPartition], time: int) -> dict[TopicPartition, int]:
    if not places:
        return {}
    with in_typed_notation(places):
        found = admin.list_offsets(dict.fromkeys(places, time))
    return {where: found[where].offset for where in places}


def _named_places(admin: Admin, reset: Reset) -> list[TopicPartition]:
    views = existing_topics(admin, tuple(text.partition(":")[0] for text in reset.topics))
    known = [
        TopicPartition(view.name, one.partition)
        for view in views.values()
        for one in view.partitions
    ]
    for text in reset.topics:
        topic, _, numbers = text.partition(":")
        for number in filter(None, numbers.split(",")):
            if not any(str(where.partition) == number for where in known if where.topic == topic):
                raise ConfigError(f"--topic {text}: {topic} has no partition {number}")
    return [where for where in known if reset.names(where)]


def _names(text: str, where: TopicPartition) -> bool:
    topic, _, numbers = text.partition(":")
    return topic == where.topic and (not numbers or str(where.partition) in numbers.split(","))


def _wanted(lines: Sequence[str]) -> dict[TopicPartition, int]:
    wanted: dict[TopicPartition, int] = {}
    numbered = ((number, line.strip()) for number, line in enumerate(lines, 1))
    for number, line in filter(lambda one: one[1], numbered):
        where, offset = _row(number, line)
        if wanted.setdefault(where, offset) != offset:
            what = f"{shown(where)} gets {offset}, but an earlier line says {wanted[where]}"
            raise click.UsageError(f"--file, line {number}: {what}")
    if not wanted:
        raise click.UsageError("--file is empty; each line must be topic,partition,offset")
    return wanted


def _row(number: int, line: str) -> tuple[TopicPartition, int]:
    fields = [field.strip().strip('"') for field in line.split(",")]
    if len(fields) != _FIELDS or not all(map(_is_number, fields[1:])):
        what = f"expected topic,partition,offset, not {line!r}"
        raise click.UsageError(f"--file, line {number}: {what}")
    return TopicPartition(fields[0], int(fields[1])), int(fields[2])


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _refuse_missing(admin: Admin, places: list[TopicPartition]) -> None:
    views = existing_topics(admin, tuple(dict.fromkeys(where.topic for where in places)))
    for where in places:
        if where.partition >= len(views[where.topic].partitions):
            raise ConfigError(f"--file: {where.topic} has no partition {where.partition}")
