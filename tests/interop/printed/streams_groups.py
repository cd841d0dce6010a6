"""What `kafka-streams-groups` and `kafka-groups` print of streams groups."""

from functools import partial

from barnabas.protocol.streams_group_heartbeat import Endpoint
from tests.interop.differential.group_apis.streaming import Instance, internal, part
from tests.interop.printed.consumer_groups import CONSUMERS, GROUPS, commit
from tests.interop.printed.tool_output import ToolOutput, all_about, all_refused, fill

STREAMS = "streams.StreamsGroupCommand"

described = partial(all_about, STREAMS)
refused = partial(all_refused, STREAMS, option="--input-topic")


def listed(output: ToolOutput, label: str) -> None:
    """What there is."""
    rows = output.mine(STREAMS, "--list", label=label)
    assert rows, label
    for state in ((), ("stable",), ("Empty,Dead",), ("NotReady",)):
        output.mine(STREAMS, "--list", "--state", *state, label=label)
    output.mine(GROUPS, "--list", "--streams", label=label)
    output.mine(GROUPS, "--list", "--group-type", "streams", label=label)


def moved(output: ToolOutput, group: str, topic: str) -> None:
    """What may be done with a group that nobody is in, to its end."""
    reset = STREAMS, "--reset-offsets", "--group", group
    nothing = output.talk.topic("nothing")
    for scope in (("--all-input-topics",), ("--input-topic", f"{topic}:1")):
        output.ask(*reset, *scope, "--to-latest", "--dry-run")
    for where in (
        ("--to-earliest",), ("--to-current",), ("--to-offset", "99"), ("--shift-by", "-1"),
        ("--to-datetime", "2023-11-14T22:13:21.500"),
    ):  # fmt: skip
        output.ask(*reset, "--input-topic", topic, *where, "--dry-run")
    output.ask(*reset, "--input-topic", nothing, "--to-earliest", "--execute")
    output.ask(*reset, "--input-topic", topic, "--to-offset", "2", "--execute")
    described(output, "moved", group)
    forgets = STREAMS, "--delete-offsets", "--group", group
    output.ask(*forgets, "--input-topic", f"{topic}:0")
    output.ask(*forgets, "--input-topic", nothing)
    output.ask(*forgets, "--all-input-topics")
    described(output, "forgotten", group)
    output.ask(STREAMS, "--delete", "--group", group)
    described(output, "gone", group)
    output.ask(STREAMS, "--delete", "--group", group, label="again")


def a_streams_group(output: ToolOutput) -> None:
    """Two instances with a store, of which one gives tasks to the other."""
    talk = output.talk
    talk.create("t", partitions=2)
    talk.create("store", partitions=2)
    fill(talk, "t", 5, 4)
    parts = [part("0", talk.topic("t"), keeps=[internal(talk.topic("store"))])]
    one, two = Instance(talk, "app", "one"), Instance(talk, "app", "two")
    commit(talk, "app", "t", 4, 1)
    one.joins("one joins", *parts, topology_epoch=3)
    described(output, "one alone", one.group)
    two.joins("two joins", *parts, topology_epoch=2, user_endpoint=Endpoint(host="h", port=7))
    one.says("one hears of it")
    described(output, "between", one.group)
    one.says("one gives back", **one.does)
    two.says("two gets it")
    two.says("two has it", **two.does)
    described(output, "two", one.group)
    waits = Instance(talk, "waits", "one")
    waits.joins("a topic is missing", part("0", talk.topic("missing")))
    described(output, "waiting", waits.group)
    listed(output, "two")
    refused(output, "two", one.group, talk.topic("t"))
    output.ask(CONSUMERS, "--describe", "--group", one.group)
    one.says("one leaves", epoch=-1)
    two.says("two leaves", epoch=-1)
    described(output, "empty", one.group)
    listed(output, "empty")
    moved(output, one.group, talk.topic("t"))


SCENES = (a_streams_group,)
