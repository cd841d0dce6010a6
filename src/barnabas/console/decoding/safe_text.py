"""Make text safe to show: escape characters that a browser would hide or interpret."""

import re
from typing import Final

_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
"""Control characters except tab and line feed, marks of direction, what has no width, surrogates."""

_LONGEST_CHARACTER: Final = 4

_ENTITIES: Final = {"&": 5, "<": 4, ">": 4, '"': 5, "'": 5}
"""Bytes of what stands for a character in a page."""

_LARGEST: Final = max(_ENTITIES.values())


def visible(text: str) -> str:
    r"""The text with its invisible characters as escapes: U+202E, which turns text round, as \u202e."""
    return _HIDDEN.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def text_of(data: bytes, most: int) -> str:
    r"""The first bytes as text of at most `most` characters; what is no UTF-8 is \x and its number."""
    part = data[: most * _LONGEST_CHARACTER]
    if len(part) < len(data):
        # The cut may have gone through a character.
        for back in range(1, _LONGEST_CHARACTER):
            if part[-back] & 0xC0 == 0xC0:
                part = part[:-back]
                break
            if part[-back] < 0x80:
                break
    return visible(part.decode("utf-8", "backslashreplace"))[:most]


def within(text: str, most: int) -> str:
    """The beginning of a text that takes at most `most` bytes of a page: `"` takes five there."""
    if len(text) * _LARGEST <= most:
        return text
    size = 0
    for at, one in enumerate(text):
        size += _ENTITIES.get(one) or len(one.encode("utf-8", "replace"))
        if size > most:
            return text[:at]
    return text


def is_text(data: bytes) -> bool:
    """Whether it is UTF-8 without control characters other than those of lines."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    return not any(one < " " and one not in "\t\n\r" for one in text)
