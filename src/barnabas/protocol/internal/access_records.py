"""Records of the metadata log about settings, quotas and who may do what."""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Bytes,
    Float64,
    Int8,
    Int32,
    Int64,
    String,
    Uuid,
    message,
    struct,
)


@message(versions="0", flexible="0+")
class ConfigRecord:
    """Type 4: a setting of a topic, broker or other resource; None: its default again."""

    resource_type: Int8
    resource_name: String
    name: String
    value: String | None


@message(versions="0", flexible="0+")
class ClientQuotaRecord:
    """Type 14: a quota, set or removed (KIP-546)."""

    entity: Array[EntityData]
    key: String
    value: Float64
    remove: Bool


@struct
class EntityData:
    """A part of an entity, such as a user or client id; None is the default's."""

    entity_type: String
    entity_name: String | None


@message(versions="0")
class QuotaRecord:
    """Type 14 in 2.8 alone: a quota, not flexible."""

    entity: Array[EntityData]
    key: String
    value: Float64
    remove: Bool


@message(versions="0", flexible="0+")
class AccessControlEntryRecord:
    """Type 18: a new access rule (KIP-801)."""

    id: Uuid
    resource_type: Int8
    resource_name: String
    pattern_type: Int8
    principal: String
    host: String
    operation: Int8
    permission_type: Int8


@message(versions="0", flexible="0+")
class RemoveAccessControlEntryRecord:
    """Type 19: it is gone."""

    id: Uuid


@message(versions="0", flexible="0+")
class AccessControlRecord:
    """Type 6: an access rule; replaced by AccessControlEntryRecord."""

    resource_type: Int8
    resource_name: String | None
    pattern_type: Int8
    principal: String
    host: String
    operation: Int8
    permission_type: Int8


@message(versions="0", flexible="0+")
class UserScramCredentialRecord:
    """Type 11: a user's SCRAM password, as keys (KIP-900)."""

    name: String
    mechanism: Int8
    salt: Bytes
    stored_key: Bytes
    server_key: Bytes
    iterations: Int32


@message(versions="0", flexible="0+")
class RemoveUserScramCredentialRecord:
    """Type 22: it is gone."""

    name: String
    mechanism: Int8


@message(versions="0", flexible="0+")
class DelegationTokenRecord:
    """Type 10: a token, without its secret (KIP-48)."""

    owner: String
    requester: String
    renewers: Array[String]
    issue_timestamp: Int64
    max_timestamp: Int64
    expiration_timestamp: Int64
    token_id: String


@message(versions="0", flexible="0+")
class RemoveDelegationTokenRecord:
    """Type 26: it is gone."""

    token_id: String
