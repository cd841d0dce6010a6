"""Errors of the file system as `StorageError`, with what to do where that is known."""

import contextlib
import errno
from collections.abc import Iterator
from typing import Final

from barnabas.errors import DiskFull, StorageError
from barnabas.runtime.descriptors import advice

_NO_ROOM: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def error_text(error: OSError) -> str:
    """The system's text for an error, with advice where there is some."""
    if error.errno == errno.EMFILE:
        return f"{error.strerror}: {advice()}"
    return error.strerror or str(error)


def storage_error(action: str, path: str, error: OSError) -> StorageError:
    """Convert a system error to one of ours, whose type tells whether a retry can help."""
    kind = DiskFull if error.errno in _NO_ROOM else StorageError
    return kind(f"cannot {action} {path}: {error_text(error)}")


@contextlib.contextmanager
def storage_errors(action: str, path: str) -> Iterator[None]:
    """Raise errors of the system as `storage_error` has them."""
    try:
        yield
    except OSError as error:
        raise storage_error(action, path, error) from error
