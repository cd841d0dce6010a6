"""Guard of every page: known host names, a password, and changes only by our own forms.

A page of another site can make a browser send requests here. It can neither read the responses nor
know the token in each form. If a request names its origin, the origin must be this console.
"""

import asyncio
import base64
import binascii
import hmac
import re
import secrets
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from barnabas.console.settings import ConsoleSettings
from barnabas.console.stylesheet import STYLE_SOURCE

_COOKIE: Final = "barnabas_console"
_FILES: Final = "/static/"
"""Below it is what has nothing of the cluster: browsers may keep it, and ask whether it is new."""

_SAFE: Final = frozenset({"GET", "HEAD"})
_WRONG_PASSWORD_S: Final = 0.5
"""The delay after a wrong password. Attempts run one after another, so guesses are few."""

_ADDRESS: Final = re.compile(r"\[[0-9a-f:.]+\]|\d{1,3}(?:\.\d{1,3}){3}")

_HEADERS: Final = {
    "Content-Security-Policy": (
        f"default-src 'none'; script-src 'self'; style-src {STYLE_SOURCE}; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""For every response. With a stricter Referrer-Policy browsers would send `Origin: null`."""


class ConsoleGuard:
    """The outermost layer: refuses what may not reach a page, and adds headers to what leaves."""

    def __init__(self, app: ASGIApp, settings: ConsoleSettings) -> None:
        self._app = app
        self._settings = settings
        self._guess = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope["method"], headers)
        if refusal is None and not self._knows(headers):
            if "authorization" in headers:
                async with self._guess:
                    await asyncio.sleep(_WRONG_PASSWORD_S)
            challenge = {"WWW-Authenticate": 'Basic realm="Barnabas console", charset="UTF-8"'}
            refusal = PlainTextResponse("This console has a password.\n", 401, challenge)
        session = HTTPConnection(scope).cookies.get(_COOKIE, "")
        fresh = "" if len(session) >= 32 else secrets.token_urlsafe(32)
        scope["barnabas_session"] = fresh or session

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                leaving = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    leaving[name] = value
                is_file = scope["path"].startswith(_FILES)
                leaving.setdefault("Cache-Control", "no-cache" if is_file else "no-store")
                if fresh and refusal is None and not is_file:
                    cookie = f"{_COOKIE}={fresh}; Path=/; HttpOnly; SameSite=Strict"
                    leaving.append("Set-Cookie", cookie)
            await send(message)

        await (refusal or self._app)(scope, receive, sending)

    def _refusal(self, method: str, headers: Headers) -> PlainTextResponse | None:
        """The response that refuses a request; None if the request is allowed."""
        host = headers.get("host", "")
        name = host_name(host)
        if name not in self._settings.hosts and not (
            self._settings.any_address and _ADDRESS.fullmatch(name)
        ):
            return PlainTextResponse(
                f"This console is not allowed to serve the host {name[:200]!r}. To allow it, start it with "
                "--allow-host and that name.\n",
                421,
            )
        if method in _SAFE:
            return None
        if method != "POST":
            return PlainTextResponse("A page is read with GET and a form sent with POST.\n", 405)
        origin = headers.get("origin")
        came_from = headers.get("sec-fetch-site", "same-origin")
        if came_from != "same-origin" or (
            origin is not None and urlsplit(origin).netloc.lower() != host.lower()
        ):
            return PlainTextResponse("A page of another site may not change anything here.\n", 403)
        return None

    def _knows(self, headers: Headers) -> bool:
        """Whether a request has the password, if there is one."""
        wanted = self._settings.password
        if wanted is None:
            return True
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() != "basic":
            return False
        try:
            _, _, password = base64.b64decode(given, validate=True).partition(b":")
        except (binascii.Error, ValueError):
            return False
        return hmac.compare_digest(password, wanted.encode())


def host_name(host: str) -> str:
    """The name in a Host header, without its port."""
    host = host.lower()
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]


def token_of(request: Request) -> str:
    """The token that forms of this browser's session carry."""
    session: str = request.scope["barnabas_session"]
    key: bytes = request.app.state.key
    return hmac.digest(key, session.encode(), "sha256").hex()


def check_change(request: Request, form: Mapping[str, str]) -> None:
    """Let a form change something.

    Raises:
        HTTPException: it is not from a page of ours, or the console only shows.
    """
    if not hmac.compare_digest(form.get("token", "").encode(), token_of(request).encode()):
        raise HTTPException(
            403, "this form is not from a page of this console, or is old: load the page again"
        )
    refuse_if_read_only(request)


def refuse_if_read_only(request: Request) -> None:
    """Refuse a page that is for changes.

    Raises:
        HTTPException: the console only shows.
    """
    if request.app.state.settings.read_only:
        raise HTTPException(
            403,
            "this console is read-only: start it with --allow-changes to change anything by it",
        )
