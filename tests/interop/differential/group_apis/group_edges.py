"""Scripts about the edges of classic groups: rebalances seen from outside, odd names, odd offsets."""

import struct
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from barnabas.errors import ErrorCode
from barnabas.protocol.delete_groups import DeleteGroupsRequest
from barnabas.protocol.describe_groups import DescribeGroupsRequest
from barnabas.protocol.find_coordinator import FindCoordinatorRequest
from barnabas.protocol.leave_group import LeaveGroupRequest, MemberIdentity
from barnabas.protocol.list_groups import ListGroupsRequest
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from barnabas.protocol.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from barnabas.protocol.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from barnabas.protocol.sync_group import SyncGroupRequestAssignment
from tests.interop.differential.group_apis.groups import Person
from tests.interop.differential.talk import Talk

_NAMES = ("range", "sticky")
"""What a member of two minds can do; the other can do the second only."""
_SHARED = "g:AAAAAAAAAAAAAAAAAAAAAQ"
_ODD = {
    "blank": " ",
    "slash": "a/b:c",
    "dots": "..",
    "other letters": "gr\u00fc\u00dfe \u2603",
    "a zero": "a\0b",
    "a line": "a\nb",
    "300": "x" * 300,
    "32767": "x" * 32767,
}
"""Names that no topic could have."""


def rebalance(talk: Talk) -> None:
    """What a member may say while others come, while the leader thinks, and when some go."""
    talk.create("t")
    topic = talk.topic("t")
    rex, max_ = Person(talk, talk.topic("g")), Person(talk, talk.topic("g"))
    for name, one in (("rex", rex), ("max", max_)):
        one.member_id = talk.ask(f"{name} is invited", one.join(names=_NAMES), 9).member_id
    rex.generation = talk.ask("rex joins", rex.join(names=_NAMES), 9).generation_id
    talk.ask("rex syncs", rex.sync(), 5)
    with _waits(talk, "max joins", max_.join(names=_NAMES[1:]), 9) as joined:
        talk.wait(
            rex.beat(), 4, lambda response: response.error_code == ErrorCode.REBALANCE_IN_PROGRESS
        )
        _amid(talk, "while max waits", rex, topic)
        talk.ask("max beats while he waits", max_.beat(), 4)
        rex.generation = talk.ask("rex joins again", rex.join(names=_NAMES), 9).generation_id
    max_.generation = joined.result().generation_id
    for label in ("max joins", "rex joins again"):
        # How many they are: Kafka lists them in any order.
        talk.answers[label]["members"] = len(talk.answers[label]["members"])
    _amid(talk, "before the leader is done", rex, topic)
    with _waits(talk, "max syncs", max_.sync(protocol="sticky"), 5) as synced:
        talk.ask("max beats meanwhile", max_.beat(), 4)
        sync = rex.sync(protocol="sticky")
        sync.assignments = [
            SyncGroupRequestAssignment(member_id=rex.member_id, assignment=b"all"),
            SyncGroupRequestAssignment(member_id="nobody", assignment=b"some"),
        ]
        talk.ask("rex syncs for himself and nobody", sync, 5)
    assert synced.done()
    _described(talk, "with both", rex)
    talk.ask("max syncs again", max_.sync(protocol="sticky"), 5)
    talk.ask("a follower joins as he was", max_.join(names=_NAMES[1:]), 9)
    talk.ask("max goes on", max_.beat(), 4)
    _deleted(talk, rex)
    _leave(talk, rex, max_)
    talk.ask("rex hears of it", rex.beat(), 4)
    talk.ask("rex leaves amid", rex.leave(), 5)
    _described(talk, "at the end", rex)


