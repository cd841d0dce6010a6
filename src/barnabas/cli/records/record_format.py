r"""The format strings of `consume`, with kcat's letters.

%s value, %k key, %t topic, %p partition, %o offset, %T timestamp in milliseconds, %h headers, %S
and %K the sizes of value and key (-1 for none), %% a percent sign; \n, \t, \r and \0 as in C.
"""

from collections.abc import Callable

from barnabas.cli.records.lines import delimiter
from barnabas.errors import ConfigError
from barnabas.records.record_json import ConsumedRecord

_PARTS: dict[str, Callable[[ConsumedRecord], bytes]] = {
    "s": lambda record: record.value or b"",
    "k": lambda record: record.key or b"",
    "t": lambda record: record.topic.encode(),
    "p": lambda record: b"%d" % record.partition,
    "o": lambda record: b"%d" % record.offset,
    "T": lambda record: b"%d" % record.timestamp,
    "S": lambda record: b"%d" % _size(record.value),
    "K": lambda record: b"%d" % _size(record.key),
    "h": lambda record: b",".join(
        key.encode() + b"=" + (value if value is not None else b"NULL")
        for key, value in record.headers
    ),
}


def formatter(text: str) -> Callable[[ConsumedRecord], bytes]:
    """Return a function that formats one record.

    Raises:
        ConfigError: an unknown letter after %.
    """
    parts: list[bytes | Callable[[ConsumedRecord], bytes]] = []
    pieces = text.replace("%%", "%\0").split("%")
    if pieces[0]:
        parts.append(delimiter(pieces[0]))
    for piece in pieces[1:]:
        letter, plain = piece[:1], piece[1:]
        if letter == "\0":
            parts.append(b"%")
        elif letter in _PARTS:
            parts.append(_PARTS[letter])
        else:
            raise ConfigError(f"%{letter} in a format: expected one of {' '.join(_PARTS)} %")
        if plain:
            parts.append(delimiter(plain))
    return lambda record: b"".join(
        part if isinstance(part, bytes) else part(record) for part in parts
    )


def _size(data: bytes | None) -> int:
    return -1 if data is None else len(data)
