"""Copy a topic to another, each record exactly once, however often this program is killed.

    barnabas serve
    python examples/exactly_once_copier.py orders orders-in-euros

Records and positions are written in one transaction: after a crash either both are there or none.
The transactional id is the same in each run; a new run fences one that only seemed to be dead. It
keeps keys, headers and timestamps, and ends at what is the end of the source now.
"""

import argparse
import os

from barnabas import Consumer, Producer, Record

SERVERS = os.environ.get("BARNABAS_BOOTSTRAP_SERVERS", "localhost:9092")


def changed(record: Record) -> bytes | None:
    """The value to write: put your own change here."""
    return record.value


def copy(source: str, target: str) -> int:
    """Copy what is left up to the present end; return the number of records."""
    name = f"copy-{source}-to-{target}"
    reader = {
        "bootstrap.servers": SERVERS,
        "group.id": name,
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
        "isolation.level": "read_committed",
    }
    copied = 0
    with (
        Consumer(reader) as consumer,
        Producer(bootstrap_servers=SERVERS, transactional_id=name) as producer,
    ):
        # Before positions are read: what an earlier run has left open is over then.
        producer.init_transactions()
        places = consumer.partitions_for(source)
        consumer.assign(places)
        ends = consumer.end_offsets(places)
        while any(consumer.position(place) < ends[place] for place in places):
            records = consumer.poll(timeout_s=1)
            with producer.transaction():
                for record in records:
                    producer.send(
                        target,
                        changed(record),
                        record.key,
                        headers=record.headers,
                        timestamp_ms=record.timestamp,
                    )
                positions = {place: consumer.position(place) for place in places}
                producer.send_offsets_to_transaction(positions, consumer.group_metadata())
            copied += len(records)
    return copied


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("source")
    arguments.add_argument("target")
    given = arguments.parse_args()
    print(copy(given.source, given.target), "records copied")
