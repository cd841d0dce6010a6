"""Names as arguments: an empty one is refused, and a shell completes those that the cluster has."""

from collections.abc import Callable, Iterable
from typing import Any, Final

import click
from click.shell_completion import CompletionItem


def named(what: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Make an argument refuse an empty name, which is mostly an unset shell variable.

    `what` is the kind of thing that the name belongs to.
    """

    def check(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        for name in value if isinstance(value, tuple) else (value,):
            if name is not None:
                _refuse_empty(what, name, ctx, param)
        return value

    return check


def _refuse_empty(
    what: str, name: str, ctx: click.Context | None, param: click.Parameter | None
) -> None:
    if not name.strip():
        raise click.BadParameter(f"the name of the {what} is empty", ctx, param)


class ClusterName(click.ParamType[str]):
    """The name of something that a cluster has: a topic or a group.

    `servers`: the parameter that names the cluster; without a value for another than -b there are no names.
    """

    name = "text"

    def __init__(self, what: str, servers: str = "servers") -> None:
        self._what = what
        self._servers = servers

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name itself, which may not exist.

        Raises:
            click.BadParameter: it is empty.
        """
        name = str(value)
        _refuse_empty(self._what, name, ctx, param)
        return name

    def shell_complete(
        self, ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin so, from the cluster that the command line names."""
        from barnabas.cli.arguments.cluster_names import names_of

        return starting(incomplete, names_of(self._what, ctx, self._servers))


TOPIC: Final = ClusterName("topic")
SOURCE_TOPIC: Final = ClusterName("topic", "source")
SOURCE_GROUP: Final = ClusterName("group", "source")
GROUP: Final = ClusterName("group")


def complete_properties(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The properties that an option sets (NAME=) or resets (NAME)."""
    from barnabas.cli.arguments.property_names import property_names

    command = ctx.command.name or ""
    kinds = {"configs": _configured(ctx), "quotas": "quota", "serve": "broker"}
    kind = kinds.get(command, "topic")
    if param.name == "pairs" and command != "serve":
        kind = "client"
    sign = "" if param.name == "removed" else "="
    return starting(incomplete, (name + sign for name in property_names(kind)))


def complete_configured(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The names of what `barnabas configs` is about, where a cluster lists them: topics and groups."""
    from barnabas.cli.arguments.cluster_names import names_of

    kind = _configured(ctx)
    return starting(incomplete, names_of(kind, ctx) if kind in {"topic", "group"} else ())


def complete_releases(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The Kafka releases that a broker can emulate, oldest first."""
    from barnabas.config.releases import RELEASE_07, RELEASES

    return [CompletionItem(one) for one in (RELEASE_07, *RELEASES) if one.startswith(incomplete)]


def _configured(ctx: click.Context) -> str:
    """The resource of `barnabas configs`: click leaves arguments in place if an option lacks its value."""
    return str(ctx.params.get("kind") or next(iter(ctx.args), ""))


def starting(incomplete: str, names: Iterable[str]) -> list[CompletionItem]:
    """The names that begin with the typed text, sorted."""
    return [CompletionItem(name) for name in sorted(names) if name.startswith(incomplete)]
