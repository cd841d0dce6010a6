"""Errors that the connector raises. Each message starts with a stable code in brackets.

Spark turns every exception of a Python data source into one of its own and keeps only the text, so
the code at the front is what a program (or a search) can hold on to.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from barnabas.errors import ConfigError, ConnectionFailed, ErrorCode, KafkaError


class OptionError(ConfigError):
    """An option is missing, unknown, contradicts another or has a value that it cannot have."""

    def __init__(self, option: str, problem: str) -> None:
        self.option = option
        super().__init__(f"[BARNABAS_OPTION] option '{option}': {problem}")


class SchemaError(ConfigError):
    """A schema asks for a column that there is not, or for one in a type that it cannot have."""

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
    """Starting and ending offsets do not fit the partitions or each other."""

    code = ErrorCode.INVALID_REQUEST

    def __init__(self, problem: str) -> None:
        super().__init__(f"[BARNABAS_OFFSETS] {problem}")


class DataLoss(KafkaError):
    """Records that should have been read are not there any more."""

    code = ErrorCode.OFFSET_OUT_OF_RANGE

    def __init__(self, what: str) -> None:
        super().__init__(
            f"[BARNABAS_DATA_LOSS] {what}. Retention removed the records or the topic was deleted "
            "before they were read. To go on with what is left set option 'failOnDataLoss' to "
            "'false'"
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
    """Around what Spark calls: an error of ours goes up as its sentence, without a traceback.

    Only within a process of Spark's, which formats the error and ends. An error of another kind is
    a mistake of ours and keeps its traceback.
    """
    try:
        yield
    except (ConfigError, KafkaError):
        if "SPARK_PYTHON_RUNTIME" in os.environ:
            os.environ["SPARK_HIDE_TRACEBACK"] = "1"
        raise


@contextmanager
def reaching() -> Iterator[None]:
    """Give a connection that fails in here its code.

    Raises:
        Unreachable: in its place, without its traceback: Spark shows each one that there is.
    """
    try:
        yield
    except Unreachable:
        raise
    except ConnectionFailed as error:
        raise Unreachable(str(error)) from None


@contextmanager
def writing() -> Iterator[None]:
    """Give what fails in here its code, that of a connection or that of rows.

    Raises:
        Unreachable, WriteRefused: in its place, without its traceback.
    """
    try:
        with reaching():
            yield
    except (Unreachable, WriteRefused):
        raise
    except KafkaError as error:
        raise WriteRefused(str(error)) from None
