"""DeleteShareGroupOffsets (key 92): let a share group forget topics (KIP-932)."""

from __future__ import annotations

from barnabas.wire.schema import Array, Int16, Int32, String, Uuid, message, on, struct


@message(key=92, versions="0", flexible="0+")
class DeleteShareGroupOffsetsRequest:
    """Which; the group must be empty."""

    group_id: String
    topics: Array[DeleteShareGroupOffsetsRequestTopic]


@struct
class DeleteShareGroupOffsetsRequestTopic:
    """One topic."""

    topic_name: String


@message(key=92, versions="0", flexible="0+")
class DeleteShareGroupOffsetsResponse:
    """What became of each."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
    responses: Array[DeleteShareGroupOffsetsResponseTopic]


@struct
class DeleteShareGroupOffsetsResponseTopic:
    """One topic."""

    topic_name: String
    topic_id: Uuid
    error_code: Int16
    error_message: String | None = on(default=None)
