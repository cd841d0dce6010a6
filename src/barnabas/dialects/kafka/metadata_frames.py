"""Replies to Metadata out of topics that were encoded before: all but names and addresses stays.

A cluster of a thousand topics is asked for as a whole again and again, and a topic seldom changes.
The bytes are those of the generated codec, which is tested.
"""

from copy import copy

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import encode_response
from barnabas.protocol.metadata import MetadataResponse, MetadataResponseTopic
from barnabas.versions import VersionTable
from barnabas.wire.compiler import Codec
from barnabas.wire.send import Send
from barnabas.wire.tagged import varint

_TAIL = VersionTable({0: 0, 8: 4, 9: 5, 11: 1, 13: 3})
"""Bytes behind the topics: operations (8-10), error code (13+), tagged fields (9+)."""
_FLEXIBLE = VersionTable({0: False, 9: True})
_SIZE_BYTES = 4


class KeptTopic(MetadataResponseTopic):
    """A topic that nobody changes any more; `encoded` has its bytes by version."""

    __slots__ = ("encoded",)

    encoded: dict[int, bytes]

    @classmethod
    def of(cls, topic: MetadataResponseTopic) -> "KeptTopic":
        """The same, to be kept."""
        kept = cls(
            error_code=topic.error_code,
            name=topic.name,
            topic_id=topic.topic_id,
            is_internal=topic.is_internal,
            partitions=topic.partitions,
            topic_authorized_operations=topic.topic_authorized_operations,
        )
        kept.encoded = {}
        return kept


def write_metadata(version: int, correlation_id: int, message: MetadataResponse) -> Send:
    """The whole reply with its size in front."""
    topics = message.topics
    if not any(type(topic) is KeptTopic for topic in topics):
        return encode_response(ApiKey.METADATA, version, correlation_id, message)
    entries = [_entry(version, topic) for topic in topics]
    alone = copy(message)
    alone.topics = []
    frame = encode_response(ApiKey.METADATA, version, correlation_id, alone).joined()
    before, behind = _around(version, frame)
    count = varint(len(topics) + 1) if _FLEXIBLE[version] else len(topics).to_bytes(4)
    body = b"".join((before[_SIZE_BYTES:], count, *entries, behind))
    return Send(len(body).to_bytes(_SIZE_BYTES) + body)


def _around(version: int, frame: bytes) -> tuple[bytes, bytes]:
    """What is before and behind the topics in a message without any."""
    end = len(frame) - _TAIL[version]
    return frame[: end - (1 if _FLEXIBLE[version] else 4)], frame[end:]


def _entry(version: int, topic: MetadataResponseTopic) -> bytes:
    if type(topic) is not KeptTopic:
        return _encoded(version, topic)
    entry = topic.encoded.get(version)
    if entry is None:
        entry = topic.encoded[version] = _encoded(version, topic)
    return entry


def _encoded(version: int, topic: MetadataResponseTopic) -> bytes:
    """One topic out of a message that has nothing else."""
    encode = Codec.of(MetadataResponse, version).encode
    whole = encode(MetadataResponse(brokers=[], topics=[topic]))
    empty = encode(MetadataResponse(brokers=[], topics=[]))
    start = len(empty) - _TAIL[version]
    return whole[start : len(whole) - _TAIL[version]]
