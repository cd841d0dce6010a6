"""What `kafka-consumer-groups` and `kafka-groups` print of consumer groups, new and classic."""

import tempfile
from functools import partial
from pathlib import Path

from barnabas.protocol.find_coordinator import FindCoordinatorRequest
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from sim.groups.assigning import subscription
from tests.interop.differential.group_apis.consumer_edges import classic_alone
from tests.interop.differential.group_apis.consumer_groups import One, configure
from tests.interop.differential.group_apis.groups import Person
from tests.interop.differential.talk import Talk
from tests.interop.printed.tool_output import ToolOutput, all_about, all_refused, fill

CONSUMERS, GROUPS = "consumer.group.ConsumerGroupCommand", "GroupsCommand"

described = partial(all_about, CONSUMERS)
refused = partial(all_refused, CONSUMERS)


def listed(output: ToolOutput, label: str) -> None:
    """What there is."""
    rows = output.mine(CONSUMERS, "--list", label=label)
    assert rows, label
    for what in (("--state",), ("--type",), ("--state", "Stable", "--type", "consumer")):
        output.mine(CONSUMERS, "--list", *what, label=label)
    output.mine(CONSUMERS, "--list", "--state", "empty,dead", label=label)
    output.mine(CONSUMERS, "--list", "--type", "classic", label=label)
    output.mine(GROUPS, "--list", label=label)
    for kind in (("--consumer",), ("--group-type", "classic"), ("--protocol", "consumer")):
        output.mine(GROUPS, "--list", *kind, label=label)


def moved(output: ToolOutput, group: str, topic: str) -> None:
    """What may be done with a group that nobody is in, to its end."""
    reset = CONSUMERS, "--reset-offsets", "--group", group
    for scope in (("--all-topics",), ("--topic", topic), ("--topic", f"{topic}:1,2")):
        output.ask(*reset, *scope, "--to-latest", "--dry-run")
    for where in (
        ("--to-earliest",), ("--to-current",), ("--to-offset", "2"), ("--to-offset", "99"),
        ("--shift-by", "2"), ("--shift-by", "-99"), ("--by-duration", "PT1S"),
        ("--to-datetime", "2023-11-14T22:13:21.500"), ("--to-datetime", "2999-01-01T00:00:00.000"),
    ):  # fmt: skip
        output.ask(*reset, "--topic", topic, *where, "--dry-run")
    output.ask(*reset, "--topic", topic, "--to-offset", "2", "--export", "--dry-run")
    output.ask(*reset, "--topic", output.talk.topic("nothing"), "--to-earliest", "--execute")
    output.ask(*reset, "--topic", f"{topic}:7", "--to-earliest", "--execute")
    output.ask(*reset, "--topic", topic, "--to-offset", "2", "--execute")
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder, "plan.csv")
        plan.write_text(f"{topic},0,1\n{topic},2,1\n")
        output.ask(*reset, "--from-file", plan, "--execute", label="a plan")
    described(output, "moved", group)
    forgets = CONSUMERS, "--delete-offsets", "--group", group
    output.ask(*forgets, "--topic", f"{topic}:0")
    output.ask(*forgets, "--topic", f"{topic}:7")
    output.ask(*forgets, "--topic", output.talk.topic("nothing"))
    output.ask(CONSUMERS, "--describe", "--group", group, label="forgotten in part")
    output.ask(*forgets, "--topic", topic)
    described(output, "forgotten", group)
    output.ask(CONSUMERS, "--delete", "--group", group)
    described(output, "gone", group)
    output.ask(CONSUMERS, "--delete", "--group", group, label="again")
    output.ask(*reset, "--topic", topic, "--to-earliest", "--execute", label="again")
    output.ask(*forgets, "--topic", topic, label="again")


def commit(talk: Talk, group: str, topic: str, *offsets: int) -> None:
    """What a group without members keeps for the partitions of a topic."""
    rows = [
        OffsetCommitRequestPartition(
            partition_index=index, committed_offset=offset, committed_metadata="kept"
        )
        for index, offset in enumerate(offsets)
    ]
    found = FindCoordinatorRequest(key=talk.topic(group), key_type=0)  # Kafka begins to be one.
    talk.wait(found, 3, lambda response: not response.error_code)
    asked = OffsetCommitRequest(
        group_id=talk.topic(group),
        generation_id_or_member_epoch=-1,
        member_id="",
        topics=[OffsetCommitRequestTopic(name=talk.topic(topic), partitions=rows)],
    )
    talk.wait(asked, 8, lambda response: not response.topics[0].partitions[0].error_code)


def a_consumer_group(output: ToolOutput) -> None:
    """Two members whose broker assigns, and one that joined as of before."""
    talk = output.talk
    talk.create("t", partitions=3)
    talk.create("u", partitions=2)
    fill(talk, "t", 5, 4, 3)
    fill(talk, "u", 2)
    commit(talk, "g", "t", 4, 0, 3)
    configure(talk, talk.topic("g"), **{"consumer.assignment.interval.ms": "0"})
    one, two = One(talk, "g", "one"), One(talk, "g", "two", "instance")
    one.joins("one joins", "t", "u", rack_id="rack")
    output.ask(CONSUMERS, "--describe", "--group", one.group, label="one alone")
    two.joins("two joins", "t")
    one.says("one hears of it")
    described(output, "between", one.group)
    one.says("one gives back", topic_partitions=one.owned())
    two.says("two gets it")
    talk.ask("one commits", one.commit("u", one.epoch), 9)
    old = Person(talk, one.group)
    response = subscription([talk.topic("t")])
    old.member_id = talk.ask("old is invited", old.join(metadata=response), 9).member_id
    old.generation = talk.ask("old joins", old.join(metadata=response), 9).generation_id
    talk.ask("old syncs", old.sync(), 5)
    for each in (one, two):
        each.says(f"{each.name} gives old something")
        each.says(f"{each.name} has given it", topic_partitions=each.owned())
    described(output, "three", one.group)
    listed(output, "three")
    refused(output, "three", one.group, talk.topic("t"))
    one.says("one leaves", epoch=-1)
    two.says("two is away", epoch=-2)
    talk.ask("old leaves", old.leave(), 5)
    described(output, "one is away", one.group)
    two.says("two leaves", epoch=-1)
    described(output, "empty", one.group)
    listed(output, "empty")
    moved(output, one.group, talk.topic("t"))


def a_classic_group(output: ToolOutput) -> None:
    """A static member of a classic group, one that has not synced, and groups of other kinds."""
    talk = output.talk
    talk.create("t", partitions=4)
    fill(talk, "t", 5, 4, 3)
    commit(talk, "g", "t", 4, 0, 3)
    rex = classic_alone(talk, "g", "instance")
    joined = Person(talk, talk.topic("joined"))
    joined.member_id = talk.ask("joined is invited", joined.join(), 9).member_id
    talk.ask("joined joins", joined.join(names=("range", "sticky")), 9)
    connector = Person(talk, talk.topic("connect"))
    connects = connector.join(kind="connect", names=("compatible",))
    connects.member_id = talk.ask("connect is invited", connects, 9).member_id
    talk.ask("connect joins", connects, 9)
    commit(talk, "simple", "t", 1)
    for name in ("g", "joined", "connect", "simple"):
        described(output, name, talk.topic(name))
    listed(output, "all")
    refused(output, "one", rex.group, talk.topic("t"))
    talk.ask("rex leaves", rex.leave(), 5)
    described(output, "empty", rex.group)
    listed(output, "empty")
    moved(output, rex.group, talk.topic("t"))


SCENES = (a_consumer_group, a_classic_group)
