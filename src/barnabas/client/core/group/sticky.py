"""Sticky: as even as possible, with as few moves as that allows.

Balanced means: no partition could move to another subscriber that has two fewer. The choice of
moves may differ from other clients: only the leader decides.
"""

from collections.abc import Mapping, Sequence
from heapq import heapify, heapreplace
from typing import Final

from barnabas.client.core.group.assignor import (
    Assignment,
    Counts,
    PreviousAssignment,
    in_order,
    nothing_yet,
    subscribers,
    wants,
)
from barnabas.client.core.group.sticky_user_data import decode_previous, encode_previous
from barnabas.client.core.group.subscription import Subscriptions
from barnabas.types import TopicPartition

_TWO_FEWER: Final = 2


class StickyAssignor:
    """Kafka's StickyAssignor: members revoke everything before they join, and report what they had."""

    name = "sticky"
    cooperative = False

    def user_data(self, held: PreviousAssignment) -> bytes | None:
        """The member's partitions, because it will have released them."""
        return encode_previous(held) if held.partitions else None

    def assign(self, counts: Counts, members: Subscriptions) -> Assignment:
        """Even shares with as few changes as possible."""
        held = {member_id: decode_previous(each) for member_id, each in members.items()}
        return balanced(counts, members, held)


def balanced(
    counts: Counts, members: Subscriptions, held: Mapping[str, PreviousAssignment]
) -> Assignment:
    """Assign each partition to one subscriber, evenly, and move only what is necessary.

    If two members claim a partition, the newer generation wins; if both are equal, neither does.
    """
    wanting = subscribers(counts, members)
    owners = _owners(counts, members, held)
    given = nothing_yet(members)
    every = [TopicPartition(topic, one) for topic in wanting for one in range(counts[topic])]
    if len({frozenset(each.topics) for each in members.values()}) == 1:
        _keep_even_shares(given, owners, len(every))
        _fill_evenly(given, every)
    else:
        for where, member_id in owners.items():
            given[member_id].append(where)
        _fill_by_topic(given, every, wanting)
        _even_out(given, wanting)
    return {member_id: sorted(rows) for member_id, rows in given.items()}


def _owners(
    counts: Counts, members: Subscriptions, held: Mapping[str, PreviousAssignment]
) -> dict[TopicPartition, str]:
    newest: dict[TopicPartition, tuple[int, str | None]] = {}
    for member_id in in_order(members):
        generation = held[member_id].generation
        for where in dict.fromkeys(held[member_id].partitions):
            if not wants(members[member_id], where, counts):
                continue
            known = newest.get(where)
            if known is None or generation > known[0]:
                newest[where] = generation, member_id
            elif generation == known[0]:
                newest[where] = generation, None
    return {where: owner for where, (_, owner) in newest.items() if owner is not None}


def _keep_even_shares(given: Assignment, owners: Mapping[TopicPartition, str], total: int) -> None:
    """Keep each member's partitions up to an even share; larger ones keep the remainder."""
    least, more = divmod(total, len(given))
    had: Assignment = {member_id: [] for member_id in given}
    for where in sorted(owners):
        had[owners[where]].append(where)
    for member_id, rows in had.items():
        one_more = len(rows) > least and more > 0
        more -= one_more
        given[member_id] += rows[: least + one_more]


def _fill_evenly(given: Assignment, every: Sequence[TopicPartition]) -> None:
    """Assign free partitions to the member with the fewest; anybody may have anything."""
    shares = [(len(rows), index, rows) for index, rows in enumerate(given.values())]
    heapify(shares)
    for where in _free(given, every):
        size, index, rows = shares[0]
        rows.append(where)
        heapreplace(shares, (size + 1, index, rows))


def _fill_by_topic(
    given: Assignment, every: Sequence[TopicPartition], wanting: Mapping[str, list[str]]
) -> None:
    """The same among subscribers of the topic; partitions with the fewest subscribers first."""
    for where in sorted(_free(given, every), key=lambda one: len(wanting[one.topic])):
        given[_least(given, wanting[where.topic])].append(where)


def _free(given: Assignment, every: Sequence[TopicPartition]) -> list[TopicPartition]:
    kept = {where for rows in given.values() for where in rows}
    return [where for where in every if where not in kept]


def _least(given: Assignment, members: Sequence[str]) -> str:
    return min(members, key=lambda one: len(given[one]))


def _even_out(given: Assignment, wanting: Mapping[str, list[str]]) -> None:
    """Move partitions one by one while that makes shares more even; each move does."""
    moved = True
    while moved:
        moved = False
        for member_id in sorted(given, key=lambda one: -len(given[one])):
            for where in list(given[member_id]):
                least = _least(given, wanting[where.topic])
                if len(given[member_id]) - len(given[least]) >= _TWO_FEWER:
                    given[member_id].remove(where)
                    given[least].append(where)
                    moved = True
