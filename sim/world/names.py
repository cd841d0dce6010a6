"""Names: the directory tree of a simulated disk. Changes reach stable storage in their order.

As with a journalling file system: a power cut leaves a beginning of the changes that no sync has
brought to stable storage. Of what files hold this knows nothing.
"""

from typing import NamedTuple

from sim.world.inode import Inode


class Change(NamedTuple):
    """One change of names: `put` makes a file or (None) a directory, `source` is renamed."""

    path: str
    put: Inode | None = None
    source: str | None = None
    is_removal: bool = False


class Names:
    """Paths with their files; None stands for a directory."""

    def __init__(self) -> None:
        self.live: dict[str, Inode | None] = {}
        self._stable: dict[str, Inode | None] = {}
        self._pending: list[Change] = []

    def change(self, change: Change) -> None:
        """Make it; a power cut may undo it until `sync`."""
        _apply(self.live, change)
        self._pending.append(change)

    def sync(self, directory: str) -> None:
        """All changes up to the last one in this directory stay."""
        touching = [
            number
            for number, change in enumerate(self._pending, start=1)
            if directory in {parent(change.path), parent(change.source or change.path)}
        ]
        self._stay(touching[-1] if touching else 0)

    @property
    def pending(self) -> int:
        """The number of changes that a power cut may undo."""
        return len(self._pending)

    def power_cut(self, staying: int) -> list[Inode]:
        """Only so many of the pending changes stay; gives the files there are."""
        self._stay(staying)
        self._pending.clear()
        self.live = dict(self._stable)
        return [self.live[path] for path in sorted(self.live) if self.live[path]]  # type: ignore[misc]

    def below(self, directory: str) -> list[str]:
        """All paths in a directory and below it, sorted."""
        return sorted(path for path in self.live if path.startswith(f"{directory}/"))

    def _stay(self, count: int) -> None:
        for change in self._pending[:count]:
            _apply(self._stable, change)
        del self._pending[:count]


def parent(path: str) -> str:
    """The directory of a path."""
    return path.rpartition("/")[0]


def _apply(names: dict[str, Inode | None], change: Change) -> None:
    if change.is_removal:
        names.pop(change.path, None)
    elif change.source is None:
        names[change.path] = change.put
    else:
        source = change.source
        moved = [path for path in names if path == source or path.startswith(f"{source}/")]
        for path in moved:
            names[change.path + path[len(source) :]] = names.pop(path)
