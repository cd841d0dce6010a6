"""Slow lists: the page is sent without them, and requests them afterwards."""

from typing import Final
from urllib.parse import urlencode

from starlette.requests import Request

_WHOLE: Final = "whole"


def waits(request: Request) -> bool:
    """Whether this is the second request, which waits for everything."""
    return request.query_params.get(_WHOLE) == "1"


def address_of_the_rest(request: Request) -> str:
    """The address from which a page loads a missing list: its own, with `whole=1`."""
    query = [(name, text) for name, text in request.query_params.multi_items() if name != _WHOLE]
    return f"{request.url.path}?{urlencode([*query, (_WHOLE, '1')])}"
