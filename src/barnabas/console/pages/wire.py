"""The wire lens: pasted bytes of any generation of the protocol, each field explained."""

import base64
import binascii
import re
from itertools import islice
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from barnabas.console.forms import form_of, one_of, whole_number, wrong
from barnabas.console.rendering import page, show_again
from barnabas.errors import ConfigError
from barnabas.lens.capture.conversation import SentFrame
from barnabas.lens.capture.reading import read_requests, read_responses
from barnabas.lens.hex_text import hex_bytes
from barnabas.lens.languages.language import Language
from barnabas.lens.languages.languages import LANGUAGES, language_of, with_other_language
from barnabas.lens.part_rows import part_rows
from barnabas.lens.walks.part import RequestSummary

SPELLINGS: Final = ("auto", "hex", "base64")
DIRECTIONS: Final = ("request", "response")
_LARGEST: Final = 1 << 20
_MOST_ROWS: Final = 1000
_MOST_FRAMES: Final = 50
_HEX: Final = re.compile(r"[0-9a-fA-F\s]*")

EXAMPLE: Final = "00 00 00 16 00 12 00 00 00 00 00 01 00 0c 62 61 72 6b 69 6e 67 2d 64 6f 67 73"
"""ApiVersions, version 0, of the client "barking-dogs"."""


async def wire(request: Request) -> Response:
    """The form; posted, with the explanation of what was pasted. Changes nothing."""
    values = await form_of(request) if request.method == "POST" else {}
    known = values.get("dialect") in LANGUAGES
    shown: dict[str, Any] = {
        "values": values or {"bytes": EXAMPLE},
        "dialects": tuple(LANGUAGES),
        "dialect": values["dialect"] if known else next(iter(LANGUAGES)),
        "spellings": SPELLINGS,
        "directions": DIRECTIONS,
        "watching": request.app.state.frames is not None,
    }
    shown["apis"] = language_of(shown["dialect"]).names
    show_again(request, "wire.html", **shown, frames=[], more=0)
    language = language_of(one_of(values, "dialect", tuple(LANGUAGES)))
    frames: list[dict[str, Any]] = []
    more = 0
    if values:
        data = _bytes(values.get("bytes", ""), one_of(values, "spelling", SPELLINGS))
        frames, more = shown_frames(_frames(language, data, values))
    return page(request, "wire.html", **shown, frames=frames, more=more)


def _bytes(text: str, spelling: str) -> bytes:
    """The pasted bytes.

    Raises:
        HTTPException: it is empty, neither hex nor base64, or too large.
    """
    if not text.strip():
        raise wrong("nothing was pasted: give the bytes of a request or a response")
    try:
        found = _base64(text) if spelling == "base64" else hex_bytes(text)
    except ConfigError as error:
        if spelling == "hex" or _HEX.fullmatch(text):
            raise wrong(f"the bytes are no hex: {error}") from None
        found = _base64(text)
    if not found or len(found) > _LARGEST:
        raise wrong(f"paste between 1 and {_LARGEST} bytes, not {len(found)}")
    return found


def _base64(text: str) -> bytes:
    compact = "".join(text.split()).replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise wrong("the bytes are neither hex nor base64") from None


def _frames(language: Language, data: bytes, values: dict[str, str]) -> list[SentFrame]:
    """The frames of the bytes.

    Raises:
        HTTPException: they are responses to an API that there is not.
    """
    if one_of(values, "direction", DIRECTIONS) == "request":
        return read_requests(language, data)
    name = values.get("api", "").strip()
    number = language.number_of(name) if name else None
    if number is None:
        raise wrong(
            f"a response does not name its request: api must be one of {', '.join(language.names)}"
        )
    newest = language.newest_version(number)
    version = whole_number(values, "version", newest, high=newest)
    return read_responses(language, data, RequestSummary(number, version))


def shown_frames(sent: list[SentFrame]) -> tuple[list[dict[str, Any]], int]:
    """The first frames as rows, at most so many that a page can hold them; and how many are left."""
    frames: list[dict[str, Any]] = []
    left = _MOST_ROWS
    for each in sent[:_MOST_FRAMES]:
        if left <= 0:
            break
        found = each.explained
        if each.from_client:
            found = with_other_language(found, "kafka")
        rows = list(islice(part_rows(found), left + 1))
        frames.append(
            {
                "title": found.title,
                "meaning": found.meaning,
                "position": each.position,
                "rows": rows[:left],
                "is_cut": len(rows) > left,
                "faults": [str(fault) for fault in found.faults[:20]],
            }
        )
        left -= len(rows)
    return frames, len(sent) - len(frames)
