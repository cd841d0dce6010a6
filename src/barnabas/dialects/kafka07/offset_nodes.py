"""Offsets of groups, as they stand in ZooKeeper: the digits of a 64-bit number, and nothing else.

A group is a node under its own name, as it is; with "/" in its name it is one below another group's.
Source: seed 000 "Consumer"; Kafka 0.7.2 and 0.8 write a Long as text and read it as such; their
ZKGroupDirs, ZooKeeper's PathUtils.
"""

import re
from collections.abc import Callable, Iterator

_CONSUMERS = "/consumers"
_OFFSETS = "offsets"
_OF_A_GROUP = frozenset({"ids", "owners", _OFFSETS})
"""What each group keeps below its node."""

_MOST_STEPS = 16
"""How deep a group may be: each step of its name is a node, and one name has room for thousands."""

_REFUSED = re.compile("[\0-\x1f\x7f-\x9f\ud800-\uf8ff\ufff0-\uffff\U00010000-\U0010ffff]")
"""What ZooKeeper has in no name: it reads what is behind U+FFFF as surrogates."""

_NUMBER = re.compile(rb"-?[0-9]{1,19}")
_LARGEST = 2**63 - 1


def offsets_path(group: str) -> str | None:
    """The node of a group's offsets. Nothing in it is escaped, as ZooKeeper consumers look for it.

    None where ZooKeeper refuses the name, or where it leads through what another group keeps, as
    g/offsets/t does: Kafka writes that one. No two groups have a node in common here.
    """
    first, *more = group.split("/")
    if len(more) >= _MOST_STEPS or not _OF_A_GROUP.isdisjoint(more) or _REFUSED.search(group):
        return None
    if not {"", ".", ".."}.isdisjoint((first, *more)):
        return None
    return f"{_CONSUMERS}/{group}/{_OFFSETS}"


def groups_with_offsets(children: Callable[[str], list[str]]) -> Iterator[tuple[str, str]]:
    """Groups that may have offsets, also those with "/" in their names, each with that node.

    `children` tells the names below a node. What it raises comes from here.
    """
    waiting = children(_CONSUMERS)
    while waiting:
        group = waiting.pop()
        names = children(f"{_CONSUMERS}/{group}")
        if _OFFSETS in names:
            yield group, f"{_CONSUMERS}/{group}/{_OFFSETS}"
        waiting += [f"{group}/{name}" for name in names if name not in _OF_A_GROUP]


def decode_offset(data: bytes) -> int | None:
    """The offset; None if this is none. Kafka 0.7 writes -1 where it could not learn one."""
    if not _NUMBER.fullmatch(data):
        return None
    offset = int(data)
    return offset if abs(offset) <= _LARGEST else None
