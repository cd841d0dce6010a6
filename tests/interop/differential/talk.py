"""One side of a differential test: says a script to a broker, keeps comparable answers."""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from barnabas.protocol.headers import RequestHeader, decode_response, encode_request
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from barnabas.wire.schema import NO_UUID, declaration_of
from tests.interop.raw import ANSWER_SECONDS, Raw, framed, header

PATIENCE_SECONDS = 60
SILENCE_SECONDS = 10.0
"""For answers that one of the brokers never gives."""

CLOSED = "closed"
SILENT = "silent"
ABSENT = "absent"

# Texts and what only tells one process from another. Everything else must be equal or explained.
NOT_COMPARED = {
    "error_message",
    "acknowledge_error_message",
    "batch_index_error_message",
    "documentation",
    "throttle_time_ms",
    "host",
    "port",
    "cluster_id",
    "log_append_time_ms",
    "session_id",
    "log_dir",
    "total_bytes",
    "usable_bytes",
    "subscription_id",
}
# Order says nothing in these lists: Kafka's come out of hash maps.
_SMALL = {"read_only", "min_version", "max_version", "max_version_level"}
SORTED_BY = (
    "name",
    "topic",
    "topic_name",
    "resource_name",
    "topic_id",
    "index",
    "partition_index",
    "entity_type",
    "key",
    "entity",
    "user",
    "mechanism",
)

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""What member ids end in."""

Answers = dict[str, Any]


class Talk:
    """A connection to one broker. `answers` has its responses, by the label of the question."""

    def __init__(self, address: str, scenario: str) -> None:
        self.answers: Answers = {}
        self._address = address
        self._scenario = scenario
        self._ids: dict[bytes, str] = {NO_UUID: "no id"}
        self._kept: Raw | None = None

    @contextmanager
    def one_connection(self) -> Iterator[None]:
        """Ask everything over the same connection, which else has one request."""
        with Raw(self._address) as self._kept:
            yield
        self._kept = None

    def topic(self, name: str) -> str:
        """A topic's name that no other scenario has."""
        return f"differential-{self._scenario}-{name}"

    def ask(
        self, label: str, message: object, version: int, seconds: float = ANSWER_SECONDS
    ) -> Any:
        """Ask, keep the answer under the label, and give it as it came; None where none came."""
        key = declaration_of(type(message)).key
        assert key is not None
        assert label not in self.answers, label
        try:
            answer = self._exchange(ApiKey(key), message, version, seconds)
        except TimeoutError:
            self.answers[label] = SILENT
            return None
        self.answers[label] = CLOSED if answer is None else self._plain(answer)
        return answer

    def ask_raw(self, label: str, api: ApiKey, version: int, body: bytes, answered_in: int) -> None:
        """Say bytes that no codec of ours would; the answer is read as of version `answered_in`."""
        with Raw(self._address) as connection:
            frame = connection.ask(framed(header(api, version) + body))
        self.answers[label] = (
            CLOSED if frame is None else self._plain(decode_response(api, answered_in, frame)[1])
        )

    def tell_producers_from(self, first: int) -> None:
        """Producer ids as distances: how many were given before is no part of the answers."""
        for answer in self.answers.values():
            if isinstance(answer, dict) and answer.get("producer_id", -1) >= 0:
                answer["producer_id"] -= first

    def wait(self, message: object, version: int, until: Callable[[Any], bool]) -> Any:
        """Ask until the answer satisfies: Kafka answers before what it did is to be seen."""
        key = declaration_of(type(message)).key
        assert key is not None
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            answer = self._exchange(ApiKey(key), message, version)
            if answer is not None and until(answer):
                return answer
            assert time.monotonic() < deadline, f"not seen: {answer}"
            time.sleep(0.05)

    def create(
        self, name: str, *, partitions: int = 1, config: Mapping[str, str] | None = None
    ) -> bytes:
        """Make a topic and wait until its partitions are led; gives its id."""
        topic = CreatableTopic(
            name=self.topic(name),
            num_partitions=partitions,
            replication_factor=1,
            assignments=[],
            configs=[
                CreatableTopicConfig(name=key, value=value)
                for key, value in {"retention.ms": "-1", **(config or {})}.items()
            ],
        )
        self.wait(
            CreateTopicsRequest(topics=[topic], timeout_ms=10_000),
            7,
            lambda response: not codes(response),
        )
        return self.settled(name, partitions)

    def settled(self, name: str, partitions: int) -> bytes:
        """Wait until a topic has that many partitions, all of them led; gives its id."""

        def led(response: MetadataResponse) -> bool:
            there = response.topics[0].partitions
            return len(there) == partitions and all(one.leader_id >= 0 for one in there)

        asked = [MetadataRequestTopic(name=self.topic(name))]
        found = self.wait(MetadataRequest(topics=asked, allow_auto_topic_creation=False), 12, led)
        topic_id: bytes = found.topics[0].topic_id
        self._ids[topic_id] = f"id of {name}"
        ends = ListOffsetsRequest(
            replica_id=-1,
            topics=[
                ListOffsetsTopic(
                    name=self.topic(name),
                    partitions=[
                        ListOffsetsPartition(partition_index=each, timestamp=-1)
                        for each in range(partitions)
                    ],
                )
            ],
        )
        self.wait(
            ends,
            5,
            lambda response: not any(one.error_code for one in response.topics[0].partitions),
        )
        return topic_id

    def _exchange(
        self, api: ApiKey, message: object, version: int, seconds: float = ANSWER_SECONDS
    ) -> Any:
        frame = encode_request(RequestHeader(api, version, 1, "differential"), message).joined()
        with nullcontext(self._kept) if self._kept else Raw(self._address, seconds) as connection:
            answer = connection.ask(frame)
        return None if answer is None else decode_response(api, version, answer)[1]

    def _plain(self, value: Any, name: str = "") -> Any:
        if name in NOT_COMPARED:
            return None
        if isinstance(value, list):
            items = [self._plain(item) for item in value]
            return sorted(items, key=_place) if items and isinstance(items[0], dict) else items
        if isinstance(value, str | bytes | memoryview):
            return self._plain_text(value)
        if hasattr(value, "DECLARATION"):
            fields = declaration_of(type(value)).fields
            return {field: self._plain(getattr(value, field), field) for field in fields}
        return value

    def _plain_text(self, value: str | bytes | memoryview) -> str | bytes:
        if isinstance(value, str):
            return _UUID.sub("an id", value)
        if isinstance(value, memoryview):
            return bytes(value).hex()
        return self._ids.get(value, "an id") if len(value) == 16 else value


