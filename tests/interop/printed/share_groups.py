"""What `kafka-share-groups` and `kafka-groups` print of share groups."""

from functools import partial

from barnabas.protocol import describe_share_group_offsets as share_offsets
from barnabas.protocol.share_group_describe import ShareGroupDescribeRequest
from barnabas.protocol.share_group_heartbeat import ShareGroupHeartbeatRequest
from tests.interop.differential.group_apis.consumer_groups import One, settled
from tests.interop.differential.group_apis.sharing import MEMBER, Member
from tests.interop.differential.resources import GROUP, SET, changed
from tests.interop.differential.talk import Talk
from tests.interop.printed.consumer_groups import CONSUMERS, GROUPS
from tests.interop.printed.tool_output import Masks, ToolOutput, all_about, all_refused, fill

SHARES = "consumer.group.ShareGroupCommand"
ACCEPT, RELEASE = 1, 2

_EPOCHS: Masks = ((r"(differential +\d+ +)\d+", r"\1#"), (r"((Stable|Empty) +)\d+ +\d+", r"\1#"))
"""Kafka comes to one more whenever a group has a topic for the first time: it begins it in an epoch."""

described = partial(all_about, SHARES, masks=_EPOCHS)
refused = partial(all_refused, SHARES)


def listed(output: ToolOutput, label: str) -> None:
    """What there is."""
    rows = output.mine(SHARES, "--list", label=label)
    assert rows, label
    for state in ((), ("stable",), ("Empty,Dead",), ("Reconciling",)):
        output.mine(SHARES, "--list", "--state", *state, label=label)
    output.mine(GROUPS, "--list", "--share", label=label)
    output.mine(GROUPS, "--list", "--group-type", "share", label=label)


def moved(output: ToolOutput, group: str, topic: str) -> None:
    """What may be done with a group that nobody is in, to its end."""
    reset = SHARES, "--reset-offsets", "--group", group
    nothing = output.talk.topic("nothing")
    for scope in (("--all-topics",), ("--topic", topic), ("--topic", f"{topic}:1")):
        output.ask(*reset, *scope, "--to-latest", "--dry-run")
    output.ask(*reset, "--topic", topic, "--to-datetime", "2023-11-14T22:13:21.500", "--dry-run")
    output.ask(*reset, "--topic", nothing, "--to-earliest", "--execute")
    output.ask(*reset, "--topic", f"{topic}:7", "--to-earliest", "--execute")
    output.ask(*reset, "--topic", output.talk.topic("cats"), "--to-earliest", "--execute")
    output.ask(*reset, "--topic", topic, "--to-earliest", "--execute")
    described(output, "moved", group)
    forgets = SHARES, "--delete-offsets", "--group", group
    output.ask(*forgets, "--topic", nothing)
    output.ask(*forgets, "--topic", topic)
    output.ask(*forgets, "--topic", topic, label="again")
    described(output, "forgotten", group)
    output.ask(SHARES, "--delete", "--group", group)
    described(output, "gone", group)
    output.ask(SHARES, "--delete", "--group", group, label="again")
    output.ask(*forgets, "--topic", topic, label="gone")
    output.ask(*reset, "--topic", topic, "--to-earliest", "--execute", label="gone")


def beat(talk: Talk, group: str, name: str, epoch: int) -> None:
    """A member stays or goes."""
    asked = ShareGroupHeartbeatRequest(group_id=group, member_id=name, member_epoch=epoch)
    talk.wait(asked, 1, lambda response: not response.error_code)


def comes(talk: Talk, group: str, name: str) -> None:
    """Another member comes, and has another topic."""
    asked = ShareGroupHeartbeatRequest(
        group_id=group,
        member_id=name,
        member_epoch=0,
        rack_id="rack",
        subscribed_topic_names=[talk.topic("cats")],
    )
    talk.wait(
        asked, 1, lambda response: response.assignment and response.assignment.topic_partitions
    )


def epoch_of(talk: Talk, group: str) -> int:
    """Where the group is."""
    asked = ShareGroupDescribeRequest(group_ids=[group], include_authorized_operations=False)
    return int(talk.wait(asked, 1, lambda _: True).groups[0].group_epoch)


def given_back(talk: Talk, group: str) -> None:
    """Wait until Kafka has kept what a lost connection had in hand: with that, where it begins."""
    topic = share_offsets.DescribeShareGroupOffsetsRequestTopic(
        topic_name=talk.topic("dogs"), partitions=[0]
    )
    wanted = share_offsets.DescribeShareGroupOffsetsRequestGroup(group_id=group, topics=[topic])
    asked = share_offsets.DescribeShareGroupOffsetsRequest(groups=[wanted])
    talk.wait(
        asked, 1, lambda response: response.groups[0].topics[0].partitions[0].start_offset == 2
    )


def a_share_group(output: ToolOutput) -> None:
    """A member that has some records, and one that wants another topic."""
    talk = output.talk
    topic_id = talk.create("dogs", partitions=2)
    talk.create("cats")
    group = talk.topic("group-2")
    early = changed(GROUP, group, ("share.auto.offset.reset", SET, "earliest"))
    talk.wait(early, 1, lambda response: not response.responses[0].error_code)
    settled(talk)
    fill(talk, "dogs", 10, 4)
    One(talk, "no-share", "one").joins("a consumer joins", "dogs")
    output.ask(SHARES, "--describe", "--group", talk.topic("no-share"))
    output.ask(SHARES, "--delete", "--group", talk.topic("no-share"))
    with talk.one_connection():
        member = Member(talk, topic_id, 2)
        epoch = epoch_of(talk, group)
        described(output, "nothing read", group)
        member.acquire(fills=False)
        described(output, "acquired", group)
        member.say("some", (0, 1, [ACCEPT]), (4, 5, [ACCEPT]), (6, 6, [RELEASE]))
        described(output, "acknowledged in part", group)
        comes(talk, group, "another")
        beat(talk, group, MEMBER, epoch)
        described(output, "another too", group)
        listed(output, "two members")
        refused(output, "two members", group, talk.topic("dogs"))
        output.ask(CONSUMERS, "--describe", "--group", group)
        output.ask(CONSUMERS, "--delete", "--group", group)
        beat(talk, group, "another", -1)
        beat(talk, group, MEMBER, -1)
    given_back(talk, group)
    described(output, "empty", group)
    listed(output, "empty")
    moved(output, group, talk.topic("dogs"))


SCENES = (a_share_group,)
