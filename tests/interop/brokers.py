"""A broker as the interop tests see it: an address, a data directory, fresh topics."""

import itertools
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec

TOPIC_SECONDS = 60
KEEP = {"retention.ms": "-1"}  # the samples' timestamps are years old
_numbers = itertools.count(1)


class Running(Protocol):
    """What a started broker offers."""

    name: str

    @property
    def bootstrap_servers(self) -> str:
        """host:port."""
        ...

    @property
    def data_dir(self) -> Path:
        """Its log directory."""
        ...


class InteropBroker:
    """One running broker of any make."""

    def __init__(self, running: Running) -> None:
        self.name = running.name
        self.bootstrap_servers = running.bootstrap_servers
        self.data_dir = running.data_dir

    def new_topic(self, config: Mapping[str, str] | None = None, *, partitions: int = 1) -> str:
        """Create a topic of a name not used before."""
        topic = f"interop-{next(_numbers)}"
        wanted = NewTopic(
            topic, num_partitions=partitions, replication_factor=1, config=KEEP | dict(config or {})
        )
        admin = AdminClient({"bootstrap.servers": self.bootstrap_servers})
        for future in admin.create_topics([wanted]).values():
            future.result(TOPIC_SECONDS)
        wait_until_led(admin, topic, partitions)
        return topic


def wait_for(happened: Callable[[], bool]) -> None:
    """Kafka answers a change before every broker knows of it."""
    deadline = time.monotonic() + TOPIC_SECONDS
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def wait_until_led(admin: AdminClient, topic: str, partitions: int) -> None:
    """Kafka answers before the partitions of a new topic know that they are led: wait for it."""
    asked = {TopicPartition(topic, each): OffsetSpec.latest() for each in range(partitions)}
    deadline = time.monotonic() + TOPIC_SECONDS
    while True:
        try:
            for found in admin.list_offsets(asked).values():
                found.result(TOPIC_SECONDS)
        except KafkaException:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
