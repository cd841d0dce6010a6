"""Numbers as arguments; an error message says which numbers are valid."""

from typing import Any

import click


class _Bounded:
    """A number from `min` to `max`; None: there is no such bound. Mixed into a range of click."""

    min: Any
    max: Any
    _noun: str

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse the number.

        Raises:
            click.BadParameter: not a number, or out of range; the message says what is expected.
        """
        try:
            return super().convert(value, param, ctx)  # type: ignore[misc]
        except click.BadParameter:
            what = f"{value!r} is not {self._noun}{self._bounds()}"
            raise click.BadParameter(what, ctx, param) from None

    def _bounds(self) -> str:
        low, high = self.min, self.max
        if low is None:
            return "" if high is None else f" up to {high}"
        return f" from {low} on" if high is None else f" from {low} to {high}"

    def _describe_range(self) -> str:
        # click would show "x<=None" where there is neither bound.
        unbounded = self.min is None and self.max is None
        return "" if unbounded else super()._describe_range()  # type: ignore[misc]


class WholeNumber(_Bounded, click.IntRange):
    """A whole number from `min` to `max`; None: there is no such bound."""

    _noun = "a whole number"


class Number(_Bounded, click.FloatRange):
    """A number from `min` to `max`; None: there is no such bound."""

    _noun = "a number"
