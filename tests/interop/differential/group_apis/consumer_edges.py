"""Edges of consumer groups (KIP-848): members that are removed, release partitions, change the protocol."""

import time
from typing import Any

from barnabas.coordinators.classic_group.protocols import encode_assignment
from barnabas.protocol.delete_groups import DeleteGroupsRequest
from barnabas.protocol.leave_group import LeaveGroupRequest, MemberIdentity
from barnabas.protocol.sync_group import SyncGroupRequestAssignment
from sim.groups.assigning import subscription
from tests.interop.differential.group_apis.consumer_groups import One, configure, known
from tests.interop.differential.group_apis.groups import Person
from tests.interop.differential.talk import Talk

NEXT_ASSIGNMENT_SECONDS = 1.1
"""A group has its next assignment a second after the last one at the earliest (KIP-1263)."""

_INTERVAL, _LONG = "consumer.assignment.interval.ms", "15000"


def taken_out(talk: Talk) -> None:
    """LeaveGroup takes out members that send heartbeats: by id, by instance, present or away."""
    talk.create("t", partitions=4)
    known(talk, "t")
    names = {"ann": "a", "bob": "b", "cat": None, "dan": None, "eve": "e", "fay": None}
    ann, bob, *_, fay = everybody = [One(talk, "out", *one) for one in names.items()]
    configure(talk, ann.group, **{_INTERVAL: _LONG})  # No assignment in between, however slow.
    for one in everybody:
        one.joins(f"{one.name} joins", "t")
    nobody = MemberIdentity(member_id="zoe"), MemberIdentity(member_id="")
    misnamed = [("", "z"), ("zoe", "a"), ("zoe", "z"), ("bob", "a"), ("cat", "a"), ("", "")]
    strangers = *nobody, *(_static(*one) for one in misnamed)
    talk.ask("strangers leave", _leave(ann, *strangers), 5)
    talk.ask("nobody leaves", _leave(ann), 5)
    _described(talk, "with all", ann)
    cat, by_name, by_id = MemberIdentity(member_id="cat"), _static("", "a"), _static("ann", None)
    talk.ask("some leave twice", _leave(ann, cat, cat, by_name, by_id, *nobody), 5)
    _described(talk, "without ann and cat", ann)
    bob.says("bob is away", epoch=-2)
    talk.ask("bob is taken out", _leave(bob, _static("", "b")), 4)
    talk.ask("dan leaves", LeaveGroupRequest(group_id=ann.group, member_id="dan"), 2)
    talk.ask("eve leaves", LeaveGroupRequest(group_id=ann.group, member_id="eve"), 0)
    _described(talk, "with fay alone", fay)
    configure(talk, ann.group, **{_INTERVAL: "0"})
    fay.says("fay has it all")
    _described(talk, "fay has it all, described", fay)
    talk.ask("fay leaves", _leave(fay, MemberIdentity(member_id="fay")), 5)
    _described(talk, "without anybody", fay)
    talk.ask("deleted", DeleteGroupsRequest(groups_names=[ann.group]), 2)


def to_give_back(talk: Talk) -> None:
    """What a member has still to give back is its own, as far as descriptions go."""
    for name in ("t", "u"):
        talk.create(name, partitions=4)
        known(talk, name)
    ann, bob = One(talk, "two", "ann"), One(talk, "two", "bob")
    ann.joins("ann joins", "t", "u")
    ann.says("ann has it all", topic_partitions=ann.owned())
    time.sleep(NEXT_ASSIGNMENT_SECONDS)
    ann.says("ann wants less", subscribed_topic_names=[talk.topic("t")])
    _described(talk, "with another topic to give back", ann)
    ann.says("ann has less", topic_partitions=ann.owned())
    _described(talk, "with less", ann)
    time.sleep(NEXT_ASSIGNMENT_SECONDS)
    bob.joins("bob joins", "t")
    ann.says("ann is notified")
    _described(talk, "with half of it to give back", ann)
    ann.says("ann gave it back", topic_partitions=ann.owned())
    _described(talk, "with half of it", ann)


def back_to_classic(talk: Talk) -> None:
    """The last member that sends heartbeats is taken out: the others are to have their targets."""
    talk.create("t", partitions=4)
    known(talk, "t")
    rex, ann = classic_alone(talk, "back"), One(talk, "back", "ann")
    ann.joins("ann joins", "t")
    talk.ask("ann is taken out", _leave(ann, MemberIdentity(member_id="ann")), 5)
    talk.ask("described as modern", ann.describe(), 1)
    talk.ask("described", rex.describe(), 6)
    talk.ask("rex beats", rex.beat(), 4)


