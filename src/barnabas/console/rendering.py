"""Templates: everything is escaped, and text of the cluster shows its invisible characters."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any, Final
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from barnabas.console.decoding.safe_text import visible
from barnabas.console.security import token_of
from barnabas.console.stylesheet import STYLESHEET
from barnabas.version import __version__

NOTHING: Final = "\u2013"
"""A dash, where there is no value."""

_DONE: Final = {
    "moved": "The group was moved.",
    "created": "The topic was created.",
    "deleted": "The topic was deleted with all its records.",
    "emptied": "The records were deleted.",
    "group-deleted": "The group was deleted.",
    "grown": "The partitions were added.",
    "changed": "The property was changed.",
    "produced": "The record was stored.",
}
"""The message of a page after a change, by a word in its address, whose own text is never shown."""

_AGAIN: Final = "barnabas_form"
"""Of a request's scope: how to show its form again."""

_UNITS: Final = ("B", "KB", "MB", "GB", "TB", "PB")
_STEP: Final = 1000


def page(request: Request, template: str, status: int = 200, /, **values: Any) -> HTMLResponse:
    """Fill a template."""
    settings = request.app.state.settings
    usual = {
        "servers": settings.servers,
        "read_only": settings.read_only,
        "token": token_of(request),
        "path": request.url.path,
        "version": __version__,
        "later": "",
        "refusal": "",
        "done": _DONE.get(request.query_params.get("done", ""), ""),
    }
    text = templates().get_template(template).render({**usual, **values})
    return HTMLResponse(text, status)


def show_again(request: Request, template: str, **values: Any) -> None:
    """From here on a refusal shows this page, with the sentence on top: what was typed is not lost."""
    request.scope[_AGAIN] = partial(_again, request, template, values)


def form_again(request: Request, status: int, sentence: str) -> HTMLResponse | None:
    """The page to show with a refusal; None if the request has no form."""
    shown: Callable[[int, str], HTMLResponse] | None = request.scope.get(_AGAIN)
    return shown and shown(status, sentence)


def _again(
    request: Request, template: str, values: Mapping[str, Any], status: int, sentence: str
) -> HTMLResponse:
    return page(request, template, status, refusal=sentence, **values)


@cache
def templates() -> Environment:
    """The environment of all templates."""
    found = Environment(
        loader=PackageLoader("barnabas.console"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_shown,
        auto_reload=False,
    )
    found.filters.update(
        exact=exact,
        size=size_text,
        number=number_text,
        counted=counted_text,
        time=time_text,
        segment=segment,
        rate=rate_text,
    )
    found.globals.update(link=link, stylesheet=STYLESHEET)
    return found


def load_templates() -> None:
    """Compile all templates, so that no page waits for it."""
    found = templates()
    for name in found.list_templates():
        found.get_template(name)


def _shown(value: Any) -> Any:
    """Prepare text for a template: remove characters that could hide or reverse other text."""
    if value is None:
        return ""
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def exact(text: str) -> Markup:
    """Text for a field of a form, which the browser sends back as it is."""
    return escape(text)


def number_text(value: int | None) -> str:
    """A whole number with thin groups of three: 1 000 000 is easier to read than 1000000."""
    return NOTHING if value is None else f"{value:,}".replace(",", "\u2009")


def counted_text(value: int, thing: str) -> str:
    """A number of things: 1 topic, 2 topics."""
    return f"{number_text(value)} {thing}{'s' * (value != 1)}"


def rate_text(value: float | None) -> str:
    """A number per second."""
    if value is None:
        return "…"
    return f"{value:.1f}" if 0 < value < 10 else number_text(round(value))


def size_text(value: float | None) -> str:
    """Bytes, in units of a thousand."""
    if value is None or value < 0:
        return NOTHING
    unit = 0
    while value >= _STEP and unit < len(_UNITS) - 1:
        value, unit = value / _STEP, unit + 1
    return f"{value:.1f} {_UNITS[unit]}" if unit and value < 100 else f"{value:.0f} {_UNITS[unit]}"


def time_text(milliseconds: int | None) -> str:
    """A time in UTC with milliseconds; the number where no calendar has it."""
    if milliseconds is None or milliseconds < 0:
        return NOTHING
    try:
        when = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return str(milliseconds)
    return when.strftime("%Y-%m-%d %H:%M:%S.") + f"{milliseconds % 1000:03d}"


def segment(text: object) -> str:
    """Text as one segment of a path."""
    return quote(str(text), safe="")


def link(path: str, /, **query: object) -> str:
    """A path with a query of those values that are set."""
    given = {name: value for name, value in query.items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path
