"""RemoveRaftVoter (key 81): a controller no longer votes in the metadata quorum (KIP-853)."""

from __future__ import annotations

from barnabas.wire.schema import Int16, Int32, String, Uuid, message, on


@message(key=81, versions="0", flexible="0+")
class RemoveRaftVoterRequest:
    """The voter."""

    cluster_id: String | None
    voter_id: Int32
    voter_directory_id: Uuid


@message(key=81, versions="0", flexible="0+")
class RemoveRaftVoterResponse:
    """What became of it."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
