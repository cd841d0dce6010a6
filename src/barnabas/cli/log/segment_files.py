"""The segment files that a command-line path stands for, and their bytes, read-only."""

import contextlib
import mmap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from barnabas.errors import ConfigError
from barnabas.log.file_names import (
    INDEX,
    JAFKA_LOG,
    LOG,
    OLD_LOG,
    TIME_INDEX,
    lost_segments,
    parse_partition_directory,
    parse_segment_file,
)
from barnabas.log.segments.old_names import parse_old_name

KINDS = (LOG, INDEX, TIME_INDEX)
OLD_KINDS = (OLD_LOG, JAFKA_LOG)
"""Segments of Kafka 0.7 and Jafka, whose offsets are byte positions."""


class InspectedFile(NamedTuple):
    """One file of a segment; `base_offset` and `kind` (`.log`, `.index`, ...) come from its name."""

    path: Path
    base_offset: int
    kind: str

    def beside(self, kind: str) -> Path:
        """The file of another kind of the same segment; it may not exist."""
        return self.path.with_name(self.path.name.partition(".")[0] + kind)


def segment_files(paths: Sequence[str], kinds: Sequence[str]) -> list[InspectedFile]:
    """Return the files of these kinds below the paths: files, partitions, or directories of partitions.

    Raises:
        ConfigError: a path does not exist, or holds no such file.
    """
    found: list[InspectedFile] = []
    for each in paths:
        path = Path(each)
        before = len(found)
        if path.is_file():
            found += _of([path], (*KINDS, *kinds))
        elif path.is_dir():
            found += _of(sorted(path.iterdir()), kinds)
            for below in sorted(path.iterdir()):
                if below.is_dir() and parse_partition_directory(below.name):
                    found += _of(sorted(below.iterdir()), kinds)
        else:
            raise ConfigError(f"{each} does not exist")
        if len(found) == before:
            names = " or ".join(f"00000000000000000000{kind}" for kind in kinds)
            raise ConfigError(f"{each} holds no segment: expected a file such as {names}")
    return found


def indexes_alone(paths: Sequence[str]) -> Iterator[Path]:
    """The indexes below directories whose segment is lost; see `lost_segments`."""
    for each in filter(Path.is_dir, map(Path, paths)):
        below = [one for one in sorted(each.iterdir()) if parse_partition_directory(one.name)]
        for folder in (each, *filter(Path.is_dir, below)):
            yield from (
                folder / name for name in lost_segments(one.name for one in folder.iterdir())
            )


def _of(paths: Sequence[Path], kinds: Sequence[str]) -> Iterator[InspectedFile]:
    for path in paths:
        parsed = parse_segment_file(path.name)
        if parsed and parsed[1] in kinds:
            yield InspectedFile(path, *parsed)
            continue
        base = parse_old_name(path.name)
        if base is not None and path.suffix in kinds:
            yield InspectedFile(path, base, path.suffix)


@contextlib.contextmanager
def bytes_of(path: Path) -> Iterator[memoryview]:
    """Map a file's bytes without reading all of it at once; empty if there is no file.

    Raises:
        ConfigError: the file cannot be read.
    """
    try:
        size = path.stat().st_size if path.exists() else 0
        if not size:
            yield memoryview(b"")
            return
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            view = memoryview(data)
            try:
                yield view
            finally:
                view.release()
    except BrokenPipeError:
        raise  # The block prints to a pipe whose reader has seen enough.
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
