"""How many requests a producer has under way, against a broker that holds its answers back."""

import asyncio
import threading
from typing import Any

import pyarrow as pa
import pytest

from barnabas import Producer, aio
from barnabas.protocol.api_keys import ApiKey
from barnabas.records.batches import builder
from barnabas.records.batches.batch import crc_is_right, read_header
from barnabas.records.codecs.compression import compress
from barnabas.records.columns import encoding
from tests.client.scripted_broker import TOPIC, Call, ScriptedBroker, answer


def test_all_batches_of_a_partition_that_may_be_in_flight_are_sent_at_once() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[Call] = asyncio.Queue()

        def hold(call: Call) -> None:
            loop.call_soon_threadsafe(arrived.put_nowait, call)

        with ScriptedBroker({ApiKey.PRODUCE: [answer, hold, hold, hold]}) as broker:
            producer = aio.Producer(
                bootstrap_servers=broker.address,
                max_in_flight_requests_per_connection=3,
                batch_size=200,
                linger_ms=0,
            )
            await (await producer.send(TOPIC, b"first"))
            # Nothing here waits, so the loop sees all four batches in one go; the fourth must wait.
            for _ in range(4):
                _ = await producer.send(TOPIC, bytes(150))
            held = [await asyncio.wait_for(arrived.get(), 20) for _ in range(3)]
            assert broker.count(ApiKey.PRODUCE) == 4
            for call in held:
                answer(call)
            await producer.close()
        assert len(broker.batches) == 5

    asyncio.run(main())


def test_tables_and_single_records_share_the_numbers_of_a_partition() -> None:
    table = pa.table({"value": [b"a", b"b"]})
    with ScriptedBroker() as broker:
        with Producer(bootstrap_servers=broker.address, linger_ms=0) as producer:
            producer.send(TOPIC, b"first").result(20)
            producer.send_arrow(TOPIC, table).result(20)
            producer.send(TOPIC, b"last").result(20)
        headers = [read_header(batch) for batch in broker.batches]
        assert [(each.producer_id, each.base_sequence) for each in headers] == [
            (5, 0), (5, 1), (5, 3)
        ]  # fmt: skip
        assert all(map(crc_is_right, broker.batches, headers))


def test_a_users_loop_does_not_stand_still_while_batches_are_compressed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads: list[threading.Thread] = []

    def compress_and_tell(*arguments: Any) -> Any:
        threads.append(threading.current_thread())
        return compress(*arguments)

    for user in (builder, encoding):
        monkeypatch.setattr(user, "compress", compress_and_tell)

    async def main() -> None:
        with ScriptedBroker() as broker:
            settings = {"bootstrap.servers": broker.address, "compression.type": "gzip"}
            async with aio.Producer(settings, linger_ms=0, batch_size=200) as producer:
                sent = [await producer.send(TOPIC, bytes(150)) for _ in range(10)]
                await producer.send_arrow(TOPIC, pa.table({"value": [b"a", b"b"]}))
                await producer.flush(20)
                assert all(each.done() for each in sent)
            headers = [read_header(batch) for batch in broker.batches]
        assert [each.base_sequence for each in headers] == list(range(11))

    asyncio.run(main())
    assert len(threads) == 11
    assert threading.main_thread() not in threads


def test_without_idempotence_tables_have_no_numbers_and_a_right_crc() -> None:
    with ScriptedBroker() as broker:
        with Producer(bootstrap_servers=broker.address, enable_idempotence=False) as producer:
            producer.send_arrow(TOPIC, pa.table({"value": [b"a", b"b"]})).result(20)
        (batch,) = broker.batches
        assert read_header(batch).producer_id == -1
        assert crc_is_right(batch, read_header(batch))
