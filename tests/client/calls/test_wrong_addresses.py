"""A wrong address: nothing listens there, or something that is not Kafka."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from traceback import extract_tb

import pytest

from barnabas import Admin, Consumer, Producer, TopicPartition
from barnabas.config.clients import AdminConfig, ConsumerConfig, ProducerConfig
from barnabas.errors import ApiVersionsUnanswered, ConnectionFailed, ConnectionSetupTimeout
from barnabas.protocol.api_keys import ApiKey
from tests.client.scripted_broker import Call, ScriptedBroker

AN_HOUR_MS = 3_600_000
NOBODY = {
    "bootstrap.servers": "127.0.0.1:1",
    "bootstrap.refused.timeout.ms": 100,
    "default.api.timeout.ms": AN_HOUR_MS,
    "max.block.ms": AN_HOUR_MS,
    "group.id": "readers",
}


@pytest.fixture
def clients() -> Iterator[tuple[Admin, Producer, Consumer]]:
    def known(kind: type[AdminConfig | ProducerConfig | ConsumerConfig]) -> Mapping[str, object]:
        return {name: value for name, value in NOBODY.items() if kind.knows(name)}

    with ExitStack() as stack:
        consumer = stack.enter_context(Consumer(known(ConsumerConfig)))
        consumer.subscribe(["dogs"])
        yield (
            stack.enter_context(Admin(known(AdminConfig))),
            stack.enter_context(Producer(known(ProducerConfig))),
            consumer,
        )


CALLS: dict[str, Callable[[Admin, Producer, Consumer], object]] = {
    "list topics": lambda admin, _producer, _consumer: admin.list_topics(),
    "send": lambda _admin, producer, _consumer: producer.send("dogs", b"x"),
    "poll": lambda _admin, _producer, consumer: consumer.poll(),
    "iterate": lambda _admin, _producer, consumer: next(iter(consumer)),
    "ends": lambda _admin, _producer, consumer: consumer.end_offsets([TopicPartition("dogs", 0)]),
}


@pytest.mark.parametrize("call", CALLS)
def test_no_call_waits_for_long_where_nobody_listens_and_its_error_is_short(
    clients: tuple[Admin, Producer, Consumer], call: str
) -> None:
    with pytest.raises(ConnectionFailed) as caught:
        CALLS[call](*clients)
    message = str(caught.value)
    assert message.startswith("no broker at 127.0.0.1:1 (Connection refused): check that one runs")
    assert "not done within 0.1 s (bootstrap.refused.timeout.ms)" in message
    own = [one for one in extract_tb(caught.tb) if "/src/barnabas/" in one.filename]
    assert len(own) <= 5, own


def test_a_poll_that_ends_sooner_returns_nothing_and_the_next_one_reports_it(
    clients: tuple[Admin, Producer, Consumer],
) -> None:
    consumer = clients[2]
    assert consumer.poll(timeout_s=0.01) == []
    with pytest.raises(ConnectionFailed, match="waiting for records: not done within 0.1 s"):
        consumer.poll(timeout_s=20)


def test_a_client_gives_up_a_cluster_that_was_never_there_before_a_calls_own_limit() -> None:
    for kind in (ProducerConfig, ConsumerConfig, AdminConfig):
        config = kind.load({"bootstrap.servers": "127.0.0.1:1", "group.id": "g"})
        assert config.bootstrap_refused_timeout_ms == 10_000


def test_a_port_that_accepts_and_never_answers_is_given_up_before_a_calls_own_limit() -> None:
    with (
        ScriptedBroker({ApiKey.API_VERSIONS: [lambda _call: None] * 1000}) as broker,
        Admin(
            bootstrap_servers=broker.address,
            bootstrap_refused_timeout_ms=100,
            socket_connection_setup_timeout_ms=50,
            default_api_timeout_ms=AN_HOUR_MS,
        ) as admin,
        pytest.raises(ConnectionSetupTimeout, match=r"did not answer ApiVersions within 0\.05 s"),
    ):
        admin.list_topics()


@pytest.mark.parametrize(
    ("first", "says"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", r"HTTP, 'HTTP/1\.1 400 Bad Request'"),
        (b"\x15\x03\x03\x00\x02\x02\x46", "TLS, which this client does not speak"),
        (b"220 mail.example ESMTP\r\n", "'220 mail.example ESMTP'"),
    ],
)
def test_what_is_no_kafka_is_named(first: bytes, says: str) -> None:
    def answer(call: Call) -> None:
        call.connection.sendall(first)

    with (
        ScriptedBroker({ApiKey.API_VERSIONS: [answer] * 1000}) as broker,
        Admin(
            bootstrap_servers=broker.address,
            bootstrap_refused_timeout_ms=1,
            default_api_timeout_ms=AN_HOUR_MS,
        ) as admin,
        pytest.raises(ApiVersionsUnanswered, match=f"^{broker.address} is no Kafka.* with {says}"),
    ):
        admin.list_topics()
