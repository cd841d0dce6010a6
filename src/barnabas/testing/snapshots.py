"""Snapshots: copies of a data directory, for brokers of tests to start from."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from barnabas.errors import InvalidArgument
from barnabas.log.directories.meta_properties import META_PROPERTIES

_OF_A_RUNNING_BROKER = shutil.ignore_patterns(".lock")
_ADDRESSES = ("listeners", "advertised.listeners", "port", "host.name")


def take(source: Path, target: Path) -> None:
    """Copy a data directory while its broker handles nothing.

    Raises:
        InvalidArgument: the target exists and has something in it, or is inside the data directory.
    """
    check_new(target, "snapshot")
    if target.resolve().is_relative_to(source.resolve()):
        raise InvalidArgument(
            f"snapshot {target} is inside the data directory: choose another place"
        )
    shutil.copytree(source, target, ignore=_OF_A_RUNNING_BROKER, dirs_exist_ok=True)


def without_addresses(config: Mapping[str, object]) -> dict[str, object]:
    """The properties of a broker, except those that fix its addresses: a second broker takes others."""
    return {name: value for name, value in config.items() if name not in _ADDRESSES}


def restore(snapshot: Path, data_dir: Path) -> None:
    """Copy a snapshot to a new data directory.

    Raises:
        InvalidArgument: it is no data directory, or there is something in the other one.
    """
    if not (snapshot / META_PROPERTIES).is_file():
        raise InvalidArgument(
            f"from_snapshot={snapshot}: expected a directory that snapshot() wrote, or the data "
            f"directory of a stopped broker, with {META_PROPERTIES} in it"
        )
    check_new(data_dir, "data directory")
    shutil.copytree(snapshot, data_dir, dirs_exist_ok=True)


def check_new(path: Path, what: str) -> None:
    """Check that a directory is empty or does not exist.

    Raises:
        InvalidArgument: it is not.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise InvalidArgument(f"{what} {path} is not empty: choose a new directory")
