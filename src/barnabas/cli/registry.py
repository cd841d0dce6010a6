"""`barnabas registry`: inspect and repair the journal of a broker's topics."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from barnabas.cli.arguments.usage import HintingGroup
from barnabas.cli.output.output import counted, json_option, objects, show_json, show_rows
from barnabas.errors import LockHeld, LogDirInUse, StorageError
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.registries.copies import read_copies
from barnabas.runtime.registries.embedded import EmbeddedRegistry
from barnabas.runtime.registries.journal import Journal

_FILE = "barnabas.registry"
_COLUMNS = ("file", "bytes", "changes", "state")
_directories = click.argument(
    "directories",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, file_okay=False),
    metavar="DIRECTORY...",
)


@click.group(cls=HintingGroup)
def registry() -> None:
    """Inspect and repair the file with a broker's topics, properties and quotas.

    DIRECTORY is a data directory. If the broker has several (log.dirs), name all of them: each has
    a copy. A broker without ZooKeeper keeps its registry there.
    """


@registry.command()
@_directories
@json_option
def check(directories: tuple[str, ...], *, as_json: bool) -> None:
    """Print each copy of the registry, and whether it is intact. Changes nothing."""
    with _disk() as disk:
        found = _found(disk, directories)
    rows = [(path, len(one.data), len(one.frames), _state(one)) for path, one in found.items()]
    if as_json:
        show_json(objects(_COLUMNS, rows))
    else:
        show_rows(_COLUMNS, rows, title="Copies of the registry", as_json=False)
    if any(one.holes for one in found.values()):
        raise click.exceptions.Exit(1)


@registry.command()
@_directories
@json_option
def repair(directories: tuple[str, ...], *, as_json: bool) -> None:
    """Rebuild a damaged registry from all readable parts of its copies.

    Stop the broker first. Each changed file is kept as NAME.old.1 beside it. If the unreadable part
    contained topics, the next start finds them by their logs; none of their records expire until
    you set their properties.
    """
    paths = [f"{Path(one).absolute()}/{_FILE}" for one in directories]
    with _disk() as disk, contextlib.ExitStack() as held:
        for directory in directories:
            _lock(disk, directory, held)
        before = _found(disk, directories)
        damaged = sum(bool(one.holes) for one in before.values())
        EmbeddedRegistry(disk, *paths, repair=True).close()
        after = _found(disk, directories)
    whole = max(after.values(), key=lambda one: one.generation)
    if as_json:
        copies = [{"file": path, "state": _state(one)} for path, one in before.items()]
        show_json({"changes": len(whole.frames), "copies_before": copies})
        return
    for path, one in before.items():
        print(f"{path}: {_state(one)}")
    lost = "" if damaged else ", which it was"
    print(f"the registry is whole{lost}: {counted(len(whole.frames), 'change')}")


@contextlib.contextmanager
def _disk() -> Iterator[RealDisk]:
    disk = RealDisk()
    try:
        yield disk
    finally:
        disk.close()


def _lock(disk: RealDisk, directory: str, held: contextlib.ExitStack) -> None:
    try:
        held.enter_context(disk.lock(f"{directory}/.lock"))
    except LockHeld as error:
        raise LogDirInUse(f"a broker is running on {directory}: stop it first") from error


def _found(disk: RealDisk, directories: Sequence[str]) -> dict[str, Journal]:
    found = read_copies(disk, [f"{Path(one).absolute()}/{_FILE}" for one in directories])
    if not found:
        raise StorageError(f"there is no {_FILE} in {' or '.join(directories)}")
    return found


def _state(found: Journal) -> str:
    if not found.holes:
        return "whole"
    if not found.data:
        return "damaged: it is empty"
    places = ", ".join(f"{first} to {behind - 1}" for first, behind in found.holes)
    return f"damaged: bytes {places} hold no whole change"
