"""Errors that the connector raises. Each message starts with a stable code in brackets.

Spark turns every exception of a Python data source into one of its own and keeps only the text. Programs, and
searches, can rely on the code at the front.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from barnabas.errors import ConfigError, ConnectionFailed, ErrorCode, KafkaError


class OptionError(ConfigError):
    """An option is missing, unknown or invalid, or contradicts another one."""

    def __init__(self, option: str, problem: str) -> None:
        self.option = option
        super().__init__(f"[BARNABAS_OPTION] option '{option}': {problem}")


class SchemaError(ConfigError):
    """A schema contains an unknown column, or a column with a wrong type."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"[BARNABAS_SCHEMA] {problem}")


class TopicMissing(KafkaError):
    """A topic or partition that the options name does not exist."""

    code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(
            f"[BARNABAS_NO_TOPIC] {what} not on the cluster: {hint + ' ' if hint else ''}create it "
            "first, or correct the option 'subscribe', 'subscribePattern' or 'assign'"
        )


class OffsetsError(KafkaError):
    """Starting and ending offsets do not match the partitions or each other."""

    code = ErrorCode.INVALID_REQUEST

    def __init__(self, problem: str) -> None:
        super().__init__(f"[BARNABAS_OFFSETS] {problem}")


class DataLoss(KafkaError):
    """Records that should have been read no longer exist."""

    code = ErrorCode.OFFSET_OUT_OF_RANGE

    def __init__(self, what: str) -> None:
        super().__init__(
            f"[BARNABAS_DATA_LOSS] {what}. Retention removed the records or the topic was deleted "
            "before they were read. To go on with what is left set option 'failOnDataLoss' to "
            "'false'"
        )


class DamagedRecords(KafkaError):
    """A batch of records from a broker contradicts its own header."""

    code = ErrorCode.CORRUPT_MESSAGE

    def __init__(self, what: str) -> None:
        super().__init__(
            f"[BARNABAS_CORRUPT] {what}. Its broker has it damaged: mend the log or a replica of it; a batch "
            "query reads what is before it with option 'endingOffsets', and what is behind it with "
            "'startingOffsets'"
        )


class BadValue(KafkaError):
    """A record's value is not in the format that the options name."""

    code = ErrorCode.INVALID_RECORD

    def __init__(self, what: str) -> None:
        super().__init__(
            f"[BARNABAS_VALUE] {what}. To read such values as null set option 'badRecords' to 'null'; "
            "to put such records aside set it to 'topic'"
        )


class WriteRefused(KafkaError):
    """Rows that cannot be written as records."""

    code = ErrorCode.INVALID_RECORD

    def __init__(self, problem: str) -> None:
        super().__init__(f"[BARNABAS_WRITE] {problem}")


class Unreachable(ConnectionFailed):
    """No broker could be reached."""

    def __init__(self, what: str) -> None:
        super().__init__(f"[BARNABAS_UNREACHABLE] {what}")


@contextmanager
def briefly() -> Iterator[None]:
    """Wrap functions that Spark calls: an error of this package is shown as one sentence, without a traceback.

    Use it only in a process of Spark, which formats the error and ends. Any other error is a fault in this
    package and keeps its traceback.
    """
    try:
        yield
    except (ConfigError, KafkaError):
        if "SPARK_PYTHON_RUNTIME" in os.environ:
            os.environ["SPARK_HIDE_TRACEBACK"] = "1"
        raise


@contextmanager
def reaching() -> Iterator[None]:
    """Turn a connection error into one with a code.

    Raises:
        Unreachable: in place of the error, without its traceback: Spark shows every traceback.
    """
    try:
        yield
    except Unreachable:
        raise
    except ConnectionFailed as error:
        raise Unreachable(str(error)) from None


@contextmanager
def writing() -> Iterator[None]:
    """Turn errors into errors with a code: that of the connection, or that of the rows.

    Raises:
        Unreachable, WriteRefused: in place of the error, without its traceback.
    """
    try:
        with reaching():
            yield
    except (Unreachable, WriteRefused):
        raise
    except KafkaError as error:
        raise WriteRefused(str(error)) from None
