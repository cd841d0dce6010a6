"""Errors of reading log directories, each with a stable code in brackets as in `spark.errors`."""

from collections.abc import Iterator
from contextlib import contextmanager

from barnabas.errors import ErrorCode, KafkaError, StorageError


class UnreadableLog(StorageError):
    """A file of a log cannot be read, or has invalid content."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"[BARNABAS_LOG] {problem}")


class NotInDirectory(KafkaError):
    """A topic or partition that the options name has no directory."""

    code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION

    def __init__(self, problem: str) -> None:
        super().__init__(f"[BARNABAS_NO_TOPIC] {problem}")


def damaged(path: str, position: int, problem: str) -> UnreadableLog:
    """The error for bytes that are not a batch; `problem` describes them."""
    return UnreadableLog(
        f"{path} is damaged: at byte {position} there should be a whole batch with a right CRC: "
        f"{problem}. To read the records before it set option 'endingOffsets', and those after it "
        "'startingOffsets'"
    )


@contextmanager
def reading_files() -> Iterator[None]:
    """Turn errors of files into errors with a code.

    Raises:
        UnreadableLog: in place of another StorageError, without its traceback: Spark shows every
            traceback.
    """
    try:
        yield
    except UnreadableLog:
        raise
    except StorageError as error:
        raise UnreadableLog(str(error)) from None
