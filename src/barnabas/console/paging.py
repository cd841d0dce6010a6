"""Pages of long lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from barnabas.console.forms import whole_number

_Item = TypeVar("_Item")

PAGE_SIZE: Final = 50


@dataclass(frozen=True, slots=True)
class ListPage(Generic[_Item]):
    """The items of page `number`, counted from 1, of `pages`, and the number of all items."""

    items: Sequence[_Item]
    number: int
    pages: int
    total: int

    @property
    def first(self) -> int:
        """The number of the first item, counted from 1."""
        return (self.number - 1) * PAGE_SIZE + 1


def paged(items: Sequence[_Item], query: Mapping[str, str]) -> ListPage[_Item]:
    """The page that a query asks for (`page`); the last one where there are fewer.

    Raises:
        HTTPException: it asks for something else than a number.
    """
    pages = max(1, -(-len(items) // PAGE_SIZE))
    number = min(whole_number(query, "page", 1, low=1), pages)
    start = (number - 1) * PAGE_SIZE
    return ListPage(items[start : start + PAGE_SIZE], number, pages, len(items))