def _place(item: dict[str, Any]) -> str:
    return next((str(item[name]) for name in SORTED_BY if item.get(name) not in (None, "")), "")


def codes(response: Any) -> list[int]:
    """The error codes of the topics in an answer, where there are any."""
    return [topic.error_code for topic in response.topics if topic.error_code]


def differences(theirs: Any, ours: Any, path: str = "") -> list[tuple[str, Any, Any]]:
    """Where two plain answers differ: path, their value, our value."""
    theirs, ours = _by_name(theirs), _by_name(ours)
    if isinstance(theirs, dict) and ours == []:
        ours = {}
    if isinstance(ours, dict) and theirs == []:
        theirs = {}
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return [
            found
            for key in dict.fromkeys([*theirs, *ours])
            for found in differences(
                theirs.get(key, ABSENT), ours.get(key, ABSENT), f"{path}.{key}" if path else key
            )
        ]
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        return [
            found
            for index, (one, other) in enumerate(zip(theirs, ours, strict=True))
            for found in differences(one, other, f"{path}[{index}]")
        ]
    return [] if theirs == ours else [(path, theirs, ours)]


def _by_name(value: Any) -> Any:
    """Properties and APIs, which are returned in lists, by their names."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        for key in ("api_key", "name"):
            names = [item.get(key) for item in value]
            if None not in names and len(set(names)) == len(names) and _SMALL & value[0].keys():
                return dict(zip(map(str, names), value, strict=True))
    return value
