"""Wrong usage: said with the usage and exit code 2, and with what to type instead where we know."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import click

from barnabas.config.files import overrides
from barnabas.errors import ConfigError


@contextmanager
def usage() -> Iterator[None]:
    """What cannot be read in here was typed: it is wrong usage."""
    try:
        yield
    except ConfigError as error:
        raise click.UsageError(str(error)) from None


def typed(pairs: Iterable[str], option: str) -> dict[str, str]:
    """What was typed as `name=value`, each behind the option."""
    with usage():
        return {name: given.value for name, given in overrides(pairs, option).items()}


class Spelled(click.Choice):  # type: ignore[type-arg]
    """One of some words, which are told as they are spelt where they may be typed in any case."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As every choice does, with the words as they are."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            words = ", ".join(map(repr, self.choices))
            self.fail(f"{value!r} is not one of {words}.", param, ctx)


class HintingCommand(click.Command):
    """A command that knows what those type who come from other tools. `hints` are by option.

    The empty name is for arguments that are too many.
    """

    hints: ClassVar[Mapping[str, str]] = {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As every command does, with a hint behind what went wrong."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            option = error.option_name if isinstance(error, click.NoSuchOption) else ""
            known = bool(option) or "unexpected extra argument" in error.message
            if known and option in self.hints:
                raise _with(error, self.hints[option]) from None
            raise


class HintingGroup(click.Group):
    """Commands of which the nearest one is named to who misspelt it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As every group does, with a hint where an option stands before its command."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.possibilities:
                raise
            after = f"{ctx.command_path} COMMAND {error.option_name}"
            raise _with(error, f"Options go behind the command: {after} ...") from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As every group does, with a hint behind what went wrong."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            known = self.list_commands(ctx)
            near = [name for name in known if name.startswith(f"{args[0]}-")]
            near = near or difflib.get_close_matches(args[0], known, n=1)
            if near and "Did you mean" not in error.format_message():
                raise _with(error, f"Did you mean {near[0]!r}?") from None
            raise


def _with(error: click.UsageError, hint: str) -> click.UsageError:
    what = error.format_message()
    stop = "" if what.endswith((".", "?")) else "."
    return click.UsageError(f"{what}{stop} {hint}", error.ctx)