def _leave(talk: Talk, rex: Person, max_: Person) -> None:
    leaving = [
        MemberIdentity(member_id="nobody"),
        MemberIdentity(member_id=max_.member_id, group_instance_id="max"),
        MemberIdentity(member_id="", group_instance_id="unknown"),
        MemberIdentity(member_id=""),
        MemberIdentity(member_id=max_.member_id, reason="tired"),
        MemberIdentity(member_id=max_.member_id),
    ]
    response = "some leave, and some who cannot"
    talk.ask(response, LeaveGroupRequest(group_id=rex.group, members=leaving), 5)
    for one in talk.answers[response]["members"]:
        one["member_id"] = one["member_id"].replace(max_.member_id, "max")
    talk.ask("nobody leaves", LeaveGroupRequest(group_id=rex.group, members=[]), 5)


@contextmanager
def _waits(talk: Talk, label: str, message: object, version: int) -> Iterator[Future[Any]]:
    """Ask what is answered only after requests of others: inside."""
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(talk.ask, label, message, version)


def _amid(talk: Talk, when: str, one: Person, topic: str) -> None:
    talk.ask(f"beats {when}", one.beat(), 4)
    talk.ask(f"beats ahead {when}", one.beat(generation=1), 4)
    talk.ask(f"commits {when}", one.commit(topic), 8)
    talk.ask(f"commits behind {when}", one.commit(topic, generation=-1), 8)
    talk.ask(f"commits from outside {when}", Person(talk, one.group).commit(topic), 8)
    talk.ask(f"syncs of another time {when}", one.sync(generation=1), 5)
    talk.ask(f"forgets {when}", one.forget(topic), 0)
    talk.ask(f"deletes {when}", one.delete(), 2)
    _described(talk, when, one)


def _described(talk: Talk, when: str, one: Person) -> None:
    label = f"described {when}"
    talk.ask(label, one.describe(), 6)
    for group in talk.answers[label]["groups"]:
        group["members"].sort(key=lambda each: str(sorted(each.items(), key=str)))


def _deleted(talk: Talk, one: Person) -> None:
    names = [one.group, talk.topic("missing"), "", one.group, talk.topic("missing")]
    for version in (0, 2):
        label = f"deleted, version {version}"
        talk.ask(label, DeleteGroupsRequest(groups_names=names), version)
        talk.answers[label]["results"].sort(key=lambda each: each["group_id"])


def odd_names(talk: Talk) -> None:
    """Groups whose names are odd: committed to, described, listed, deleted."""
    talk.create("t")
    topic = talk.topic("t")
    for name, odd in _ODD.items():
        one = Person(talk, talk.topic("g"))
        one.group = odd
        talk.ask(f"{name}: found", FindCoordinatorRequest(key=odd, key_type=0), 3)
        talk.ask(f"{name}: found in a batch", FindCoordinatorRequest(
            coordinator_keys=[odd, ""], key_type=0), 4)  # fmt: skip
        talk.wait(
            one.beat(), 4, lambda response: response.error_code == ErrorCode.UNKNOWN_MEMBER_ID
        )
        talk.ask(f"{name}: invited", one.join(), 9)
        talk.ask(f"{name}: committed", one.commit(topic), 8)
        talk.ask(f"{name}: asked", _asked(odd, topic, 0), 7)
        talk.ask(f"{name}: described", one.describe(), 5)
        label = f"{name}: listed"
        talk.ask(label, ListGroupsRequest(states_filter=[], types_filter=[]), 5)
        recorded = talk.answers[label]
        recorded["groups"] = [each for each in recorded["groups"] if each["group_id"] == odd]
        talk.ask(f"{name}: deleted", one.delete(), 2)
    for kind, key in ((1, "w"), (2, f"{_SHARED}:0")):
        found = FindCoordinatorRequest(coordinator_keys=[key], key_type=kind)
        talk.wait(found, 6, lambda response: not response.coordinators[0].error_code)
    for kind in (0, 1, 2, 3):
        talk.ask(f"found: kind {kind}, no name", FindCoordinatorRequest(key="", key_type=kind), 3)
    for key in ("", "g", "g:t:0", *(f"{_SHARED}:{one}" for one in ("x", -1, 2**31, -(2**31)))):
        asked = FindCoordinatorRequest(coordinator_keys=[key], key_type=2)
        talk.ask(f"found: share partition {key!r}", asked, 6)


