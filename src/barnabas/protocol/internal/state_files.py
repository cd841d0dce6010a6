"""What a broker keeps in small files, and in headers, by the same rules as messages.

Versions of QuorumStateData: 1 directories of the voters, and no voters (KIP-853)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    NO_UUID,
    Array,
    Bool,
    Int16,
    Int32,
    Int64,
    String,
    Uint32,
    Uuid,
    message,
    on,
    struct,
)


@message(versions="1")
class ProducerSnapshot:
    """A .snapshot file: the producers of a partition up to its offset (KIP-98).

    The version as int16 comes first, outside of what is declared here. The CRC-32C is of all behind
    it.
    """

    crc: Uint32
    producer_entries: Array[ProducerEntry]


@struct
class ProducerEntry:
    """One producer and what it wrote last; -1: no transaction is open."""

    producer_id: Int64
    epoch: Int16
    last_sequence: Int32
    last_offset: Int64
    offset_delta: Int32
    timestamp: Int64
    coordinator_epoch: Int32
    current_txn_first_offset: Int64


@message(versions="0")
class AbortedTxn:
    """An entry of a .txnindex file, behind its version as int16."""

    producer_id: Int64
    first_offset: Int64
    last_offset: Int64
    last_stable_offset: Int64


@message(versions="0", flexible="0+")
class QuorumState:
    """The quorum-state file to 3.0, which is JSON of these fields."""

    cluster_id: String
    leader_id: Int32 = on(default=-1)
    leader_epoch: Int32 = on(default=-1)
    voted_id: Int32 = on(default=-1)
    applied_offset: Int64
    current_voters: Array[StoredVoter] | None


@struct
class StoredVoter:
    """One voter."""

    voter_id: Int32


@message(versions="0-1", flexible="0+")
class QuorumStateData:
    """The quorum-state file, which is JSON of these fields."""

    cluster_id: String = on("0", default="")
    leader_id: Int32 = on(default=-1)
    leader_epoch: Int32 = on(default=-1)
    voted_id: Int32 = on(default=-1)
    applied_offset: Int64 = on("0", default=0)
    current_voters: Array[StoredVoter] | None = on("0", default=None)
    voted_directory_id: Uuid = on("1+", default=NO_UUID)


@message(versions="0", flexible="0+")
class DefaultPrincipalData:
    """The original sender of a request that is forwarded in an Envelope (KIP-590)."""

    type: String
    name: String
    token_authenticated: Bool
