"""AlterUserScramCredentials (key 51): set or remove SCRAM passwords of users (KIP-554).

Mechanisms: 1 SCRAM-SHA-256, 2 SCRAM-SHA-512.
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Bytes, Int8, Int16, Int32, String, message, on, struct


@message(key=51, versions="0", flexible="0+")
class AlterUserScramCredentialsRequest:
    """What to remove and what to set."""

    deletions: Array[ScramCredentialDeletion]
    upsertions: Array[ScramCredentialUpsertion]


@struct
class ScramCredentialDeletion:
    """Remove one password."""

    name: String
    mechanism: Int8


@struct
class ScramCredentialUpsertion:
    """Set one password, salted by the client: the broker never sees it."""

    name: String
    mechanism: Int8
    iterations: Int32
    salt: Bytes
    salted_password: Bytes


@message(key=51, versions="0", flexible="0+")
class AlterUserScramCredentialsResponse:
    """What became of each user."""

    throttle_time_ms: Int32 = on(default=0)
    results: Array[AlterUserScramCredentialsResult]


@struct
class AlterUserScramCredentialsResult:
    """One user."""

    user: String
    error_code: Int16
    error_message: String | None = on(default=None)
