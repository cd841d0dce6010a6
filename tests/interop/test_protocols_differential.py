"""Brokers with a list of the kinds of groups that there may be: the same answers from Kafka and from us."""

from collections.abc import Mapping

import pytest

from barnabas.protocol.consumer_group_describe import ConsumerGroupDescribeRequest
from barnabas.protocol.streams_group_describe import StreamsGroupDescribeRequest
from barnabas.protocol.streams_group_heartbeat import StreamsGroupHeartbeatRequest
from tests.interop.differential.group_apis.consumer_groups import NEVER, One
from tests.interop.differential.group_apis.groups import Person
from tests.interop.differential.talk import Talk
from tests.interop.differential.verdict import compare
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.real_kafka import RealKafka

pytestmark = [pytest.mark.interop, pytest.mark.java]

PROPERTY = "group.coordinator.rebalance.protocols"


def protocols(talk: Talk) -> None:
    """Each kind of groups, where there are consumer groups or streams groups or neither."""
    talk.create("t")
    rex = Person(talk, talk.topic("classic"))
    rex.member_id = talk.ask("a classic member is invited", rex.join(), 9).member_id
    talk.ask("a classic member joins", rex.join(), 9)
    one = One.__new__(One)
    one.talk, one.group, one.name, one.instance, one.epoch = talk, talk.topic("g"), "one", None, 0
    one.has = {}
    one.says("a stranger goes on", epoch=NEVER)
    one.says("a stranger without a group", group="")
    one.says("a stranger leaves", epoch=-1)
    groups = [one.group, rex.group]
    described = ConsumerGroupDescribeRequest(group_ids=groups, include_authorized_operations=True)
    talk.ask("described", described, 1)
    nameless = ConsumerGroupDescribeRequest(group_ids=[""], include_authorized_operations=True)
    talk.ask("nameless", nameless, 1)
    beats = StreamsGroupHeartbeatRequest(
        group_id=one.group,
        member_id="one",
        member_epoch=NEVER,
        endpoint_information_epoch=0,
        rebalance_timeout_ms=-1,
    )
    talk.ask("a stranger streams", beats, 0)
    streams = StreamsGroupDescribeRequest(group_ids=groups, include_authorized_operations=True)
    talk.ask("streams described", streams, 0)


@pytest.mark.parametrize("kinds", ["classic", "classic,streams"])
def test_the_answers_are_kafkas(kinds: str) -> None:
    properties: Mapping[str, str] = {PROPERTY: kinds}
    given = []
    with RealKafka(properties=properties) as theirs, OurBroker(properties=properties) as ours:
        for broker in (theirs, ours):
            talk = Talk(broker.bootstrap_servers, f"protocols-{kinds.replace(',', '-')}")
            protocols(talk)
            given.append(talk.answers)
    compare(given[0], given[1], ())
