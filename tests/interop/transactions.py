"""Transactions by librdkafka, some of them aborted after their records were stored."""

from collections.abc import Sequence

from confluent_kafka import Producer

SECONDS = 30


def write_transactions(
    address: str, topic: str, outcomes: Sequence[tuple[str, int]]
) -> tuple[list[bytes], list[bytes]]:
    """Write to partition 0, for each of `outcomes` ("commit" or "abort") that many records.

    Returns:
        All values, and those of committed transactions. After each transaction stands a marker,
        which has an offset too.
    """
    producer = Producer(
        {
            "bootstrap.servers": address,
            "transactional.id": f"writer-of-{topic}",
            "compression.type": "lz4",
        }
    )
    producer.init_transactions(SECONDS)
    committed: list[bytes] = []
    written: list[bytes] = []
    for outcome, count in outcomes:
        values = [b"%s %d %d" % (outcome.encode(), len(written), index) for index in range(count)]
        producer.begin_transaction()
        for value in values:
            producer.produce(topic, value, partition=0)
        written += values
        if outcome == "commit":
            producer.commit_transaction(SECONDS)
            committed += values
        else:
            # Without a flush librdkafka drops what was not sent yet, and nothing is aborted.
            producer.flush(SECONDS)
            producer.abort_transaction(SECONDS)
    return written, committed
