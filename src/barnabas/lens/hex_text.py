"""Parse pasted hex: plain, with commas or 0x, or as printed by xxd, hexdump -C and tcpdump -X."""

import re

from barnabas.errors import ConfigError

_DUMP_C = re.compile(r"[0-9a-fA-F]{8}  (.*?)(?:\s*\|.*)?")
_XXD = re.compile(r"\s*(?:0x)?[0-9a-fA-F]{4,8}:\s+(.*)")
_HEX = re.compile(r"[0-9a-fA-F]*")
_OFFSET = re.compile(r"[0-9a-fA-F]{8}")
_NOISE = re.compile(r"\\x|0x|[\s,;:_\[\](){}'\"]")


def hex_bytes(text: str) -> bytes:
    """Return the bytes that a text spells. The rest of a line after # or | is a comment.

    Raises:
        ConfigError: not hex; the message names the line.
    """
    lines = text.splitlines()
    dumped = any(_DUMP_C.fullmatch(line.rstrip()) for line in lines)
    found = bytearray()
    for number, line in enumerate(lines, start=1):
        if dumped and _OFFSET.fullmatch(line.rstrip()):
            continue  # hexdump -C ends with an offset
        try:
            found += bytes.fromhex(_NOISE.sub("", _digits(line)))
        except ValueError:
            where = f"line {number}: " if len(lines) > 1 else ""
            raise ConfigError(f"{where}expected {_wrong(line)}") from None
    return bytes(found)


def _wrong(line: str) -> str:
    """The text expected in a line, and the first part that differs."""
    for part in _NOISE.split(_digits(line)):
        if not _HEX.fullmatch(part):
            return f"hex, not {part[:60]!r}"
    return f"hex digits in pairs, not {line.strip()[:60]!r}"


def _digits(line: str) -> str:
    """The part of a line that contains the bytes."""
    line = line.partition("#")[0].rstrip()
    if (dump := _DUMP_C.fullmatch(line)) is not None:
        return dump.group(1)
    if (dump := _XXD.fullmatch(line)) is not None:
        return dump.group(1).partition("  ")[0]
    return line.partition("|")[0]
