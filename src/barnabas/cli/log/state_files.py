"""The small files that command-line paths stand for, and their contents."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from barnabas.errors import ConfigError
from barnabas.log.file_names import (
    LEADER_EPOCHS,
    PARTITION_METADATA,
    parse_partition_directory,
)
from barnabas.log.inspection.state_files import StateRows, examine_epochs, examine_state, is_state


def state_files(paths: Sequence[str]) -> Iterator[Path]:
    """Return the small files below the paths: files, partitions, or directories of partitions."""
    for each in paths:
        path = Path(each)
        if path.is_dir():
            below = sorted(path.iterdir())
            yield from filter(_is_there, below)
            for folder in below:
                if folder.is_dir() and parse_partition_directory(folder.name):
                    yield from filter(_is_there, sorted(folder.iterdir()))
        elif _is_there(path):
            yield path


def _is_there(path: Path) -> bool:
    return is_state(path.name) and path.is_file()


def examine_file(path: Path, newest_epoch: int = -1) -> StateRows:
    """Read one of them. `newest_epoch` is that of the batches beside it; -1 if unknown.

    Raises:
        ConfigError: the file cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    if path.name == LEADER_EPOCHS:
        # Kafka has written this file since 2.8, and kept to the newest message format since 3.0.
        is_modern = path.with_name(PARTITION_METADATA).exists()
        return examine_epochs(data, newest_epoch, had_older_format=not is_modern)
    return examine_state(path.name, data)
