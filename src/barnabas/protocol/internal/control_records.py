"""What control batches hold, in the log of any partition and in that of the metadata.

Keys are a version as int16 and the type. Values of markers begin with a version as int16, outside
of what is declared here; the others have it as their first field.

Versions of LeaderChangeMessage: 1 directories of the voters (KIP-853)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    NO_UUID,
    Array,
    Int16,
    Int32,
    Int64,
    String,
    Uint16,
    Uuid,
    message,
    on,
    struct,
)


@message(versions="0")
class ControlRecordTypeSchema:
    """The key, which says what the value is.

    Type: 0 abort and 1 commit (EndTxnMarker), then in the order of this file 2 to 6.
    """

    type: Int16


@message(versions="0")
class EndTxnMarker:
    """The end of a transaction, and the epoch of the coordinator that says so (KIP-98)."""

    coordinator_epoch: Int32


@message(versions="0-1", flexible="0+")
class LeaderChangeMessage:
    """A new leader of the metadata quorum, as its first record (KIP-595)."""

    version: Int16
    leader_id: Int32
    voters: Array[ElectingVoter]
    granting_voters: Array[ElectingVoter]


@struct
class ElectingVoter:
    """One voter."""

    voter_id: Int32
    voter_directory_id: Uuid = on("1+", default=NO_UUID)


@message(versions="0", flexible="0+")
class SnapshotHeaderRecord:
    """A snapshot begins; the time of the last record in it (KIP-630)."""

    version: Int16
    last_contained_log_timestamp: Int64


@message(versions="0", flexible="0+")
class SnapshotFooterRecord:
    """A snapshot ends."""

    version: Int16


@message(versions="0", flexible="0+")
class KRaftVersionRecord:
    """The quorum's protocol is at this version from here on (KIP-853)."""

    version: Int16
    kraft_version: Int16


@message(versions="0", flexible="0+")
class VotersRecord:
    """The voters from this offset on (KIP-853)."""

    version: Int16
    voters: Array[RecordedVoter]


@struct
class RecordedVoter:
    """One voter and where it is reached."""

    voter_id: Int32
    voter_directory_id: Uuid
    endpoints: Array[Endpoint]
    kraft_version_feature: KRaftVersionFeature


@struct
class Endpoint:
    """One endpoint."""

    name: String
    host: String
    port: Uint16


@struct
class KRaftVersionFeature:
    """The versions of the protocol that it knows."""

    min_supported_version: Int16
    max_supported_version: Int16
