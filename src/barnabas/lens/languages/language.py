"""Language: what the lens must know about a protocol to follow its conversations."""

from typing import Protocol

from barnabas.lens.walks.part import Explained, RequestSummary


class Language(Protocol):
    """Frames of one protocol. `bare` frames have no size before them."""

    @property
    def name(self) -> str:
        """The name used by listeners and commands."""
        ...

    @property
    def returns_addresses(self) -> bool:
        """Whether responses contain addresses of brokers."""
        ...

    def request(self, data: bytes, *, bare: bool = False) -> Explained:
        """Explain a request, complete or truncated."""
        ...

    def response(self, data: bytes, asked: RequestSummary, *, bare: bool = False) -> Explained:
        """Explain the response to a request, complete or truncated."""
        ...

    def correlation_id(self, data: bytes, *, bare: bool = False) -> int | None:
        """The correlation id of a response; None if it has none."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its APIs, or request types."""
        ...

    def number_of(self, name: str) -> int | None:
        """An API, or request type, by name or number; None if there is none."""
        ...

    def newest_version(self, number: int) -> int:
        """The newest version of an API."""
        ...

    def opens(self, data: bytes) -> bool:
        """Whether bytes, without a size before them, start like a request."""
        ...
