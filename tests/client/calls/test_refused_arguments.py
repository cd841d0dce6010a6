"""Arguments that cannot be, refused before anything is sent, and partitions that are not there."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from queue import SimpleQueue

import pytest

import barnabas
from barnabas import (
    Admin,
    BrokerError,
    ConfigError,
    Consumer,
    ErrorCode,
    GroupMetadata,
    NewTopic,
    Producer,
    TopicPartition,
    aio,
)
from barnabas.errors import InvalidArgument, RequestTimeout
from barnabas.protocol.api_keys import ApiKey
from barnabas.testing.embedded_broker import EmbeddedBroker
from tests.client.groups.scripted_group import ScriptedGroup, refuse_commit
from tests.client.scripted_broker import TOPIC, Call, Misdeed

EVENTS = TopicPartition("events", 0)
E = ErrorCode
MISSING = refuse_commit(E.UNKNOWN_TOPIC_OR_PARTITION)


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    settings = {"transaction.state.log.num.partitions": "1", "offsets.topic.num.partitions": "1"}
    with EmbeddedBroker(settings) as broker:
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.create_topics([NewTopic(EVENTS[0], 2)])
        yield broker.bootstrap_servers


@pytest.fixture
def admin(servers: str) -> Iterator[Admin]:
    with Admin(bootstrap_servers=servers) as made:
        yield made


@pytest.mark.parametrize("offset", [-3, 2**63])
def test_what_is_no_offset_is_refused_wherever_it_is_given(
    servers: str, admin: Admin, offset: int
) -> None:
    name = f"refused-{offset}"
    group = GroupMetadata(name)
    with (
        Consumer(bootstrap_servers=servers, group_id=name) as consumer,
        Producer(bootstrap_servers=servers, transactional_id=name) as producer,
    ):
        consumer.assign([EVENTS])
        calls: list[Callable[[], object]] = [
            lambda: admin.alter_group_offsets(name, {EVENTS: offset}),
            lambda: admin.delete_records({EVENTS: offset}),
            lambda: consumer.commit({EVENTS: offset}),
            lambda: consumer.seek(EVENTS, offset),
            lambda: producer.send_offsets_to_transaction({EVENTS: offset}, group),
        ]
        for call in calls:
            words = rf"^events-0: an offset must be .*, not {offset}$"
            with pytest.raises(InvalidArgument, match=words):
                call()
        assert consumer.committed([EVENTS]) == {}


def test_all_records_may_be_deleted(admin: Admin) -> None:
    assert admin.delete_records({EVENTS: -1}) == {EVENTS: 0}


def test_states_and_kinds_are_those_that_there_are(servers: str, admin: Admin) -> None:
    admin.alter_group_offsets("empty", {EVENTS: 0})
    found = admin.list_groups(states=["EMPTY", "dead"], kinds=["Classic"])
    assert "empty" in {group.group_id for group in found}
    with pytest.raises(
        InvalidArgument, match="'Emty' is not a state .*; expected one of Stable, Empty, "
    ):
        admin.list_groups(states=["Emty"])
    with pytest.raises(
        InvalidArgument, match="'clasic' is not a kind .*; expected one of classic, "
    ):
        admin.list_groups(kinds=["clasic"])
    with Producer(bootstrap_servers=servers, transactional_id="idle") as producer:
        producer.init_transactions()
    assert "idle" in {one.transactional_id for one in admin.list_transactions(states=["empty"])}
    with pytest.raises(
        InvalidArgument, match="'Ongoin' is not a state .*; expected one of Empty, Ongoing"
    ):
        admin.list_transactions(states=["Ongoin"])


@pytest.mark.parametrize("name", ["group_id", "group_instance_id"])
def test_a_group_has_a_name(servers: str, name: str) -> None:
    given: dict[str, object] = {"bootstrap_servers": servers, "group_id": "named"}
    property_name = name.replace("_", ".")
    for empty in ("", " "):
        with pytest.raises(ConfigError, match=f"^{property_name}: a name must not be empty"):
            Consumer(**given | {name: empty})


def test_a_producer_that_is_to_be_fenced_has_a_name(admin: Admin) -> None:
    with pytest.raises(InvalidArgument, match="the transactional id is empty"):
        admin.fence_producer("")


@pytest.mark.parametrize("kind", ["Producer", "Consumer", "Admin"])
def test_an_address_without_a_port_is_refused_when_the_client_is_made(kind: str) -> None:
    async def make() -> None:
        getattr(aio, kind)(bootstrap_servers="nix")

    makers: list[Callable[[], object]] = [
        lambda: getattr(barnabas, kind)(bootstrap_servers="nix"),
        lambda: asyncio.run(make()),
    ]
    for made in makers:
        with pytest.raises(ConfigError, match="nix is not host:port: the port is missing"):
            made()


@pytest.mark.parametrize(
    ("place", "there"),
    [
        (("event", 0), "there is no topic event, did you mean events?"),
        (("events", 7), "events has 2 partitions, counted from 0"),
    ],
)
def test_altering_offsets_of_nothing_is_an_error_that_lists_what_there_is(
    admin: Admin, place: tuple[str, int], there: str
) -> None:
    with pytest.raises(BrokerError) as raised:
        admin.alter_group_offsets("lost", {place: 1, EVENTS: 1})
    assert raised.value.code is E.UNKNOWN_TOPIC_OR_PARTITION
    assert f"group lost: no offset saved for {place[0]}-{place[1]}: " in str(raised.value)
    assert str(raised.value).endswith(there)
    assert admin.list_group_offsets("lost")[EVENTS].offset == 1


def test_who_alters_offsets_asks_once() -> None:
    with (
        ScriptedGroup(misdeeds={ApiKey.OFFSET_COMMIT: [MISSING]}, member_epoch=-1) as broker,
        Admin(bootstrap_servers=broker.address) as admin,
    ):
        with pytest.raises(BrokerError, match="UNKNOWN_TOPIC_OR_PARTITION"):
            admin.alter_group_offsets("g", {(TOPIC, 0): 1})
        assert broker.count(ApiKey.OFFSET_COMMIT) == 1


def test_a_commit_waits_for_the_partition_and_its_error_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    misdeeds = {ApiKey.OFFSET_COMMIT: [MISSING, MISSING]}
    with (
        caplog.at_level(logging.WARNING),
        ScriptedGroup(misdeeds=misdeeds, member_epoch=-1) as broker,
        Consumer(bootstrap_servers=broker.address, group_id="g", retry_backoff_ms=1) as consumer,
    ):
        consumer.commit({(TOPIC, 0): 1})
        assert broker.count(ApiKey.OFFSET_COMMIT) == 3
    (raised,) = caplog.messages
    assert raised.startswith("still trying: group g: no offset saved for t-0: ")


def test_a_commit_for_what_never_comes_ends_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    async def commit(broker: ScriptedGroup) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time
        settings = {"bootstrap.servers": broker.address, "group.id": "g", "retry.backoff.ms": 1}
        async with aio.Consumer(settings, request_timeout_ms=3_600_000) as consumer:
            committing = asyncio.ensure_future(consumer.commit({(TOPIC, 0): 1}))
            await asyncio.to_thread(asked_again.get)
            monkeypatch.setattr(loop, "time", lambda: now() + 61)
            with pytest.raises(BrokerError, match="no offset saved for t-0: no such") as raised:
                await committing
        assert raised.value.code is E.UNKNOWN_TOPIC_OR_PARTITION

    asked_again: SimpleQueue[Call] = SimpleQueue()
    misdeeds: dict[ApiKey, list[Misdeed]] = {ApiKey.OFFSET_COMMIT: [MISSING, asked_again.put]}
    with ScriptedGroup(misdeeds=misdeeds, member_epoch=-1) as broker:
        asyncio.run(commit(broker))


def test_a_commit_has_a_timeout() -> None:
    with (
        ScriptedGroup() as broker,
        Consumer(bootstrap_servers=broker.address, group_id="g") as consumer,
        pytest.raises(RequestTimeout, match="group g, committing: not done within 0 s"),
    ):
        consumer.commit({(TOPIC, 0): 1}, timeout_s=0)
