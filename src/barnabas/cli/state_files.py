"""The small files that paths on the command line mean, and what is in them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from barnabas.errors import ConfigError
from barnabas.log.file_names import parse_partition_directory
from barnabas.log.inspecting_state import StateRows, examine_state, is_state


def state_files(paths: Sequence[str]) -> Iterator[Path]:
    """The small files below some paths: files, partitions, or directories of partitions."""
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


def examine_file(path: Path) -> StateRows:
    """What one of them holds.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        return examine_state(path.name, path.read_bytes())
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
