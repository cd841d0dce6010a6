"""Usage errors: printed with the usage and exit code 2, and with a suggestion where possible."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, Final

import click

from barnabas.config.property_files import overrides
from barnabas.errors import ConfigError

_CLOSE: Final = 0.6
"""The share of letters in common that a typing error leaves; Python's own bound for close words."""


@contextmanager
def usage() -> Iterator[None]:
    """Turn an error in the block into a usage error: its input was typed."""
    try:
        yield
    except ConfigError as error:
        raise click.UsageError(str(error)) from None


def typed(pairs: Iterable[str], option: str) -> dict[str, str]:
    """Parse `name=value` arguments of an option."""
    with usage():
        return {name: given.value for name, given in overrides(pairs, option).items()}


class Spelled(click.Choice):  # type: ignore[type-arg]
    """A choice that matches in any case, and lists its words in their usual spelling."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert like every choice, but list the words in their usual spelling."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            words = ", ".join(map(repr, self.choices))
            self.fail(f"{value!r} is not one of {words}.", param, ctx)


def with_close(error: click.NoSuchOption) -> click.NoSuchOption:
    """The error with close suggestions only: click counts the dashes that all options share."""
    import difflib

    def name(option: str) -> str:
        return option.lstrip("-")

    typed_name = name(error.option_name)

    def is_close(option: str) -> bool:
        return difflib.SequenceMatcher(None, typed_name, name(option)).ratio() >= _CLOSE

    return click.NoSuchOption(
        error.option_name,
        possibilities=[one for one in error.possibilities or () if is_close(one)],
        ctx=error.ctx,
    )


class HintingCommand(click.Command):
    """A command that suggests replacements for options of other tools. `hints` are by option.

    The hint under the empty name is for surplus arguments.
    """

    hints: ClassVar[Mapping[str, str]] = {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse like every command, and append a hint to a usage error."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            option = error.option_name if isinstance(error, click.NoSuchOption) else ""
            known = bool(option) or "unexpected extra argument" in error.message
            if known and option in self.hints:
                raise _with(error, self.hints[option]) from None
            raise


class HintingGroup(click.Group):
    """A group of commands that suggests the nearest command for a misspelled one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse like every group, with a hint if an option precedes its command."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            error = with_close(error)
            if error.possibilities:
                raise error from None
            after = f"{ctx.command_path} COMMAND {error.option_name}"
            raise _with(error, f"Put options after the command: {after} ...") from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve like every group, and append a hint to a usage error."""
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
    if isinstance(error, click.NoSuchOption):
        error = with_close(error)
    what = error.format_message()
    stop = "" if what.endswith((".", "?")) else "."
    return click.UsageError(f"{what}{stop} {hint}", error.ctx)
