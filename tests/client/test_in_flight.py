"""How many requests a producer has under way, against a broker that holds its answers back."""

import asyncio

from barnabas import aio
from barnabas.protocol.api_keys import ApiKey
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
