"""Kafka's error codes as a table, and the exceptions that callers catch.

State machines return codes; the public API raises exceptions. Source of the rows: Kafka's `Errors`
enum in all releases (name, code, retriable, whether it invalidates the client's metadata, first
release).
"""

from enum import IntEnum
from typing import Self


class ErrorCode(IntEnum):
    """A code of the Kafka protocol; `NONE` (0) is success."""

    retriable: bool
    stale_metadata: bool
    since: str

    def __new__(
        cls, code: int, retriable: int = 0, stale_metadata: int = 0, since: str = "0.8.0"
    ) -> Self:
        """Build one row: the code, whether it is retriable, whether it makes metadata stale, first release."""
        row = int.__new__(cls, code)
        row._value_ = code
        row.retriable = bool(retriable)
        row.stale_metadata = bool(stale_metadata)
        row.since = since
        return row

    UNKNOWN_SERVER_ERROR = -1, 0, 0, "0.7"
    NONE = 0, 0, 0, "0.8.1"
    OFFSET_OUT_OF_RANGE = 1, 0, 0, "0.7"
    CORRUPT_MESSAGE = 2, 1, 0, "0.7"
    UNKNOWN_TOPIC_OR_PARTITION = 3, 1, 1, "0.7"
    INVALID_FETCH_SIZE = 4, 0, 0, "0.7"
    LEADER_NOT_AVAILABLE = 5, 1, 1, "0.8.0"
    NOT_LEADER_OR_FOLLOWER = 6, 1, 1, "0.8.0"
    REQUEST_TIMED_OUT = 7, 1, 0, "0.8.0"
    BROKER_NOT_AVAILABLE = 8, 0, 0, "0.8.0"
    REPLICA_NOT_AVAILABLE = 9, 1, 1, "0.8.0"
    MESSAGE_TOO_LARGE = 10, 0, 0, "0.8.0"
    STALE_CONTROLLER_EPOCH = 11, 0, 0, "0.8.0"
    OFFSET_METADATA_TOO_LARGE = 12, 0, 0, "0.8.1"
    NETWORK_EXCEPTION = 13, 1, 1, "0.8.1"
    COORDINATOR_LOAD_IN_PROGRESS = 14, 1, 0, "0.8.2"
    COORDINATOR_NOT_AVAILABLE = 15, 1, 0, "0.8.2"
    NOT_COORDINATOR = 16, 1, 0, "0.8.2"
    INVALID_TOPIC_EXCEPTION = 17, 0, 0, "0.8.2"
    RECORD_LIST_TOO_LARGE = 18, 0, 0, "0.8.2"
    NOT_ENOUGH_REPLICAS = 19, 1, 0, "0.8.2"
    NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20, 1, 0, "0.8.2"
    INVALID_REQUIRED_ACKS = 21, 0, 0, "0.9.0"
    ILLEGAL_GENERATION = 22, 0, 0, "0.9.0"
    INCONSISTENT_GROUP_PROTOCOL = 23, 0, 0, "0.9.0"
    INVALID_GROUP_ID = 24, 0, 0, "0.9.0"
    UNKNOWN_MEMBER_ID = 25, 0, 0, "0.9.0"
    INVALID_SESSION_TIMEOUT = 26, 0, 0, "0.9.0"
    REBALANCE_IN_PROGRESS = 27, 0, 0, "0.9.0"
    INVALID_COMMIT_OFFSET_SIZE = 28, 0, 0, "0.9.0"
    TOPIC_AUTHORIZATION_FAILED = 29, 0, 0, "0.9.0"
    GROUP_AUTHORIZATION_FAILED = 30, 0, 0, "0.9.0"
    CLUSTER_AUTHORIZATION_FAILED = 31, 0, 0, "0.9.0"
    INVALID_TIMESTAMP = 32, 0, 0, "0.10.0"
    UNSUPPORTED_SASL_MECHANISM = 33, 0, 0, "0.10.0"
    ILLEGAL_SASL_STATE = 34, 0, 0, "0.10.0"
    UNSUPPORTED_VERSION = 35, 0, 0, "0.10.0"
    TOPIC_ALREADY_EXISTS = 36, 0, 0, "0.10.1"
    INVALID_PARTITIONS = 37, 0, 0, "0.10.1"
    INVALID_REPLICATION_FACTOR = 38, 0, 0, "0.10.1"
    INVALID_REPLICA_ASSIGNMENT = 39, 0, 0, "0.10.1"
    INVALID_CONFIG = 40, 0, 0, "0.10.1"
    NOT_CONTROLLER = 41, 1, 0, "0.10.1"
    INVALID_REQUEST = 42, 0, 0, "0.10.1"
    UNSUPPORTED_FOR_MESSAGE_FORMAT = 43, 0, 0, "0.10.1"
    POLICY_VIOLATION = 44, 0, 0, "0.10.2"
    OUT_OF_ORDER_SEQUENCE_NUMBER = 45, 0, 0, "0.11.0"
    DUPLICATE_SEQUENCE_NUMBER = 46, 0, 0, "0.11.0"
    INVALID_PRODUCER_EPOCH = 47, 0, 0, "0.11.0"
    INVALID_TXN_STATE = 48, 0, 0, "0.11.0"
    INVALID_PRODUCER_ID_MAPPING = 49, 0, 0, "0.11.0"
    INVALID_TRANSACTION_TIMEOUT = 50, 0, 0, "0.11.0"
    CONCURRENT_TRANSACTIONS = 51, 1, 0, "0.11.0"
    TRANSACTION_COORDINATOR_FENCED = 52, 0, 0, "0.11.0"
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED = 53, 0, 0, "0.11.0"
    SECURITY_DISABLED = 54, 0, 0, "0.11.0"
    OPERATION_NOT_ATTEMPTED = 55, 0, 0, "0.11.0"
    KAFKA_STORAGE_ERROR = 56, 1, 1, "1.0"
    LOG_DIR_NOT_FOUND = 57, 0, 0, "1.0"
    SASL_AUTHENTICATION_FAILED = 58, 0, 0, "1.0"
    UNKNOWN_PRODUCER_ID = 59, 0, 0, "1.0"
    REASSIGNMENT_IN_PROGRESS = 60, 0, 0, "1.0"
    DELEGATION_TOKEN_AUTH_DISABLED = 61, 0, 0, "1.1"
    DELEGATION_TOKEN_NOT_FOUND = 62, 0, 0, "1.1"
    DELEGATION_TOKEN_OWNER_MISMATCH = 63, 0, 0, "1.1"
    DELEGATION_TOKEN_REQUEST_NOT_ALLOWED = 64, 0, 0, "1.1"
    DELEGATION_TOKEN_AUTHORIZATION_FAILED = 65, 0, 0, "1.1"
    DELEGATION_TOKEN_EXPIRED = 66, 0, 0, "1.1"
    INVALID_PRINCIPAL_TYPE = 67, 0, 0, "1.1"
    NON_EMPTY_GROUP = 68, 0, 0, "1.1"
    GROUP_ID_NOT_FOUND = 69, 0, 0, "1.1"
    FETCH_SESSION_ID_NOT_FOUND = 70, 1, 0, "1.1"
    INVALID_FETCH_SESSION_EPOCH = 71, 1, 0, "1.1"
    LISTENER_NOT_FOUND = 72, 1, 1, "2.0"
    TOPIC_DELETION_DISABLED = 73, 0, 0, "2.1"
    FENCED_LEADER_EPOCH = 74, 1, 1, "2.1"
    UNKNOWN_LEADER_EPOCH = 75, 1, 0, "2.1"
    UNSUPPORTED_COMPRESSION_TYPE = 76, 0, 0, "2.1"
    STALE_BROKER_EPOCH = 77, 0, 0, "2.2"
    OFFSET_NOT_AVAILABLE = 78, 1, 0, "2.2"
    MEMBER_ID_REQUIRED = 79, 0, 0, "2.2"
    PREFERRED_LEADER_NOT_AVAILABLE = 80, 1, 1, "2.2"
    GROUP_MAX_SIZE_REACHED = 81, 0, 0, "2.2"
    FENCED_INSTANCE_ID = 82, 0, 0, "2.3"
    ELIGIBLE_LEADERS_NOT_AVAILABLE = 83, 1, 1, "2.4"
    ELECTION_NOT_NEEDED = 84, 1, 1, "2.4"
    NO_REASSIGNMENT_IN_PROGRESS = 85, 0, 0, "2.4"
    GROUP_SUBSCRIBED_TO_TOPIC = 86, 0, 0, "2.4"
    INVALID_RECORD = 87, 0, 0, "2.4"
    UNSTABLE_OFFSET_COMMIT = 88, 1, 0, "2.5"
    THROTTLING_QUOTA_EXCEEDED = 89, 1, 0, "2.7"
    PRODUCER_FENCED = 90, 0, 0, "2.7"
    RESOURCE_NOT_FOUND = 91, 0, 0, "2.7"
    DUPLICATE_RESOURCE = 92, 0, 0, "2.7"
    UNACCEPTABLE_CREDENTIAL = 93, 0, 0, "2.7"
    INCONSISTENT_VOTER_SET = 94, 0, 0, "2.7"
    INVALID_UPDATE_VERSION = 95, 0, 0, "2.7"
    FEATURE_UPDATE_FAILED = 96, 0, 0, "2.7"
    PRINCIPAL_DESERIALIZATION_FAILURE = 97, 0, 0, "2.8"
    SNAPSHOT_NOT_FOUND = 98, 0, 0, "2.8"
    POSITION_OUT_OF_RANGE = 99, 0, 0, "2.8"
    UNKNOWN_TOPIC_ID = 100, 1, 1, "2.8"
    DUPLICATE_BROKER_REGISTRATION = 101, 0, 0, "2.8"
    BROKER_ID_NOT_REGISTERED = 102, 0, 0, "2.8"
    INCONSISTENT_TOPIC_ID = 103, 1, 1, "2.8"
    INCONSISTENT_CLUSTER_ID = 104, 0, 0, "2.8"
    TRANSACTIONAL_ID_NOT_FOUND = 105, 0, 0, "3.0"
    FETCH_SESSION_TOPIC_ID_ERROR = 106, 1, 0, "3.1"
    INELIGIBLE_REPLICA = 107, 0, 0, "3.3"
    NEW_LEADER_ELECTED = 108, 0, 0, "3.3"
    OFFSET_MOVED_TO_TIERED_STORAGE = 109, 0, 0, "3.5"
    FENCED_MEMBER_EPOCH = 110, 0, 0, "3.5"
    UNRELEASED_INSTANCE_ID = 111, 0, 0, "3.5"
    UNSUPPORTED_ASSIGNOR = 112, 0, 0, "3.5"
    STALE_MEMBER_EPOCH = 113, 0, 0, "3.6"
    MISMATCHED_ENDPOINT_TYPE = 114, 0, 0, "3.7"
    UNSUPPORTED_ENDPOINT_TYPE = 115, 0, 0, "3.7"
    UNKNOWN_CONTROLLER_ID = 116, 0, 0, "3.7"
    UNKNOWN_SUBSCRIPTION_ID = 117, 0, 0, "3.7"
    TELEMETRY_TOO_LARGE = 118, 0, 0, "3.7"
    INVALID_REGISTRATION = 119, 0, 0, "3.7"
    TRANSACTION_ABORTABLE = 120, 0, 0, "3.8"
    INVALID_RECORD_STATE = 121, 0, 0, "3.9"
    SHARE_SESSION_NOT_FOUND = 122, 1, 0, "3.9"
    INVALID_SHARE_SESSION_EPOCH = 123, 1, 0, "3.9"
    FENCED_STATE_EPOCH = 124, 0, 0, "3.9"
    INVALID_VOTER_KEY = 125, 0, 0, "3.9"
    DUPLICATE_VOTER = 126, 0, 0, "3.9"
    VOTER_NOT_FOUND = 127, 0, 0, "3.9"
    INVALID_REGULAR_EXPRESSION = 128, 0, 0, "4.0"
    REBOOTSTRAP_REQUIRED = 129, 0, 0, "4.0"
    STREAMS_INVALID_TOPOLOGY = 130, 0, 0, "4.1"
    STREAMS_INVALID_TOPOLOGY_EPOCH = 131, 0, 0, "4.1"
    STREAMS_TOPOLOGY_FENCED = 132, 0, 0, "4.1"
    SHARE_SESSION_LIMIT_REACHED = 133, 1, 0, "4.1"
    GROUP_DELETION_FAILED = 134, 0, 0, "4.4-dev"
    STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED = 135, 0, 0, "4.4-dev"
    CONTROLLER_ID_NOT_REGISTERED = 136, 0, 0, "4.4-dev"

    @property
    def text(self) -> str:
        """The name in lower case, with spaces."""
        return self.name.lower().replace("_", " ")

    @classmethod
    def of(cls, code: int) -> "ErrorCode":
        """Return the row of `code`, or UNKNOWN_SERVER_ERROR for a code that no release defines."""
        try:
            return cls(code)
        except ValueError:
            return cls.UNKNOWN_SERVER_ERROR


