"""Error responses: the form again, or a page with a sentence."""

from typing import Final
from urllib.parse import urlsplit, urlunsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from barnabas.console.rendering import form_again, page
from barnabas.errors import (
    BrokerError,
    ConfigError,
    ConnectionFailed,
    ErrorCode,
    InvalidArgument,
    RequestTimeout,
)

_NOT_FOUND = (
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.GROUP_ID_NOT_FOUND,
    ErrorCode.TRANSACTIONAL_ID_NOT_FOUND,
)

_WRONG = (
    *(ErrorCode.INVALID_TOPIC_EXCEPTION, ErrorCode.INVALID_CONFIG, ErrorCode.INVALID_REQUEST),
    *(
        ErrorCode.INVALID_REPLICATION_FACTOR,
        ErrorCode.INVALID_PARTITIONS,
        ErrorCode.INVALID_GROUP_ID,
    ),
    *(ErrorCode.TOPIC_ALREADY_EXISTS, ErrorCode.POLICY_VIOLATION, ErrorCode.INVALID_RECORD),
    *(ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.NON_EMPTY_GROUP, ErrorCode.UNKNOWN_MEMBER_ID),
)
"""Codes with which brokers refuse what somebody has typed."""

_TITLES: Final = {
    400: "This request is not valid",
    403: "This is not allowed",
    404: "Not found",
    405: "This is not allowed",
    409: "Changed meanwhile",
    501: "The brokers are too old for this",
    502: "The brokers refused this",
    503: "Too much at once",
    504: "No broker answers",
}
"""The titles of pages of errors, by their status."""


async def refused(request: Request, error: Exception) -> Response:
    """A page for what a page refused."""
    assert isinstance(error, HTTPException)
    return _error_page(request, error.status_code, error.detail)


async def failed(request: Request, error: Exception) -> Response:
    """A page for what a client of the console raised: the cluster's no, or its silence."""
    status = 502
    if isinstance(error, BrokerError):
        status = 404 if error.code in _NOT_FOUND else 400 if error.code in _WRONG else 502
        if error.code is ErrorCode.UNSUPPORTED_VERSION:
            status = 501
    elif isinstance(error, ConfigError | InvalidArgument):
        status = 400
    elif isinstance(error, ConnectionFailed | RequestTimeout):
        status = 504
    return _error_page(request, status, str(error))


def _error_page(request: Request, status: int, sentence: str) -> Response:
    if (again := form_again(request, status, sentence)) is not None:
        return again
    title = _TITLES.get(status, "This is not possible")
    return page(request, "error.html", status, title=title, sentence=sentence, back=_back(request))


def _back(request: Request) -> str:
    """The page of ours from which a request came; nothing if there was none."""
    came_from = urlsplit(request.headers.get("referer", ""))
    if came_from.netloc != request.headers.get("host") or not came_from.path.startswith("/"):
        return ""
    back = came_from._replace(scheme="", netloc="", path="/" + came_from.path.lstrip("/"))
    return urlunsplit(back)
