"""The elements of an explanation: parts that cover the bytes in order, and faults among them."""

from dataclasses import dataclass
from typing import NamedTuple

Value = int | float | str | bytes | None

MASKED = "masked"
"""The kind of a part whose bytes are hidden."""
MASK = "***"


class Part(NamedTuple):
    """The bytes `start` to `end` of a frame: one field, or the length before it.

    `kind` is its encoding ("int16", "length, int32"), `path` its place
    ("topics[0].partitions[2].index"). `inside` is its decompressed contents.
    """

    start: int
    end: int
    path: str
    kind: str
    value: Value
    meaning: str = ""
    inside: "DecompressedPart | None" = None


class DecompressedPart(NamedTuple):
    """Decompressed bytes and their parts; positions start at 0."""

    data: bytes
    parts: tuple[Part, ...]


class Fault(NamedTuple):
    """A mistake, its byte, and what its author may have meant.

    `fatal`: the rest of the frame cannot be parsed.
    """

    position: int
    path: str
    text: str
    guess: str = ""
    fatal: bool = False

    def __str__(self) -> str:
        words = f"byte {self.position}: {self.path}: {self.text}"
        return f"{words} (perhaps {self.guess})" if self.guess else words


class RequestSummary(NamedTuple):
    """What a response's reader must know about its request; `number` is the API or type.

    `inner` is the request inside an Envelope.
    """

    number: int
    version: int
    correlation_id: int | None = None
    inner: "RequestSummary | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """One frame, from its first byte to its last.

    `asked` describes the expected response; None if there is none, or it is unknown. `message` is
    the decoded message if nothing prevented it.
    """

    kind: str
    name: str
    meaning: str
    data: bytes
    parts: tuple[Part, ...] = ()
    faults: tuple[Fault, ...] = ()
    version: int | None = None
    correlation_id: int | None = None
    client_id: str | None = None
    asked: RequestSummary | None = None
    message: object = None

    @property
    def title(self) -> str:
        """The frame in one line."""
        words = [f"{self.name} {self.kind}"]
        if self.version is not None:
            words.append(f"version {self.version}")
        if self.correlation_id is not None:
            words.append(f"correlation id {self.correlation_id}")
        if self.client_id is not None:
            words.append(f"client {self.client_id!r}")
        words.append(f"{len(self.data)} bytes")
        return ", ".join(words)
