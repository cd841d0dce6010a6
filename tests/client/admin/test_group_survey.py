"""All groups at once: each kind as it describes itself, and no more requests for more groups."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from barnabas import Admin, CommittedOffset, Consumer, NewTopic, ShareOffset, TopicPartition
from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.link import Link
from barnabas.client.core.cluster.connection import Connection
from barnabas.errors import BrokerError, ErrorCode, InvalidArgument
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.consumer_group_describe import ConsumerGroupDescribeRequest
from barnabas.protocol.describe_share_group_offsets import DescribeShareGroupOffsetsRequest
from barnabas.protocol.list_groups import ListGroupsRequest
from barnabas.protocol.offset_fetch import OffsetFetchRequest
from barnabas.protocol.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)
from barnabas.testing.embedded_broker import EmbeddedBroker
from barnabas.wire.send import Send
from tests.lasting_members import LASTING_MEMBERS
from tests.unit.broker.raw_client import RawClient

TOPIC = "dogs"
WHERE = TopicPartition(TOPIC, 0)
SURVEYOR = "surveyor"
NOT_BEGUN = ShareOffset(None, None)
IDLE = [f"idle-{number}" for number in range(30)]


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    """With thirty groups that have only positions, and one of each kind that has a member."""
    with EmbeddedBroker(LASTING_MEMBERS | {"group.initial.rebalance.delay.ms": "0"}) as one:
        address = one.bootstrap_servers
        with Admin(bootstrap_servers=address) as admin:
            admin.create_topics([NewTopic(TOPIC, 1, 1)])
            for number, name in enumerate(IDLE):
                admin.alter_group_offsets(name, {WHERE: number})
        with RawClient(one.port) as client:
            joins = ShareGroupHeartbeatRequest(
                group_id="of-share", member_id="m", member_epoch=0, subscribed_topic_names=[TOPIC]
            )
            assert not client.ask(joins, 1, ShareGroupHeartbeatResponse).error_code
        members = [
            Consumer(bootstrap_servers=address, group_id=f"of-{kind}", group_protocol=kind)
            for kind in ("classic", "consumer")
        ]
        for each in members:
            each.subscribe([TOPIC])
            while not each.assignment():
                each.poll(0.1)
        yield one
        for each in members:
            each.close()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[ApiKey]:
    """How often the survey sends each API."""
    seen: Counter[ApiKey] = Counter()
    encode = Connection.request

    def request(
        self: Connection, api: ApiKey, message: object, version: int, *, answered: bool = True
    ) -> tuple[int, Send]:
        seen[api] += self._client_id == SURVEYOR
        return encode(self, api, message, version, answered=answered)

    monkeypatch.setattr(Connection, "request", request)
    return seen


def test_all_groups_and_their_positions_in_a_few_requests(
    broker: EmbeddedBroker, asked: Counter[ApiKey]
) -> None:
    with Admin(bootstrap_servers=broker.bootstrap_servers, client_id=SURVEYOR) as admin:
        found = admin.survey_groups()
        reported = [
            (one.group_id, one.kind, one.state, one.protocol_type, one.assignor, len(one.members))
            for one in found
        ]
        assert reported == [
            *((name, "classic", "Empty", "", "", 0) for name in sorted(IDLE)),
            ("of-classic", "classic", "Stable", "consumer", "range", 1),
            ("of-consumer", "consumer", "Stable", "consumer", "uniform", 1),
            ("of-share", "share", "Stable", "share", "simple", 1),
        ]
        saved = admin.survey_offsets(found)
        assert {name: saved[name] for name in IDLE} == {
            name: {WHERE: CommittedOffset(number)} for number, name in enumerate(IDLE)
        }
        assert saved.keys() == {one.group_id for one in found} - {"of-share"}
        shared = admin.survey_share_offsets(found)
        assert shared == {"of-share": {WHERE: NOT_BEGUN}}
        about_groups = (
            *(ApiKey.LIST_GROUPS, ApiKey.DESCRIBE_GROUPS, ApiKey.CONSUMER_GROUP_DESCRIBE),
            *(ApiKey.SHARE_GROUP_DESCRIBE, ApiKey.OFFSET_FETCH),
            ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS,
        )
        # The list once more before positions are asked for: who coordinates may have changed.
        assert [asked[api] for api in about_groups] == [3, 1, 1, 1, 1, 1]
        assert asked[ApiKey.FIND_COORDINATOR] == 0


def test_groups_that_cannot_be_described_are_returned_as_they_are_listed(
    broker: EmbeddedBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = Cluster.ask

    async def kept_back(cluster: Cluster, request: Any, **how: Any) -> Any:
        reply = await ask(cluster, request, **how)
        if isinstance(request, ListGroupsRequest):
            next(row for row in reply.groups if row.group_id == "of-share").group_type = "Odd"
        if isinstance(request, ConsumerGroupDescribeRequest):
            reply.groups[0].error_code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        return reply

    monkeypatch.setattr(Cluster, "ask", kept_back)
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        found = {one.group_id: one for one in admin.survey_groups()}
    assert len(found) == len(IDLE) + 3
    assert (found["of-share"].kind, found["of-share"].state) == ("odd", "Stable")
    assert (found["of-consumer"].kind, found["of-consumer"].members) == ("consumer", ())


def test_positions_belong_to_the_groups_that_an_answer_names(
    broker: EmbeddedBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = Link.ask

    async def reordered(link: Link, request: Any, **how: Any) -> Any:
        reply = await ask(link, request, **how)
        if isinstance(request, OffsetFetchRequest):
            reply.groups.reverse()
        return reply

    monkeypatch.setattr(Link, "ask", reordered)
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        # Where they were described before is no matter: another broker may coordinate them now.
        moved = [replace(one, coordinator=99) for one in admin.survey_groups()]
        saved = admin.survey_offsets(moved)
    assert [saved[name][WHERE].offset for name in IDLE] == list(range(len(IDLE)))


def test_some_states_and_kinds_only(broker: EmbeddedBroker) -> None:
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        found = admin.survey_groups(states=["stable"], kinds=["Classic", "share"])
        assert [one.group_id for one in found] == ["of-classic", "of-share"]
        assert admin.survey_groups(states=["dead"]) == []
        with pytest.raises(InvalidArgument, match="survey_groups"):
            admin.survey_groups(kinds=["clasic"])


@pytest.mark.parametrize(
    ("code", "lag"),
    [
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, None),
        (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, NOT_BEGUN),
    ],
)
def test_a_share_that_cannot_be_described_is_left_out_and_one_that_loads_is_waited_for(
    broker: EmbeddedBroker, monkeypatch: pytest.MonkeyPatch, code: ErrorCode, lag: Any
) -> None:
    ask = Cluster.ask
    times = iter([code])

    async def failing(cluster: Cluster, request: Any, **how: Any) -> Any:
        reply = await ask(cluster, request, **how)
        if isinstance(request, DescribeShareGroupOffsetsRequest):
            reply.groups[0].topics[0].partitions[0].error_code = next(times, 0)
        return reply

    monkeypatch.setattr(Cluster, "ask", failing)
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        shared = admin.survey_share_offsets(admin.survey_groups())
    assert shared["of-share"].get(WHERE) == lag


def test_brokers_that_do_not_know_where_share_groups_are_keep_nothing_else_from_being_returned(
    broker: EmbeddedBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = Cluster.ask

    async def of_old(cluster: Cluster, request: Any, **how: Any) -> Any:
        if isinstance(request, DescribeShareGroupOffsetsRequest):
            raise BrokerError(ErrorCode.UNSUPPORTED_VERSION, "as Kafka 4.0 says")
        return await ask(cluster, request, **how)

    monkeypatch.setattr(Cluster, "ask", of_old)
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        assert admin.survey_share_offsets(admin.survey_groups()) == {}
