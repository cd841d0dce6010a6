"""Check the values of queries and forms. Each refusal is a page with a sentence."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

LONGEST_FORM: Final = 4 << 20
"""Bytes of a form: a value of a record, or pasted bytes of a request."""

INT32: Final = (1 << 31) - 1

_MOST_FIELDS: Final = 200
_INT64: Final = (1 << 63) - 1


def wrong(sentence: str) -> HTTPException:
    """A page that says what is wrong with a request."""
    return HTTPException(400, sentence)


def missing(sentence: str) -> HTTPException:
    """A page that says what does not exist."""
    return HTTPException(404, sentence)


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a posted form.

    Raises:
        HTTPException: it is too large, or no form.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_FORM:
            raise HTTPException(413, f"the form is larger than {LONGEST_FORM >> 20} MiB")
    try:
        pairs = parse_qsl(
            body.decode(),
            keep_blank_values=True,
            strict_parsing=bool(body),
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError:
        raise wrong("the body of the request is not a form in UTF-8") from None
    return dict(pairs)


def whole_number(
    values: Mapping[str, str], name: str, usual: int, low: int = 0, high: int = _INT64
) -> int:
    """A number of a query; `usual` where it is absent or empty.

    Raises:
        HTTPException: it is no whole number, or out of bounds.
    """
    # Pages group digits by thin spaces: what was copied from one can be typed.
    text = "".join(values.get(name, "").split())
    if not text:
        return usual
    digits = text[1:] if text[0] == "-" else text
    if not (digits.isascii() and digits.isdecimal()):
        raise wrong(f"{name} must be a whole number, not {text[:40]!r}")
    # No number of so many digits is made: that would take time.
    if len(digits) >= 20 or not low <= int(text) <= high:
        raise wrong(f"{name} must be between {low} and {high}, not {text[:40]}")
    return int(text)


def check_typed(form: Mapping[str, str], field: str, name: str) -> None:
    """Refuse to delete what `name` is of, unless that is typed in a field.

    Raises:
        HTTPException: it is not.
    """
    typed = form.get(field, "")
    if typed != name:
        raise wrong(f"to delete {name}, type its name: {typed!r} is another")


def one_of(values: Mapping[str, str], name: str, choices: tuple[str, ...]) -> str:
    """A word of a query; the first where it is absent.

    Raises:
        HTTPException: it is none of them.
    """
    text = values.get(name, "").strip() or choices[0]
    if text not in choices:
        raise wrong(f"{name} must be one of {', '.join(choices)}, not {text[:40]!r}")
    return text


def time_of(text: str) -> int:
    """Milliseconds since 1970 of a time: ISO 8601 (UTC unless it says else), or a whole number.

    Raises:
        HTTPException: it is neither.
    """
    text = text.strip()
    digits = "".join(text.split())
    if digits.isascii() and digits.isdecimal() and len(digits) < 19:
        return int(digits)
    try:
        when = datetime.fromisoformat(text)
        zoned = when if when.tzinfo else when.replace(tzinfo=UTC)
        return max(0, int(zoned.timestamp() * 1000))
    except (ValueError, OverflowError):
        raise wrong(
            f"time must be as 2013-01-01T05:00 or in milliseconds since 1970, not {text[:40]!r}"
        ) from None
