"""Language: what the lens must know of a wire language, to follow a conversation in it."""

from typing import Protocol

from barnabas.lens.walks.part import Asked, Explained


class Language(Protocol):
    """Frames of one wire language. `bare` ones come without the size before them."""

    @property
    def name(self) -> str:
        """As listeners and commands call it."""
        ...

    @property
    def tells_addresses(self) -> bool:
        """Whether brokers tell clients the addresses of brokers."""
        ...

    def request(self, data: bytes, *, bare: bool = False) -> Explained:
        """Explain a request, whole or not."""
        ...

    def response(self, data: bytes, asked: Asked, *, bare: bool = False) -> Explained:
        """Explain the response to what was asked, whole or not."""
        ...

    def correlation_id(self, data: bytes, *, bare: bool = False) -> int | None:
        """Which request a response says it answers; None where it does not say."""
        ...

    def number_of(self, name: str) -> int | None:
        """An API, or type of request, by its name or number as typed; None where there is none."""
        ...

    def newest_version(self, number: int) -> int:
        """The newest version of an API."""
        ...

    def opens(self, data: bytes) -> bool:
        """Whether bytes, without a size before them, begin like a request."""
        ...
