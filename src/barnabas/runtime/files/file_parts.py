"""Read parts of files that this process may not be allowed to write."""

import os

from barnabas.errors import StorageError


def read_part(path: str, position: int, size: int) -> bytes:
    """Up to `size` bytes from `position`; fewer only at the end of the file.

    Raises:
        StorageError: it cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.pread(descriptor, size, position)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from error
