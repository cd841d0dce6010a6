"""The driver against a broker that drops, delays and garbles: records arrive, requests end."""

import pytest

from barnabas import Admin, BrokerError, Consumer, ErrorCode, Producer
from barnabas.errors import ApiVersionsUnanswered, ConnectionFailed, RequestTimeout
from barnabas.protocol.api_keys import ApiKey
from barnabas.records.batches.batch import read_header
from tests.client.scripted_broker import (
    TOPIC,
    Misdeed,
    ScriptedBroker,
    answer_another,
    answer_garbage,
    answer_half,
    answer_negative,
    answer_oversize,
    answer_twice,
    drop,
    say_nothing,
)

BREAKING = (drop, answer_half, answer_garbage, answer_another, answer_oversize, answer_negative)
QUICK: dict[str, object] = {"retry_backoff_ms": 1, "reconnect_backoff_ms": 1}


@pytest.mark.parametrize("misdeed", BREAKING, ids=lambda each: each.__name__)
def test_a_batch_without_a_usable_answer_is_sent_again_as_it_was(misdeed: Misdeed) -> None:
    with ScriptedBroker({ApiKey.PRODUCE: [misdeed, misdeed]}) as broker:
        with Producer(bootstrap_servers=broker.address, **QUICK) as producer:
            assert producer.send(TOPIC, b"value").result(20).offset == 0
        assert len(broker.batches) == 3
        assert len(set(broker.batches)) == 1
        assert read_header(broker.batches[0]).base_sequence == 0


@pytest.mark.parametrize("misdeed", BREAKING, ids=lambda each: each.__name__)
@pytest.mark.parametrize("api", [ApiKey.API_VERSIONS, ApiKey.METADATA, ApiKey.INIT_PRODUCER_ID])
def test_a_bad_start_is_begun_again(api: ApiKey, misdeed: Misdeed) -> None:
    with ScriptedBroker({api: [misdeed]}) as broker:
        with Producer(bootstrap_servers=broker.address, **QUICK) as producer:
            assert producer.send(TOPIC, b"value").result(20).offset == 0
        assert broker.count(api) > 1


def test_who_always_closes_at_the_first_request_is_too_old() -> None:
    with (
        ScriptedBroker({ApiKey.API_VERSIONS: [drop] * 1000}) as broker,
        Admin(
            bootstrap_servers=broker.address, bootstrap_refused_timeout_ms=1000, **QUICK
        ) as admin,
        pytest.raises(
            ApiVersionsUnanswered, match="closes the connection at ApiVersions; if it is a"
        ),
    ):
        admin.list_topics(timeout_s=20)
    assert broker.count(ApiKey.API_VERSIONS) >= 3


def test_who_never_answers_the_first_request_may_be_too_old() -> None:
    quick = QUICK | {"socket_connection_setup_timeout_ms": 200}
    with (
        ScriptedBroker({ApiKey.API_VERSIONS: [say_nothing] * 1000}) as broker,
        Admin(bootstrap_servers=broker.address, **quick) as admin,
        pytest.raises(ConnectionFailed, match=r"did not answer ApiVersions within 0\.2 s: is it b"),
    ):
        admin.list_topics(timeout_s=2)


def test_an_answer_too_many_ends_the_connection_only() -> None:
    with ScriptedBroker({ApiKey.PRODUCE: [answer_twice]}) as broker:
        with Producer(bootstrap_servers=broker.address, **QUICK) as producer:
            assert producer.send(TOPIC, b"first").result(20).offset == 0
            assert producer.send(TOPIC, b"second").result(20).offset == 0
        assert [read_header(batch).base_sequence for batch in broker.batches][-1] == 1


def test_a_silent_broker_is_left_after_the_timeout_and_asked_anew() -> None:
    with ScriptedBroker({ApiKey.PRODUCE: [say_nothing, say_nothing]}) as broker:
        with Producer(
            bootstrap_servers=broker.address, request_timeout_ms=100, linger_ms=0, **QUICK
        ) as producer:
            assert producer.send(TOPIC, b"value").result(60).offset == 0
        assert broker.count(ApiKey.PRODUCE) > 2


def test_a_record_for_a_silent_broker_is_given_up_in_the_end() -> None:
    silent: list[Misdeed] = [say_nothing] * 1000
    with ScriptedBroker({ApiKey.PRODUCE: silent}) as broker:
        producer = Producer(
            bootstrap_servers=broker.address,
            request_timeout_ms=100,
            delivery_timeout_ms=500,
            linger_ms=0,
            **QUICK,
        )
        with pytest.raises(RequestTimeout, match="unanswered for too long|delivery"):
            producer.send(TOPIC, b"value").result(60)
        producer.close()


def test_a_topic_that_is_not_there_is_asked_about_once() -> None:
    with ScriptedBroker() as broker, Admin(bootstrap_servers=broker.address) as admin:
        with pytest.raises(BrokerError) as caught:
            admin.delete_topics(["never-was"])
        assert caught.value.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert broker.count(ApiKey.DELETE_TOPICS) == 1


def test_what_a_client_does_is_counted() -> None:
    with ScriptedBroker({ApiKey.PRODUCE: [drop]}) as broker:
        with Producer(bootstrap_servers=broker.address, **QUICK) as producer:
            producer.send(TOPIC, b"x" * 1000).result(20)
            sent = producer.metrics()
        with Consumer(bootstrap_servers=broker.address, auto_offset_reset="earliest") as consumer:
            consumer.assign([(TOPIC, 0)])
            consumer.seek((TOPIC, 0), 0)
            assert len(consumer.poll(20)) == 1
            given = consumer.metrics()
    assert sent.records == given.records == 1
    assert sent.requests >= sent.answers + 1, "one was dropped"
    assert sent.bytes_sent > 2 * 1000
    assert given.bytes_received > 1000
    assert given.latency_average_s > 0


def test_one_text_names_no_topics() -> None:
    with ScriptedBroker() as broker, Admin(bootstrap_servers=broker.address) as admin:
        with pytest.raises(
            TypeError, match=r"delete_topics takes a list, as \['flights'\], not 'ab'"
        ):
            admin.delete_topics("ab")
        with pytest.raises(TypeError, match=r"as \[NewTopic\('flights', 6\)\], not 'x'"):
            admin.create_topics(["x"])  # type: ignore[list-item]
        with pytest.raises(TypeError, match=r"as Resource\.TOPIC, not 'topic'"):
            admin.describe_configs("topic", "x")  # type: ignore[arg-type]
        assert broker.count(ApiKey.DELETE_TOPICS) == 0


def test_an_unused_connection_is_closed_and_made_again() -> None:
    with ScriptedBroker() as broker:
        settings = {"connections.max.idle.ms": 20, "bootstrap.servers": broker.address, **QUICK}
        with Producer(settings) as producer:
            producer.send(TOPIC, b"first").result(20)
            begun = broker.count(ApiKey.API_VERSIONS)
            broker.wait_until_left()
            producer.send(TOPIC, b"second").result(20)
        assert broker.count(ApiKey.API_VERSIONS) > begun


def test_a_partition_that_is_missing_is_not_asked_about_all_the_time() -> None:
    with ScriptedBroker() as broker:
        with Consumer(bootstrap_servers=broker.address, auto_offset_reset="earliest") as consumer:
            consumer.assign([(TOPIC, 7), ("another", 0)])
            consumer.seek((TOPIC, 7), 3)
            for _ in range(40):
                assert consumer.poll(0.5) == []
                if broker.count(ApiKey.METADATA) >= 2:
                    break
        assert 2 <= broker.count(ApiKey.METADATA) < 20
