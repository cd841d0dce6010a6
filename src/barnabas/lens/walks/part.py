"""What an explanation is made of: parts that cover the bytes in order, and faults among them."""

from dataclasses import dataclass
from typing import NamedTuple

Value = int | float | str | bytes | None

MASKED = "masked"
"""The kind of a part whose bytes are not shown."""
MASK = "***"


class Part(NamedTuple):
    """The bytes `start` to `end` of a frame: one field, or the length before it.

    `kind` says how it is written ("int16", "length, int32"), `path` where it belongs
    ("topics[0].partitions[2].index"). `inside` is what it holds compressed.
    """

    start: int
    end: int
    path: str
    kind: str
    value: Value
    meaning: str = ""
    inside: "Inside | None" = None


class Inside(NamedTuple):
    """Decompressed bytes and their parts; positions count from their own start."""

    data: bytes
    parts: tuple[Part, ...]


class Fault(NamedTuple):
    """A mistake, the byte where it is, and what its author may have meant.

    `fatal`: what follows in the frame cannot be understood.
    """

    position: int
    path: str
    text: str
    guess: str = ""
    fatal: bool = False

    def __str__(self) -> str:
        said = f"byte {self.position}: {self.path}: {self.text}"
        return f"{said} (perhaps {self.guess})" if self.guess else said


class Asked(NamedTuple):
    """What has to be known of a request to read its response; `number` is of the API or type.

    `inner` is the request that an Envelope holds.
    """

    number: int
    version: int
    correlation_id: int | None = None
    inner: "Asked | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """One frame, from its first byte to its last.

    `asked`: the response that must follow; None where there is none, or nobody can tell. `message`
    is what was decoded if nothing stopped it.
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
    asked: Asked | None = None
    message: object = None

    @property
    def title(self) -> str:
        """What it is, in a line."""
        said = [f"{self.name} {self.kind}"]
        if self.version is not None:
            said.append(f"version {self.version}")
        if self.correlation_id is not None:
            said.append(f"correlation id {self.correlation_id}")
        if self.client_id is not None:
            said.append(f"client {self.client_id!r}")
        said.append(f"{len(self.data)} bytes")
        return ", ".join(said)
