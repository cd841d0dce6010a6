"""Names that are typed: an empty one is refused, and to who misspelt one the nearest is told."""

from collections.abc import Callable, Iterable
from typing import Any

import click


def named(what: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Have an argument refuse an empty name, which mostly is a variable of the shell's that is not set.

    `what`: of what kind of thing the name is.
    """

    def check(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        for name in value if isinstance(value, tuple) else (value,):
            if name is not None and not name.strip():
                raise click.BadParameter(f"the name of the {what} is empty", ctx, param)
        return value

    return check


def meant(name: str, known: Iterable[str]) -> str:
    """Which of those that there are may have been meant, for behind an error; nothing if none is near."""
    import difflib

    near = difflib.get_close_matches(name, known, n=3)
    return f"is {' or '.join(near)} meant?" if near else ""
