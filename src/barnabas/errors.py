"""The exceptions that callers catch. State machines return an `ErrorCode`; the public API raises these."""

from barnabas.error_codes import ErrorCode

__all__ = [
    "AbortableError",
    "ApiVersionsUnanswered",
    "BrokerError",
    "ConfigError",
    "ConnectionFailed",
    "ConnectionRefused",
    "ConnectionSetupTimeout",
    "CorruptRecord",
    "DamagedFile",
    "DecodeError",
    "DiskFull",
    "ErrorCode",
    "FatalError",
    "HostUnknown",
    "InvalidArgument",
    "KafkaError",
    "LocalProtocolError",
    "LockHeld",
    "LogDirFailed",
    "LogDirInUse",
    "LogTruncated",
    "OverLimit",
    "ProtocolError",
    "RegistryConflict",
    "RegistryUnavailable",
    "RemoteProtocolError",
    "RequestTimeout",
    "RetriableError",
    "SegmentsMissing",
    "StartCancelled",
    "StorageError",
    "WakeupError",
]


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
    """A connection could not be opened, or was lost.

    `tried`: where none of a client's brokers could be reached, each with the reason; else empty.
    """

    code = ErrorCode.NETWORK_EXCEPTION
    tried: str = ""


class ConnectionRefused(ConnectionFailed):
    """Nothing listens at the address, or the host name is unknown.

    Reported at once, without a retry.
    """


class HostUnknown(ConnectionRefused):
    """The host name does not resolve, or no resolver answered."""


class ConnectionSetupTimeout(ConnectionFailed):
    """An address did not answer for socket.connection.setup.timeout.ms."""


class ApiVersionsUnanswered(ConnectionFailed):
    """A broker closed the connection instead of answering ApiVersions, as Kafka before 0.10 does.

    Or what answered is no Kafka.
    """


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


class StartCancelled(StorageError):
    """A broker was stopped while its start waited, for example for ZooKeeper."""


class RegistryConflict(KafkaError):
    """A registry node already exists, or has an unexpected version."""


VersionsUntold = ApiVersionsUnanswered
"""The former name, until 0.2."""
