"""SASL tokens, with their secrets masked.

A password, and anything that may be one, is masked: neither its text nor its bytes are in the
explanation. Source: RFC 4616 (PLAIN), RFC 5802 (SCRAM), RFC 7628 (OAUTHBEARER); KIP-12, KIP-43,
KIP-84, KIP-255.
"""

import re
from dataclasses import replace

from barnabas.lens.walks.explaining import finished
from barnabas.lens.walks.frame_sizes import read_size
from barnabas.lens.walks.part import Explained
from barnabas.lens.walks.walk import UnreadableBytes, Walk

_START = re.compile(rb"(?:n|y|p=[^,\0\1]*),(?:a=[^,\0\1]*)?,")
_ATTRIBUTE = re.compile(rb"[a-z]=|tokenauth=")
_BEARER = b"auth=Bearer "
_MEANINGS = {
    "n": "The user.",
    "r": "The client's nonce; in later tokens, followed by the broker's.",
    "c": "The start of the client's first token, and its channel binding, in base64.",
    "p": "The client's proof that it knows the password, in base64.",
    "s": "The salt of the password, in base64.",
    "i": "How often the password was hashed.",
    "v": "The broker's proof that it knows the password, in base64.",
    "e": "Why the broker refuses.",
    "tokenauth": "Whether the user is the id of a delegation token (KIP-48).",
}
_UNKNOWN = "Not shown: it is not a token of PLAIN, SCRAM or OAUTHBEARER, and may be a secret."


def read_sent(walk: Walk, path: str) -> None:
    """Read a token of a client."""
    data = walk.data[walk.position : walk.end]
    start = _START.match(data)
    if start is not None and data[start.end() :].startswith(b"\1"):
        _read_bearer(walk, path, start.end())
    elif start is not None:
        walk.text(
            start.end(), f"{path}.start", "Channel binding (n: none), and the user to act as."
        )
        _read_attributes(walk, path)
    elif data.startswith(b"c="):
        _read_attributes(walk, path)
    elif data.count(b"\0") == 2:
        _read_plain(walk, path, data)
    elif data:
        walk.mask(len(data), path, _UNKNOWN)


def read_given(walk: Walk, path: str) -> None:
    """Read a token of a broker."""
    data = walk.data[walk.position : walk.end]
    if data[:2] in (b"r=", b"v=", b"e="):
        _read_attributes(walk, path)
    elif data.startswith(b"{"):
        walk.text(len(data), path, "Why the broker refuses.")
    elif data:
        walk.mask(len(data), path, _UNKNOWN)


def explain_token(frame: bytes, mechanism: str, kind: str) -> Explained:
    """Explain a frame of only a size and a token, as after SaslHandshake version 0."""
    meaning = f"A token of {mechanism}, without a header: it follows SaslHandshake in version 0."
    found = Explained(kind=kind, name="SaslToken", meaning=meaning, data=frame)
    walk = Walk(frame)
    try:
        read_size(walk)
    except UnreadableBytes as broken:
        return finished(found, walk, broken)
    read = read_sent if kind == "request" else read_given
    inner = walk.within(walk.left)
    read(inner, "token")
    walk.leave(inner, "token", "not understood")
    return replace(finished(found, walk), message=None)


def _read_plain(walk: Walk, path: str, data: bytes) -> None:
    other, user, password = data.split(b"\0")
    walk.text(len(other), f"{path}.authzid", "The user to act as.")
    walk.bytes(1, path, "separator")
    walk.text(len(user), f"{path}.authcid", _MEANINGS["n"])
    walk.bytes(1, path, "separator")
    if password:
        walk.mask(len(password), f"{path}.passwd", "The password, in clear on the wire; not shown.")


def _read_attributes(walk: Walk, path: str) -> None:
    """Read `name=value` pairs separated by commas."""
    pieces = walk.data[walk.position : walk.end].split(b",")
    for index, piece in enumerate(pieces):
        if index:
            walk.bytes(1, path, "separator")
        if _ATTRIBUTE.match(piece):
            name = piece.partition(b"=")[0].decode()
            walk.text(len(piece), f"{path}.{name}", _MEANINGS.get(name, ""))
        elif piece:
            walk.mask(len(piece), path, _UNKNOWN)


def _read_bearer(walk: Walk, path: str, start: int) -> None:
    """Read `name=value` pairs, each followed by a byte 1."""
    walk.text(start, f"{path}.start", "Channel binding (n: none), and the user to act as.")
    pieces = walk.data[walk.position : walk.end].split(b"\1")
    for index, piece in enumerate(pieces):
        if index:
            walk.bytes(1, path, "separator")
        if piece.startswith(_BEARER):
            walk.text(len(_BEARER), f"{path}.auth", "A bearer token follows.")
            walk.mask(len(piece) - len(_BEARER), f"{path}.auth", "The token; not shown.")
        elif piece:
            walk.mask(len(piece), path, _UNKNOWN)
