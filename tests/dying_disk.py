"""A real disk that simulates a crash at one change of a file: later changes have no effect."""

from collections.abc import Callable, Sequence

from barnabas.ports import File, Sync
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.files.open_files import RealFile
from barnabas.types import Buffer


class Died(BaseException):
    """The process is gone; nothing may catch this."""


class DyingNames(RealDisk):
    """Counts changes of names. Fails at one of them, and at all later ones."""

    left = 1 << 30
    """So many more are made."""

    @property
    def is_dead(self) -> bool:
        return self.left < 0

    def _step(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Died

    def replace_file(self, path: str, data: Buffer) -> None:
        self._step()
        super().replace_file(path, data)

    def rename(self, source: str, target: str, *, durable: bool = True) -> None:
        self._step()
        super().rename(source, target, durable=durable)

    def remove(self, path: str) -> None:
        if self.exists(path):
            self._step()
        super().remove(path)


class DyingDisk(DyingNames):
    """Counts changes of files and flushes as well."""

    def open(self, path: str, *, create: bool = False) -> RealFile:
        if create:
            self._step()
        return DyingFile(super().open(path, create=create), self._step)  # type: ignore[return-value]

    def make_directory(self, path: str) -> None:
        if not self.exists(path):
            self._step()
        super().make_directory(path)

    def write_file(self, path: str, data: Buffer) -> None:
        self._step()
        super().write_file(path, b"")
        self._step()
        super().write_file(path, data)

    def begin_sync(
        self,
        files: Sequence[File],
        paths: Sequence[str] = (),
        on_over: Callable[[], None] | None = None,
    ) -> Sync:
        self._step()
        return super().begin_sync([getattr(file, "inner", file) for file in files], paths, on_over)

    def sync_directory(self, path: str) -> None:
        self._step()
        super().sync_directory(path)


class DyingFile:
    """A file of such a disk."""

    def __init__(self, inner: RealFile, step: Callable[[], None]) -> None:
        self.inner = inner
        self._step = step

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    def write(self, position: int, buffers: Sequence[Buffer]) -> None:
        self._step()
        self.inner.write(position, buffers)

    def truncate(self, size: int) -> None:
        self._step()
        self.inner.truncate(size)

    def sync(self) -> None:
        self._step()
        self.inner.sync()
