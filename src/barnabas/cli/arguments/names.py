"""Names as arguments; an empty one is refused."""

from collections.abc import Callable
from typing import Any

import click


def named(what: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Make an argument refuse an empty name, which is mostly an unset shell variable.

    `what` is the kind of thing that the name belongs to.
    """

    def check(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        for name in value if isinstance(value, tuple) else (value,):
            if name is not None and not name.strip():
                raise click.BadParameter(f"the name of the {what} is empty", ctx, param)
        return value

    return check
