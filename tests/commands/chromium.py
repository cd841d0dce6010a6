"""A real browser without a screen: Chromium, driven by its DevTools protocol over two pipes."""

import base64
import contextlib
import itertools
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
_SECONDS = 60
_NUMBERED = 'exec "$0" "$@" 3<&{to} 4>&{back}'
"""Chromium reads commands from descriptor 3 and writes to 4; bash, for numbers of two digits."""


class Tab:
    """One page. `problems` are what its console reported: exceptions, refusals of its policy."""

    def __init__(self, to: int, back: int) -> None:
        self.problems: list[str] = []
        self._to, self._back = to, back
        self._ids = itertools.count(1)
        self._held = b""
        self._session = ""
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        attached = self.do("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.do(f"{domain}.enable")

    def open(self, url: str, width: int = 1100, height: int = 760, scheme: str = "light") -> None:
        """Go to a page, in a window of that size, and wait until it is there."""
        self.do(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
            mobile=False,
        )  # fmt: skip
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.do("Emulation.setEmulatedMedia", features=[feature])
        self.do("Page.navigate", url=url)
        self.until(
            f"location.href.startsWith({json.dumps(url)}) && document.readyState=='complete'"
        )

    def value(self, expression: str) -> Any:
        """What JavaScript makes of an expression."""
        found = self.do("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait for an expression to be true."""
        end = time.monotonic() + _SECONDS
        while not self.value(expression):
            assert time.monotonic() < end, f"never true: {expression}"
            time.sleep(0.05)

    def press(self, key: str) -> None:
        """Press and release a key, by its name."""
        code = {"Tab": 9, "Enter": 13}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.do(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                **text,
            )  # fmt: skip

    def picture(self, path: Path) -> None:
        """Save what is seen."""
        found = self.do("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(found["data"]))

    def do(self, method: str, **parameters: Any) -> Any:
        """Send a command; return its result."""
        number = next(self._ids)
        command = {"id": number, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._to, json.dumps(command).encode() + b"\0")
        while True:
            news = self._next()
            if news.get("id") == number:
                assert "error" not in news, news
                return news["result"]
            if news.get("method") == "Runtime.exceptionThrown":
                self.problems.append(json.dumps(news["params"]))
            if news.get("method") == "Log.entryAdded":
                self.problems.append(news["params"]["entry"]["text"])

    def _next(self) -> Any:
        while b"\0" not in self._held:
            waiting = select.poll()  # select() knows no descriptors beyond 1023
            waiting.register(self._back, select.POLLIN)
            assert waiting.poll(_SECONDS * 1000), "Chromium is silent"
            part = os.read(self._back, 1 << 20)
            assert part, "Chromium has ended"
            self._held += part
        line, _, self._held = self._held.partition(b"\0")
        return json.loads(line)


@contextlib.contextmanager
def browsing(profile: Path) -> Iterator[Tab]:
    """A browser with one tab, until the end of the context."""
    assert CHROMIUM is not None
    to_read, to_write = os.pipe()
    back_read, back_write = os.pipe()
    process = subprocess.Popen(
        [
            "bash", "-c", _NUMBERED.format(to=to_read, back=back_write), CHROMIUM,
            "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--remote-debugging-pipe", f"--user-data-dir={profile}",
        ],
        pass_fds=(to_read, back_write), stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(to_read)
    os.close(back_write)
    try:
        yield Tab(to_write, back_read)
    finally:
        process.terminate()
        process.wait(_SECONDS)
        os.close(to_write)
        os.close(back_read)
