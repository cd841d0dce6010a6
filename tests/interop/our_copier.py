"""A copy job of ours: a static member of a group that writes in transactions, and kills itself if required."""

import os
import signal
import sys

from barnabas import Consumer, Producer

SENT, OFFSETS, COMMITTED = "sent", "offsets", "committed"
"""Amid its second transaction: its records are stored, its offsets are as well, it has ended."""

_AT_ONCE = 25


def copy(address: str, source: str, target: str, dies: str) -> None:
    """Copy partition 0 of a topic from where its group has got to, up to its end."""
    group = f"group-of-{target}"
    reading = {
        "group.id": group,
        "group.instance.id": "copier",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "isolation.level": "read_committed",
    }
    place = (source, 0)
    with (
        Consumer(reading, bootstrap_servers=address) as consumer,
        Producer(bootstrap_servers=address, transactional_id=f"id-of-{target}") as producer,
    ):
        producer.init_transactions()
        consumer.subscribe([source])
        (end,) = consumer.end_offsets([place]).values()
        ended = 0
        while place not in consumer.assignment() or consumer.position(place) < end:
            records = consumer.poll(0.5, _AT_ONCE)
            if not records:
                continue
            with producer.transaction():
                for record in records:
                    producer.send(target, record.value, partition=0)
                if ended == 1 and dies == SENT:
                    producer.flush()
                    _die()
                offsets = {place: consumer.position(place)}
                producer.send_offsets_to_transaction(offsets, consumer.group_metadata())
                if ended == 1 and dies == OFFSETS:
                    producer.flush()
                    _die()
            ended += 1
            if ended == 2 and dies == COMMITTED:
                _die()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    copy(*sys.argv[1:])
