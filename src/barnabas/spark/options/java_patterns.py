r"""Convert Java's regular expressions, which Spark's own source accepts, for Python.

Topic names consist of 65 different characters, so character classes such as `\p{Alpha}` and `\P{Alpha}` are
written out, inside brackets or not.
"""

import re
import string
from collections.abc import Iterator
from typing import Final

IN_NAMES: Final = string.ascii_letters + string.digits + "._-"
"""The characters of topic names."""

_CLASSES: Final = {
    "Lower": string.ascii_lowercase,
    "Upper": string.ascii_uppercase,
    "ASCII": IN_NAMES,
    "Alpha": string.ascii_letters,
    "Digit": string.digits,
    "Alnum": string.ascii_letters + string.digits,
    "Punct": "._-",
    "Graph": IN_NAMES,
    "Print": IN_NAMES,
    "XDigit": string.hexdigits,
    "Blank": "",
    "Cntrl": "",
    "Space": "",
    # Unicode's categories and binary properties, in Java's spellings.
    "L": string.ascii_letters,
    "Lu": string.ascii_uppercase,
    "Ll": string.ascii_lowercase,
    "N": string.digits,
    "Nd": string.digits,
    "P": "._-",
    "Pd": "-",
    "Pc": "_",
    "Po": ".",
    "IsAlphabetic": string.ascii_letters,
    "IsLetter": string.ascii_letters,
    "IsLowercase": string.ascii_lowercase,
    "IsUppercase": string.ascii_uppercase,
    "IsDigit": string.digits,
    "IsPunctuation": "._-",
    "javaLowerCase": string.ascii_lowercase,
    "javaUpperCase": string.ascii_uppercase,
}

_TOKEN: Final = re.compile(
    r"\\[pP](?:\{(?P<named>[^}]*)\}|(?P<letter>[A-Z]))"
    r"|\\Q(?P<quoted>.*?)(?:\\E|$)"
    r"|(?P<escape>\\.)"
    r"|(?P<group>\(\?<(?=[a-zA-Z]))"
    r"|(?P<other>.)",
    re.DOTALL,
)


def python_pattern(java: str) -> str:
    r"""The same pattern for Python's `re`; it matches the same topic names.

    Raises:
        ValueError: it contains an unknown class, or `&&` or `[` within brackets, which Python takes
            literally.
        re.error: it is not a valid pattern for Python.
    """
    pattern = "".join(_translated(java))
    re.compile(pattern)
    return pattern


def _translated(java: str) -> Iterator[str]:
    inside = False
    for token in _TOKEN.finditer(java):
        text = token.group()
        name = token["named"] or token["letter"]
        if name is not None or token["named"] is not None:
            yield _class(name or "", negated=text[1] == "P", inside=inside)
        elif token["quoted"] is not None:
            yield re.escape(token["quoted"])
        elif token["group"] is not None and not inside:
            yield "(?P<"
        elif token["escape"] is not None:
            yield r"\Z" if text == r"\z" else text
        else:
            if inside and (text == "[" or java.startswith("&&", token.start())):
                what = "&&" if text == "&" else "["
                raise ValueError(f"Python has no {what} within [...]; write the characters out")
            inside = text == "[" or (inside and not _closes(java, token.start()))
            yield text


def _closes(java: str, at: int) -> bool:
    """Whether a bracket here ends a class; at the start of a class it is an ordinary character."""
    return java[at] == "]" and not re.search(r"(?<!\\)\[\^?$", java[:at])


def _class(name: str, *, negated: bool, inside: bool) -> str:
    found = _CLASSES.get(name, _CLASSES.get(name.removeprefix("Is")))
    if found is None:
        known = ", ".join(each for each in _CLASSES if len(each) > 2)
        raise ValueError(f"class {name!r} is not known here; there are {known}")
    members = set(IN_NAMES).difference(found) if negated else set(found)
    written = "".join(map(re.escape, sorted(members)))
    if inside:
        return written
    return f"[{written}]" if written else r"[^\s\S]"
