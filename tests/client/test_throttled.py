"""A broker that throttles gets no requests meanwhile, and a redirect to another broker is followed."""

import threading
import time

from barnabas import Consumer, LogTruncated, Producer
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.fetch import EpochEndOffset
from tests.client.scripted_broker import TOPIC, Call, ScriptedBroker, answer

QUIET_S = 0.2


def test_a_producer_says_nothing_for_as_long_as_it_was_asked() -> None:
    asked: list[float] = []
    spoken: list[float] = []

    def ask_for_silence(call: Call) -> None:
        call.right.throttle_time_ms = int(QUIET_S * 1000)
        asked.append(time.monotonic())
        call.reply(call.right)

    def note(call: Call) -> None:
        spoken.append(time.monotonic())
        answer(call)

    with ScriptedBroker({ApiKey.PRODUCE: [ask_for_silence, note]}) as broker:
        with Producer(bootstrap_servers=broker.address, linger_ms=0) as producer:
            producer.send(TOPIC, b"first").result(20)
            assert producer.send(TOPIC, b"second").result(20).partition == 0
        # As the broker sees it: it may be later on a busy machine, but never sooner.
        assert spoken[0] - asked[0] >= QUIET_S
        assert len(broker.batches) == 2


def test_a_producer_that_is_throttled_for_long_is_closed_at_once() -> None:
    def an_hour(call: Call) -> None:
        call.right.throttle_time_ms = 3_600_000
        call.reply(call.right)

    before = set(threading.enumerate())
    with ScriptedBroker({ApiKey.PRODUCE: [an_hour]}) as broker:
        producer = Producer(bootstrap_servers=broker.address)
        producer.send(TOPIC, b"first").result(20)
        producer.close(20)
        broker.wait_until_left()
        left = set(threading.enumerate()) - before
        assert not any(thread.name == "this Producer" for thread in left)


def test_a_consumer_hears_of_a_truncated_log() -> None:
    def truncated(call: Call) -> None:
        (topic,) = call.right.responses
        (row,) = topic.partitions
        row.records, row.diverging_epoch = b"", EpochEndOffset(epoch=0, end_offset=1)
        call.reply(call.right)

    with ScriptedBroker() as broker:
        with Producer(bootstrap_servers=broker.address, linger_ms=0) as producer:
            for value in (b"first", b"second"):
                producer.send(TOPIC, value).result(20)
        broker.misdeeds[ApiKey.FETCH] = [answer, answer, *[truncated] * 1000]
        with Consumer(bootstrap_servers=broker.address, auto_offset_reset="none") as consumer:
            consumer.assign([(TOPIC, 0)])
            consumer.seek((TOPIC, 0), 0)
            seen: list[bytes | None] = []
            error: LogTruncated | None = None
            while error is None:
                try:
                    seen += [record.value for record in consumer.poll(20)]
                except LogTruncated as caught:
                    error = caught
            assert seen == [b"first", b"second"]
            assert (error.where, error.position, error.diverges_at) == ((TOPIC, 0), 2, 1)
