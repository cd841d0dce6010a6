"""DeleteTopics (key 20): delete topics by name or id.

Versions: 1 throttle time · 3 deletion can be disabled · 4 flexible · 5 messages · 6 by topic id
    (KIP-516)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    NO_UUID,
    Array,
    Int16,
    Int32,
    String,
    Uuid,
    message,
    on,
    struct,
)


@message(key=20, versions="0-6", flexible="4+")
class DeleteTopicsRequest:
    """Delete `topic_names`, since version 6 `topics`."""

    topic_names: Array[String] = on("0-5", factory=list)
    topics: Array[DeleteTopicState] = on("6+", factory=list)
    timeout_ms: Int32


@struct
class DeleteTopicState:
    """One topic, by name or by id with name None."""

    name: String | None = on(default=None)
    topic_id: Uuid


@message(key=20, versions="0-6", flexible="4+")
class DeleteTopicsResponse:
    """What became of each topic."""

    throttle_time_ms: Int32 = on("1+", default=0)
    responses: Array[DeletableTopicResult]


@struct
class DeletableTopicResult:
    """One topic; the name is None if it was given by an id that is not known."""

    name: String | None = on(nullable="6+")
    topic_id: Uuid = on("6+", default=NO_UUID)
    error_code: Int16
    error_message: String | None = on("5+", default=None)
