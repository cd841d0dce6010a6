"""Numbers as arguments: what is none, or out of range, is refused with a sentence that says which are valid."""

from typing import Any

import click


class WholeNumber(click.IntRange):
    """A whole number from `min` to `max`; a bound that is None is missing."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number.

        Raises:
            click.BadParameter: it is none, or out of range; the message says what is expected.
        """
        try:
            found: int = super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is not a whole number{_range(self.min, self.max)}", param, ctx)
        return found

    def _describe_range(self) -> str:
        # click would show "x<=None" where there is neither bound.
        return "" if self.min is None and self.max is None else super()._describe_range()


class Number(click.FloatRange):
    """A number from `min` to `max`; a bound that is None is missing."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number.

        Raises:
            click.BadParameter: it is none, or out of range; the message says what is expected.
        """
        try:
            found: float = super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is not a number{_range(self.min, self.max)}", param, ctx)
        return found

    def _describe_range(self) -> str:
        # click would show "x<=None" where there is neither bound.
        return "" if self.min is None and self.max is None else super()._describe_range()


def _range(low: float | None, high: float | None) -> str:
    if low is None:
        return "" if high is None else f" up to {high}"
    return f" from {low} on" if high is None else f" from {low} to {high}"
