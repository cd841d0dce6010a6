"""How a consumer is left in the middle, and stopped from another thread."""

import asyncio
import threading
from collections.abc import Iterator
from itertools import islice

import pytest

from barnabas import Consumer, KafkaError, Producer, WakeupError, aio
from barnabas.errors import LocalProtocolError
from barnabas.testing.embedded_broker import EmbeddedBroker

COUNT = 1000
WHERE = ("left", 0)


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker({"num.partitions": "1"}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for number in range(COUNT):
                producer.send("left", b"%d" % number)
        yield broker.bootstrap_servers


def consumer(servers: str, **more: object) -> Consumer:
    made = Consumer(bootstrap_servers=servers, auto_offset_reset="earliest", **more)
    made.assign([WHERE])
    return made


def test_after_a_break_the_rest_is_still_to_be_read(servers: str) -> None:
    with consumer(servers) as reader:
        assert [record.offset for record in islice(reader, 3)] == [0, 1, 2]
        assert reader.position(WHERE) == 3
        for record in reader:
            assert record.offset == 3
            break
        assert [record.offset for record in reader.poll(20, 2)] == [4, 5]
        assert reader.fetch_arrow(20)["offset"][0].as_py() == 6


def test_a_commit_between_two_records_is_behind_the_first(servers: str) -> None:
    with consumer(servers, group_id="between", enable_auto_commit=False) as reader:
        for record in reader:
            if record.offset == 6:
                break
            reader.commit()
        assert reader.committed([WHERE]) == {WHERE: 6}
        reader.seek(WHERE, 500)
        rest = islice(reader, 2)
        assert next(rest).offset == 500
        assert reader.poll(20, 1)[0].offset == 501
        assert next(rest).offset == 502
        reader.seek(WHERE, COUNT - 1)
        assert next(iter(reader)).offset == COUNT - 1
        assert reader.position(WHERE) == COUNT


def test_what_is_committed_at_the_end_was_given(servers: str) -> None:
    with consumer(servers, group_id="at-the-end") as reader:
        list(islice(reader, 6))
    with consumer(servers, group_id="at-the-end") as reader:
        assert next(iter(reader)).offset == 6


def test_with_asyncio_a_break_loses_nothing(servers: str) -> None:
    async def main() -> None:
        async with aio.Consumer(bootstrap_servers=servers, auto_offset_reset="earliest") as reader:
            reader.assign([WHERE])
            for wanted in range(3):
                async for record in reader:
                    assert record.offset == wanted
                    break

    asyncio.run(main())


def test_another_thread_wakes_a_poll_and_closing_commits(servers: str) -> None:
    with consumer(servers, group_id="woken") as reader:
        while reader.position(WHERE) < COUNT:
            reader.poll(20)
        woken: list[BaseException] = []
        asleep = threading.Event()

        def poll() -> None:
            asleep.set()
            try:
                reader.poll()
            except WakeupError as error:
                woken.append(error)

        polling = threading.Thread(target=poll)
        polling.start()
        asleep.wait(20)
        reader.wakeup()
        polling.join(20)
        assert [str(error) for error in woken] == ["this Consumer was woken by wakeup()"]
    with consumer(servers, group_id="woken") as reader:
        assert reader.committed([WHERE]) == {WHERE: COUNT}


def test_a_close_by_another_thread_is_refused_and_disturbs_nothing(servers: str) -> None:
    reader = consumer(servers, group_id="disturbed")
    while reader.position(WHERE) < COUNT:
        reader.poll(20)
    ended: list[BaseException] = []

    def poll() -> None:
        while not ended:
            try:
                reader.poll()
            except LocalProtocolError as error:
                if "another thread" not in str(error):
                    ended.append(error)
                # Else one of the commits below was first.
            except (KafkaError, asyncio.CancelledError) as error:
                ended.append(error)

    polling = threading.Thread(target=poll)
    polling.start()
    refused = False
    while not refused:
        try:
            reader.commit()
        except LocalProtocolError:
            refused = True
    with pytest.raises(LocalProtocolError, match="in use by another thread"):
        reader.close()
    assert polling.is_alive()
    reader.wakeup()
    polling.join(20)
    assert [type(error) for error in ended] == [WakeupError]
    reader.close()
    with consumer(servers, group_id="disturbed") as after:
        assert after.committed([WHERE]) == {WHERE: COUNT}
