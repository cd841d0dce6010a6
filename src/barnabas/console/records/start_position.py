"""The start of a page of records: a word, an offset, a time, or the end of the previous page."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starlette.exceptions import HTTPException

from barnabas.client.core.admin.descriptions import OffsetAndTimestamp
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.console.cluster.cluster_state import ClusterState, led
from barnabas.console.forms import missing, one_of, time_of, whole_number, wrong
from barnabas.types import TopicPartition

KINDS: Final = ("end", "beginning", "offset", "time")
_INT64: Final = (1 << 63) - 1

Bounds = Mapping[int, tuple[int, int]]
"""First offset and end, by partition."""


@dataclass(frozen=True, slots=True)
class StartPosition:
    """The start that a query requests.

    `places` are offsets by partition: of the first record to read, or with `backward` the offset
    after the last one. Partitions that are not in it have no records to show.
    """

    places: Mapping[int, int]
    backward: bool


def partitions_of(view: TopicView, query: Mapping[str, str]) -> list[int]:
    """The partitions that a query asks for (`partition`): one, or all that have a leader.

    Raises:
        HTTPException: there is none of that number.
    """
    wanted = whole_number(query, "partition", -1, low=-1)
    known = [one.partition for one in led(view)]
    if wanted < 0:
        return known
    if wanted in known:
        return [wanted]
    if view.numbered(wanted) is not None:
        raise HTTPException(503, f"partition {wanted} of {view.name} has no leader now")
    count = len(view.partitions)
    raise missing(f"{view.name} has {count} partition{'s' * (count != 1)}, counted from 0")


async def start_of(
    cluster: ClusterState, topic: str, query: Mapping[str, str], bounds: Bounds
) -> StartPosition:
    """Where to begin, within `bounds`.

    Raises:
        HTTPException: an offset, a time or a place is invalid.
    """
    for name in ("at", "before"):
        if query.get(name):
            places = places_of_text(query[name], name)
            within = {one: at for one, at in places.items() if one in bounds}
            return StartPosition(within, backward=name == "before")
    kind = one_of(query, "from", KINDS)
    if kind == "end":
        return StartPosition({one: end for one, (_, end) in bounds.items()}, backward=True)
    if kind == "offset":
        offset = whole_number(query, "offset", 0)
        inside = {one: max(offset, first) for one, (first, _) in bounds.items()}
        return StartPosition(inside, backward=False)
    if kind == "time":
        wanted = time_of(query.get("time", ""))
        found = await cluster.admin.list_offsets(
            {TopicPartition(topic, one): wanted for one in bounds}
        )
        return StartPosition(_reached(found), backward=False)
    return StartPosition({one: first for one, (first, _) in bounds.items()}, backward=False)


def _reached(found: Mapping[TopicPartition, OffsetAndTimestamp]) -> dict[int, int]:
    """The partitions that have a record so late."""
    return {where.partition: one.offset for where, one in found.items() if one.offset >= 0}


def places_text(places: Mapping[int, int]) -> str:
    """Offsets by partition as a query carries them: `0:17,2:4`."""
    return ",".join(f"{one}:{offset}" for one, offset in sorted(places.items()))


def places_of_text(text: str, name: str) -> dict[int, int]:
    """Parse the text of `places_text` in the parameter `name`.

    Raises:
        HTTPException: it is something else.
    """
    found = {}
    for part in text.split(","):
        one, _, offset = part.partition(":")
        if not all(
            each.isascii() and each.isdecimal() and len(each) < 19 for each in (one, offset)
        ):
            raise wrong(f"{name} must be PARTITION:OFFSET, with commas between, not {part[:40]!r}")
        found[int(one)] = min(int(offset), _INT64)
    return found
