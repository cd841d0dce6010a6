"""Keys and values as bytes: text is sent as UTF-8."""


def as_bytes(data: bytes | str | None) -> bytes | None:
    """Bytes as they are, text as UTF-8."""
    return data.encode() if isinstance(data, str) else data