OTHER_NAMES: dict[str, ErrorCode] = {
    "UNKNOWN": ErrorCode.UNKNOWN_SERVER_ERROR,
    "INVALID_MESSAGE": ErrorCode.CORRUPT_MESSAGE,
    "WRONG_PARTITION": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    "NOT_LEADER_FOR_PARTITION": ErrorCode.NOT_LEADER_OR_FOLLOWER,
    "MESSAGE_SIZE_TOO_LARGE": ErrorCode.MESSAGE_TOO_LARGE,
    "OFFSETS_LOAD_IN_PROGRESS": ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    "GROUP_LOAD_IN_PROGRESS": ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    "CONSUMER_COORDINATOR_NOT_AVAILABLE": ErrorCode.COORDINATOR_NOT_AVAILABLE,
    "GROUP_COORDINATOR_NOT_AVAILABLE": ErrorCode.COORDINATOR_NOT_AVAILABLE,
    "NOT_COORDINATOR_FOR_CONSUMER": ErrorCode.NOT_COORDINATOR,
    "NOT_COORDINATOR_FOR_GROUP": ErrorCode.NOT_COORDINATOR,
}
"""Names that older releases and the seeds use for the same codes."""


class KafkaError(Exception):
    """Base class of all errors that this package raises.

    `code` is the protocol's error code, received from a broker or to be sent to a client.
    `may_be_stored` is true on a producer's error if its records may be in the log nevertheless.
    """

    code: ErrorCode = ErrorCode.UNKNOWN_SERVER_ERROR
    may_be_stored: bool = False

    @property
    def retriable(self) -> bool:
        """Whether the same call may succeed later, unchanged."""
        return self.code.retriable

    @property
    def why(self) -> str:
        """The message without the name of the code."""
        return str(self)