def _asked(group: str, topic: str, *partitions: int) -> OffsetFetchRequest:
    one = OffsetFetchRequestTopic(name=topic, partition_indexes=list(partitions))
    return OffsetFetchRequest(group_id=group, topics=[one])


def odd_offsets(talk: Talk) -> None:
    """Offsets with odd numbers, long notes, places that are not there, each in several versions."""
    topic_id = talk.create("t", partitions=3)
    one = Person(talk, talk.topic("g"))

    def place(index: int, offset: int = 7, note: str | None = "n", epoch: int = -1) -> Any:
        return OffsetCommitRequestPartition(
            partition_index=index,
            committed_offset=offset,
            committed_leader_epoch=epoch,
            committed_metadata=note,
        )

    def commit(label: str, version: int, *places: Any, topic: str = "t", **more: Any) -> None:
        name = talk.topic(topic)
        topics = [OffsetCommitRequestTopic(name=name, partitions=list(places), **more)]
        asked = OffsetCommitRequest(group_id=one.group, topics=topics)
        talk.ask(f"{label}, {version}", asked, version)

    for version in (2, 4, 8, 9):
        commit("long notes", version, place(0, note="n" * 4096), place(1, note="n" * 4097))
        commit("notes by letters", version, place(0, note="\u00fc" * 4096))
        faces = place(0, note="\U0001f600" * 2048), place(1, note="\U0001f600" * 2049)
        commit("notes by faces", version, *faces)
        commit("no note", version, place(0, note=None))
        commit("below zero", version, place(0, -1), place(1, -2), place(2, -(2**63)))
        commit("the highest", version, place(0, 2**63 - 1))
        commit("twice", version, place(1, 3), place(1, 4))
        commit("no such places", version, place(-1), place(3), place(2**31 - 1), place(0))
        commit("no such topic", version, place(0), topic="missing")
        commit("no place", version)
        talk.ask(f"returned, {version}", _asked(one.group, talk.topic("t"), 0, 1, 2), 5)
    commit("epochs", 8, place(0, epoch=5), place(1, epoch=-2), place(2, epoch=0))
    ids = {"the topic's": topic_id, "an unknown one": b"\7" * 16, "none": bytes(16)}
    for label, by_id in ids.items():
        commit(f"by id, {label}", 10, place(0, 11), topic_id=by_id)
    nothing = OffsetCommitRequest(group_id=one.group, topics=[])
    talk.ask("nothing at all", nothing, 9)
    talk.ask("nothing at all, of another time", OffsetCommitRequest(
        group_id=talk.topic("new"), generation_id_or_member_epoch=4, member_id="x", topics=[]), 9)  # fmt: skip
    _returned_offsets(talk, one, topic_id)
    _forgotten(talk, one)


def _returned_offsets(talk: Talk, one: Person, topic_id: bytes) -> None:
    name = talk.topic("t")
    for version in (1, 2, 5, 7):
        talk.ask(f"asked {version}", _asked(one.group, name, 0, 1, 2, 9, -1), version)
        talk.ask(f"nobody asked {version}", _asked(talk.topic("nobody"), name, 0, 9), version)
        talk.ask(f"no topic asked {version}", _asked(one.group, talk.topic("missing"), 0), version)
        talk.ask(f"nameless asked {version}", _asked("", name, 0), version)
        empty = OffsetFetchRequest(group_id=one.group, topics=[])
        talk.ask(f"none asked {version}", empty, version)
        talk.ask(f"no place asked {version}", _asked(one.group, name), version)
        if version > 1:
            talk.ask(f"all asked {version}", OffsetFetchRequest(group_id=one.group), version)
    by_name = OffsetFetchRequestTopics(name=name, partition_indexes=[0, 9])
    for version in (8, 9):
        groups = [
            OffsetFetchRequestGroup(group_id=each, topics=topics)
            for each in (one.group, talk.topic("nobody"), "", one.group)
            for topics in ([by_name], [], None)
        ]
        for index, group in enumerate(groups):
            talk.ask(f"group {index} asked {version}", OffsetFetchRequest(groups=[group]), version)
    for index, known in enumerate((topic_id, b"\7" * 16, bytes(16))):
        by_id = OffsetFetchRequestTopics(topic_id=known, partition_indexes=[0, 9])
        group = OffsetFetchRequestGroup(group_id=one.group, topics=[by_id])
        talk.ask(f"asked by id {index}", OffsetFetchRequest(groups=[group]), 10)
    group = OffsetFetchRequestGroup(group_id=one.group, topics=None)
    talk.ask("all asked by id", OffsetFetchRequest(groups=[group]), 10)


