"""AddRaftVoter (key 80): let a controller vote in the metadata quorum (KIP-853).

Versions: 1 whether to wait until it is committed (KIP-1186)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Int16,
    Int32,
    String,
    Uint16,
    Uuid,
    message,
    on,
    struct,
)


@message(key=80, versions="0-1", flexible="0+")
class AddRaftVoterRequest:
    """The voter, and where it is reached."""

    cluster_id: String | None
    timeout_ms: Int32
    voter_id: Int32
    voter_directory_id: Uuid
    listeners: Array[Listener]
    ack_when_committed: Bool = on("1+", default=True)


@struct
class Listener:
    """One endpoint."""

    name: String
    host: String
    port: Uint16


@message(key=80, versions="0-1", flexible="0+")
class AddRaftVoterResponse:
    """What became of it."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
