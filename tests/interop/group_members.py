"""Members of a group from different clients, behind one face: poll, what is assigned, commit, close."""

import asyncio
import contextlib
import re
from collections.abc import Callable, Mapping
from typing import Protocol

from aiokafka import AIOKafkaConsumer
from confluent_kafka import Consumer, KafkaError, KafkaException
from kafka import KafkaConsumer

from barnabas import Consumer as OurConsumer

Place = tuple[int, int]
"""A partition and an offset in it."""

AWAY = {KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN}
"""What librdkafka says of a broker that is not there for a moment."""

QUICK = {
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "500",
    "offsets.topic.num.partitions": "4",
}
"""Properties of a broker whose groups begin at once."""

SESSION_MS = 30_000
SHORT_SESSION_MS = 3000
"""Of members that are killed, so that nobody waits for long until they are taken for gone."""

HEARTBEAT_MS = 200


class Member(Protocol):
    """One consumer of the topic that it was made for. It reads from the beginning."""

    def poll(self) -> list[Place]:
        """What has come, after waiting for a moment."""
        ...

    def assigned(self) -> set[int]:
        """The partitions that it has."""
        ...

    def commit(self) -> None:
        """Keep its positions."""
        ...

    def close(self) -> None:
        """Leave."""
        ...


class ConfluentMember:
    """librdkafka."""

    times: Mapping[str, int] = {
        "session.timeout.ms": SESSION_MS,
        "heartbeat.interval.ms": HEARTBEAT_MS,
    }
    """What a classic member says of its session."""

    def __init__(self, address: str, group: str, topic: str, **more: str) -> None:
        settings = {name.replace("_", "."): value for name, value in more.items()}
        self._consumer = Consumer(
            {
                "bootstrap.servers": address,
                "group.id": group,
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                **self.times,
                **settings,
            }
        )
        self._consumer.subscribe([topic])

    def poll(self) -> list[Place]:
        found = []
        for message in self._consumer.consume(100, timeout=0.05):
            error = message.error()
            if error is not None and error.code() not in AWAY:
                raise KafkaException(error)
            if error is None:
                found.append((message.partition(), message.offset()))
        return found

    def assigned(self) -> set[int]:
        return {one.partition for one in self._consumer.assignment()}

    def places(self) -> set[tuple[str, int]]:
        """The same of several topics."""
        return {(one.topic, one.partition) for one in self._consumer.assignment()}

    def commit(self) -> None:
        with contextlib.suppress(KafkaException):  # nothing was read: nothing to commit
            self._consumer.commit(asynchronous=False)

    def close(self) -> None:
        self._consumer.close()


class KafkaPythonMember:
    """kafka-python. A poll must be long enough for it to end a join that others have ended."""

    def __init__(self, address: str, group: str, topic: str) -> None:
        self._consumer = KafkaConsumer(
            topic,
            bootstrap_servers=address,
            group_id=group,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            session_timeout_ms=SESSION_MS,
            heartbeat_interval_ms=HEARTBEAT_MS,
            metadata_max_age_ms=1000,
        )

    def poll(self) -> list[Place]:
        polled = self._consumer.poll(500)
        return [(one.partition, one.offset) for records in polled.values() for one in records]

    def assigned(self) -> set[int]:
        return {one.partition for one in self._consumer.assignment()}

    def commit(self) -> None:
        self._consumer.commit()

    def close(self) -> None:
        self._consumer.close(autocommit=False)


class AioMember:
    """aiokafka, whose loop turns only while it is polled."""

    loop: asyncio.AbstractEventLoop | None = None

    def __init__(self, address: str, group: str, topic: str) -> None:
        cls = type(self)
        if cls.loop is None or cls.loop.is_closed():
            cls.loop = asyncio.new_event_loop()
        self._loop = cls.loop
        self._loop.run_until_complete(self._start(address, group, topic))

    async def _start(self, address: str, group: str, topic: str) -> None:
        self._consumer = AIOKafkaConsumer(
            bootstrap_servers=address,
            group_id=group,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            session_timeout_ms=SESSION_MS,
            heartbeat_interval_ms=HEARTBEAT_MS,
        )
        await self._consumer.start()
        # Had it a topic at its start, it would wait there for members who must be polled meanwhile.
        self._consumer.subscribe([topic])

    def poll(self) -> list[Place]:
        # Without partitions it would wait for some, and for members who must be polled meanwhile.
        if not self._consumer.assignment():
            self._loop.run_until_complete(asyncio.sleep(0.05))
            return []
        polled = self._loop.run_until_complete(self._consumer.getmany(timeout_ms=50))
        return [(one.partition, one.offset) for records in polled.values() for one in records]

    def assigned(self) -> set[int]:
        return {one.partition for one in self._consumer.assignment()}

    def commit(self) -> None:
        self._loop.run_until_complete(self._consumer.commit())

    def close(self) -> None:
        self._loop.run_until_complete(self._consumer.stop())


class OurMember:
    """Our own. `topic` may be a pattern."""

    times: Mapping[str, object] = {
        "session_timeout_ms": SESSION_MS,
        "heartbeat_interval_ms": HEARTBEAT_MS,
    }
    """What a classic member says of its session."""

    def __init__(
        self, address: str, group: str, topic: "str | re.Pattern[str]", **more: str
    ) -> None:
        settings = {
            "bootstrap_servers": address,
            "group_id": group,
            "auto_offset_reset": "earliest",
            "enable_auto_commit": False,
            **self.times,
        }
        self._consumer = OurConsumer({**settings, **more})
        self._consumer.subscribe([topic] if isinstance(topic, str) else topic)

    def poll(self) -> list[Place]:
        return [(one.partition, one.offset) for one in self._consumer.poll(0.05)]

    def assigned(self) -> set[int]:
        return {one.partition for one in self._consumer.assignment()}

    def places(self) -> set[tuple[str, int]]:
        """The same of several topics."""
        return {(one.topic, one.partition) for one in self._consumer.assignment()}

    def commit(self) -> None:
        self._consumer.commit()

    def close(self) -> None:
        self._consumer.close()


class OurEpochMember(OurMember):
    """Our own in a group whose broker assigns, where sessions and heartbeats are the broker's to say."""

    times: Mapping[str, object] = {"group_protocol": "consumer"}


MEMBERS: dict[str, Callable[[str, str, str], Member]] = {
    "confluent-kafka": ConfluentMember,
    "kafka-python": KafkaPythonMember,
    "aiokafka": AioMember,
    "barnabas": OurMember,
}
