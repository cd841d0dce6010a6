"""DescribeUserScramCredentials (key 50): which users have SCRAM passwords (KIP-554)."""

from __future__ import annotations

from barnabas.wire.schema import Array, Int8, Int16, Int32, String, message, on, struct


@message(key=50, versions="0", flexible="0+")
class DescribeUserScramCredentialsRequest:
    """These users, or all (None, or none of them)."""

    users: Array[UserName] | None


@struct
class UserName:
    """One user."""

    name: String


@message(key=50, versions="0", flexible="0+")
class DescribeUserScramCredentialsResponse:
    """The users."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
    results: Array[DescribeUserScramCredentialsResult]


@struct
class DescribeUserScramCredentialsResult:
    """One user."""

    user: String
    error_code: Int16
    error_message: String | None = on(default=None)
    credential_infos: Array[CredentialInfo]


@struct
class CredentialInfo:
    """A mechanism (1 SCRAM-SHA-256, 2 SCRAM-SHA-512) and its iterations."""

    mechanism: Int8
    iterations: Int32