def in_a_static_place(talk: Talk) -> None:
    """A member that takes a static member's place in a classic group, and wants the same, begins no epoch."""
    talk.create("t", partitions=4)
    known(talk, "t")
    rex, ann = classic_alone(talk, "place", "i"), One(talk, "place", "ann", "i")
    ann.joins("ann takes the place", "t")
    _described(talk, "with ann", ann)
    talk.ask("rex beats", rex.beat(), 4)
    ann.says("ann is there")


def no_assignment_yet(talk: Talk) -> None:
    """A member that speaks JoinGroup learns of a new epoch when its assignment is made."""
    talk.create("t", partitions=4)
    known(talk, "t")
    rex, ann, bob = classic_alone(talk, "slow"), One(talk, "slow", "ann"), One(talk, "slow", "bob")
    configure(talk, ann.group, **{_INTERVAL: _LONG})
    ann.joins("ann joins", "t")
    joins = rex.join(metadata=subscription([talk.topic("t")]))
    rex.generation = talk.ask("rex joins with ann there", joins, 9).generation_id
    talk.ask("rex syncs with ann there", rex.sync(), 5)
    talk.ask("rex beats with ann there", rex.beat(), 4)
    bob.joins("bob joins", "t")
    talk.ask("rex beats with bob there", rex.beat(), 4)
    talk.ask("rex syncs with bob there", rex.sync(), 5)
    rex.generation = talk.ask("rex joins with bob there", joins, 9).generation_id
    talk.ask("rex syncs again", rex.sync(), 5)
    talk.ask("rex beats again", rex.beat(), 4)


def classic_alone(talk: Talk, group: str, instance: str | None = None) -> Person:
    """One alone in a classic group, with four partitions."""
    rex, topic = Person(talk, talk.topic(group), instance), talk.topic("t")
    response = subscription([topic])
    rex.member_id = talk.ask("rex joins", rex.join(metadata=response), 9).member_id
    # With an instance he is in by now, and in again.
    rex.generation = talk.ask("rex has joined", rex.join(metadata=response), 9).generation_id
    sync = rex.sync()
    all_of_it = encode_assignment({topic: range(4)}, like=response)
    sync.assignments = [
        SyncGroupRequestAssignment(member_id=rex.member_id, assignment=all_of_it),
    ]
    talk.ask("rex syncs", sync, 5)
    return rex


def _static(member_id: str, instance_id: str | None) -> MemberIdentity:
    return MemberIdentity(member_id=member_id, group_instance_id=instance_id)


def _leave(one: One, *members: MemberIdentity) -> LeaveGroupRequest:
    return LeaveGroupRequest(group_id=one.group, members=list(members))


def _described(talk: Talk, label: str, one: One) -> None:
    talk.ask(label, one.describe(), 1)
    members: list[dict[str, Any]] = talk.answers[label]["groups"][0]["members"]
    # Kafka's come out of a hash map.
    members.sort(key=lambda member: str(member["member_id"]))


def by_expression(talk: Talk) -> None:
    """Expressions find internal topics; what RE2/J does not know is refused."""
    talk.create("t")
    known(talk, "t")
    one = One(talk, "found", "one")
    talk.ask("commits", one.commit("t", -1, name=""), 9)
    joins = one.beat(
        epoch=0,
        rebalance_timeout_ms=60_000,
        topic_partitions=[],
        subscribed_topic_names=[],
        subscribed_topic_regex="__consumer_off.*",
    )
    # Kafka looks for topics after it has answered.
    talk.wait(
        joins, 1, lambda response: response.assignment and response.assignment.topic_partitions
    )
    talk.ask("found", one.describe(), 1)
    (group,) = talk.answers["found"]["groups"]
    (member,) = group["members"]
    places = member["assignment"]["topic_partitions"]
    found = [place["topic_name"] for place in places]
    talk.answers["found"] = found, member["subscribed_topic_regex"]
    for expression in (r"\C", r"a\Cb", r"[\C]", r"\Qa\E\C", "(?P<n>a)(?<n>b)"):
        one.joins(
            f"refused: {expression}", subscribed_topic_names=[], subscribed_topic_regex=expression
        )
    many = "(" * 900 + ")" * 900
    named = r"(?P<n>a)[(?P<n>]\Q(?P<n>"
    taken_ones = (r"\\C", r"\Q\C\E", r"\Q\C", many, named, "(?:.?){1000}", "(x{500}){3}")
    for number, expression in enumerate(taken_ones):
        taken = One(talk, f"taken-{number}", "one")
        joins = taken.beat(
            rebalance_timeout_ms=60_000,
            topic_partitions=[],
            subscribed_topic_names=[],
            subscribed_topic_regex=expression,
        )
        response = talk.wait(
            joins, 1, lambda response: response.member_epoch or response.error_code
        )
        talk.answers[f"taken: {expression}"] = response.error_code


SCENARIOS = (
    taken_out,
    to_give_back,
    back_to_classic,
    in_a_static_place,
    no_assignment_yet,
    by_expression,
)
