"""The few names of `cython` that the kernels use, for where Cython is not installed.

They do nothing: uncompiled, a kernel is plain Python, and its C types are notes to the reader.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., object])

compiled = False


class _Type:
    """A C type; takes subscripts, so that it can stand for a view of an array of itself."""

    def __getitem__(self, _: object) -> "_Type":
        return self

    def __call__(self, value: Any = 0) -> Any:
        return value


class _Nogil(AbstractContextManager[None]):
    """Works as `with nogil:` and as `@nogil`."""

    def __exit__(self, *_: object) -> None:
        return None

    def __call__(self, function: F) -> F:
        return function


uchar = _Type()
int = _Type()  # noqa: A001 - the name in cython
uint = _Type()
longlong = _Type()
ulonglong = _Type()
Py_ssize_t = _Type()
size_t = _Type()
double = _Type()
bint = _Type()
void = _Type()
const = _Type()
nogil = _Nogil()


def cfunc(function: F) -> F:
    """A function that only its own file calls."""
    return function


inline = cfunc
ccall = cfunc
cclass = cfunc
final = cfunc


def _with_arguments(*_: object, **__: object) -> Callable[[F], F]:
    return cfunc


exceptval = returns = locals = _with_arguments  # noqa: A001 - the name in cython


def declare(_: object, value: Any = None) -> Any:
    """A typed variable."""
    return value


def cast(_: object, value: Any) -> Any:
    """The same value under another type."""
    return value