class BrokerError(KafkaError):
    """A broker returned an error code."""

    def __init__(self, code: int, detail: str = "") -> None:
        self.code = ErrorCode.of(code)
        known = self.code.name if self.code == code else f"unknown error code {code}"
        self._why = detail
        super().__init__(f"{known}: {detail}" if detail else f"{known} ({int(code)})")

    @property
    def why(self) -> str:
        """The broker's own message, if it sent one."""
        return self._why


class LogTruncated(BrokerError):
    """The leader's log was truncated below the consumer's position (KIP-320): records it read are gone.

    `where` is (topic, partition). `position` is the consumer's position. `diverges_at` is the first
    offset whose record was replaced or removed.
    """

    def __init__(self, where: tuple[str, int], position: int, diverges_at: int) -> None:
        self.where = where
        self.position = position
        self.diverges_at = diverges_at
        detail = (
            f"{where[0]}-{where[1]} was truncated to offset {diverges_at}, below your position "
            f"{position}: seek to continue"
        )
        super().__init__(ErrorCode.OFFSET_OUT_OF_RANGE, detail)


class RetriableError(KafkaError):
    """The producer may retry the same records."""


class FatalError(KafkaError):
    """The producer cannot continue; create a new one. `code` is the broker's, if it sent one."""

    retriable = False

    def __init__(self, detail: str, code: ErrorCode = ErrorCode.UNKNOWN_SERVER_ERROR) -> None:
        self.code = code
        super().__init__(detail)


