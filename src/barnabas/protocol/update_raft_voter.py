"""UpdateRaftVoter (key 82): a voter tells the leader of the quorum about itself (KIP-853)."""

from __future__ import annotations

from barnabas.wire.schema import Array, Int16, Int32, String, Uint16, Uuid, message, on, struct


@message(key=82, versions="0", flexible="0+")
class UpdateRaftVoterRequest:
    """Where it is reached, and the versions of the quorum's protocol that it knows."""

    cluster_id: String | None
    current_leader_epoch: Int32
    voter_id: Int32
    voter_directory_id: Uuid
    listeners: Array[Listener]
    kraft_version_feature: KRaftVersionFeature


@struct
class Listener:
    """One endpoint."""

    name: String
    host: String
    port: Uint16


@struct
class KRaftVersionFeature:
    """The least and the greatest version."""

    min_supported_version: Int16
    max_supported_version: Int16


@message(key=82, versions="0", flexible="0+")
class UpdateRaftVoterResponse:
    """What became of it."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    current_leader: CurrentLeader | None = on(default=None, tag=0)


@struct
class CurrentLeader:
    """Which controller leads now, since which epoch, and where it is reached."""

    leader_id: Int32 = on(default=-1)
    leader_epoch: Int32 = on(default=-1)
    host: String
    port: Int32