def _forgotten(talk: Talk, one: Person) -> None:
    name = talk.topic("t")

    def forget(label: str, group: str, topics: dict[str, list[int]]) -> None:
        asked = [
            OffsetDeleteRequestTopic(
                name=each,
                partitions=[
                    OffsetDeleteRequestPartition(partition_index=index) for index in places
                ],
            )
            for each, places in topics.items()
        ]
        talk.ask(label, OffsetDeleteRequest(group_id=group, topics=asked), 0)

    forget("nothing forgotten", one.group, {})
    forget("no place forgotten", one.group, {name: []})
    forget("no such place forgotten", one.group, {name: [-1, 99, 1], talk.topic("missing"): [0]})
    forget("nobody forgets", talk.topic("nobody"), {name: [0]})
    forget("nothing is left", one.group, {name: [0, 1, 2]})
    talk.ask("all asked at the end", OffsetFetchRequest(group_id=one.group), 7)


def returned_and_listed(talk: Talk) -> None:
    """Groups asked for in odd ways."""
    talk.create("t")
    one = Person(talk, talk.topic("g"))
    talk.ask("committed", one.commit(talk.topic("t")), 8)
    for version in (0, 5, 6):
        names = [one.group, talk.topic("nobody"), "", one.group]
        for index, each in enumerate(([], names[:1], names[1:2], names[2:3])):
            asked = DescribeGroupsRequest(groups=each, include_authorized_operations=version > 2)
            talk.ask(f"described {index}, version {version}", asked, version)
    for states in (["Empty"], ["empty"], ["EMPTY", "Stable"], ["Nowhere"], ["Dead"], [""]):
        for kinds in ([], ["classic"], ["CLASSIC"], ["Consumer"], ["other"], [""]):
            label = f"listed {states} {kinds}"
            talk.ask(label, ListGroupsRequest(states_filter=states, types_filter=kinds), 5)
            recorded = talk.answers[label]
            recorded["groups"] = [
                each for each in recorded["groups"] if each["group_id"] == one.group
            ]


def odd_subscriptions(talk: Talk) -> None:
    """Consumers that say what they subscribe to as no version does, and offsets that are to go."""
    for name in ("dogs", "cats"):
        talk.create(name)
    topic = talk.topic("dogs").encode()
    named = struct.pack(">ih", 1, len(topic)) + topic
    none, owned = b"\xff\xff\xff\xff", b"\0\0\0\0"
    # Kafka never answers who joins with a length that goes beyond the end.
    bodies = {
        "whole": named + none,
        "no user data": named,
        "owned cut short": named + none + b"\0\0\0\1\0",
        "owned and garbage": named + none + owned + b"garbage",
        "no topics": owned + none,
        "empty": b"",
    }
    one = Person(talk, talk.topic("g"))
    for label, body in bodies.items():
        for version in (-1, 0, 1, 2, 3, 4, 99):
            metadata = struct.pack(">h", version) + body
            joined = talk.wait(
                one.join(metadata=metadata), 3, lambda response: not response.error_code
            )
            one.member_id, one.generation = joined.member_id, joined.generation_id
            talk.wait(one.sync(), 5, lambda response: not response.error_code)
            for name in ("dogs", "cats"):
                talk.ask(f"{label} in {version}: {name}", one.forget(talk.topic(name)), 0)


SCENARIOS = (rebalance, odd_names, odd_offsets, odd_subscriptions, returned_and_listed)