class AbortableError(KafkaError):
    """Abort the transaction; the producer can continue afterwards. `code` is the cause."""

    retriable = False

    def __init__(self, detail: str, code: ErrorCode = ErrorCode.TRANSACTION_ABORTABLE) -> None:
        self.code = code
        super().__init__(detail)


class RequestTimeout(KafkaError):
    """No response arrived in time. The request may have taken effect."""

    code = ErrorCode.REQUEST_TIMED_OUT


class ConnectionFailed(KafkaError):
    """A connection could not be opened, or was lost."""

    code = ErrorCode.NETWORK_EXCEPTION


class ConnectionRefused(ConnectionFailed):
    """Nothing listens at the address, or the host name is unknown.

    Reported at once, without a retry.
    """


class HostUnknown(ConnectionRefused):
    """The host name does not resolve, or no resolver answered."""


class ApiVersionsUnanswered(ConnectionFailed):
    """A broker closed the connection instead of answering ApiVersions, as Kafka before 0.10 does."""


class WakeupError(KafkaError):
    """Another thread or task called `wakeup` during a blocking call. Nothing is wrong."""


class ConfigError(KafkaError):
    """A property has an invalid value.

    The message names the property, the value and the valid range.
    """

    code = ErrorCode.INVALID_CONFIG


class ProtocolError(KafkaError):
    """A violation of the protocol. Only its two subclasses are raised."""


class LocalProtocolError(ProtocolError):
    """The caller asked for a message that the protocol does not allow."""

    code = ErrorCode.INVALID_REQUEST


class InvalidArgument(LocalProtocolError, ValueError):
    """An argument has an invalid value. Nothing was sent."""


class RemoteProtocolError(ProtocolError):
    """The peer sent a message that the protocol does not allow."""

    code = ErrorCode.INVALID_REQUEST


class DecodeError(RemoteProtocolError):
    """Received bytes do not decode.

    `where` names the field ("topics[2].partitions[0].records"). `offset` is the position in the
    decoded buffer, in bytes. `expected` describes what should be there.
    """

    def __init__(self, where: str, offset: int, expected: str) -> None:
        self.where = where
        self.offset = offset
        self.expected = expected
        super().__init__(f"{where} at byte {offset}: {expected}")


class OverLimit(DecodeError):
    """A message needs more memory than its reader allows.

    `where` names the field, without the indexes of elements. The message declares `count` elements
    of `cost` bytes each (or `count` bytes, if `cost` is 1), but only `left` bytes remain.
    """

    def __init__(self, where: str, offset: int, count: int, cost: int, left: int) -> None:
        what = "elements in" if cost > 1 else "bytes of memory for"
        super().__init__(
            where, offset, f"at most {left // cost} more {what} this message, not {count}"
        )


class StorageError(KafkaError):
    """The disk failed or returned wrong data."""

    code = ErrorCode.KAFKA_STORAGE_ERROR


class DiskFull(StorageError):
    """The disk is full. Stored records can still be read."""


class LockHeld(StorageError):
    """Another process holds the lock on a file."""


class CorruptRecord(StorageError):
    """A record set contradicts its own header: wrong CRC, length, magic or count."""

    code = ErrorCode.CORRUPT_MESSAGE


class DamagedFile(StorageError):
    """A log file has wrong contents. The message says what was expected, and at which byte."""

    def __init__(self, path: str, position: int, expected: str) -> None:
        super().__init__(f"{path} is damaged: at byte {position} there should be {expected}")


class SegmentsMissing(StorageError):
    """Segments are missing from the middle or the start of a log, and nothing deleted them."""


class LogDirFailed(StorageError):
    """A log directory is unusable."""

    code = ErrorCode.KAFKA_STORAGE_ERROR


class LogDirInUse(LogDirFailed):
    """Another broker uses the log directory."""


class RegistryUnavailable(StorageError):
    """The registry does not respond now; you may retry.

    A pending change may or may not have taken effect.
    """


class RegistryConflict(KafkaError):
    """A registry node already exists, or has an unexpected version."""


VersionsUntold = ApiVersionsUnanswered
"""The former name, until 0.2."""
