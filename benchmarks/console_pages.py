"""`python -m benchmarks.console_pages [TOPICS]`: how long the first pages of a new console take.

A broker with that many topics (10,000) runs on this machine. Each round starts a console and fetches
pages as a browser does, the first as soon as the address is there, and then what they lacked.
"""

import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

from barnabas import Admin, NewTopic

BARNABAS = (sys.executable, "-m", "barnabas")
ROUNDS = 5
PAGES = ("", "topics", "groups")
SERVER = re.compile(r"is ready at (\S+),")
ADDRESS = re.compile(r"http://\S+/")


@contextmanager
def running(pattern: re.Pattern[str], *arguments: str) -> Iterator[str]:
    """A command of ours; the first match of its first line."""
    process = subprocess.Popen([*BARNABAS, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        found = pattern.search(process.stdout.readline())
        assert found, arguments
        yield found.group(found.lastindex or 0)
    finally:
        process.terminate()
        process.wait()


def fetched(url: str) -> tuple[float, bytes]:
    """Milliseconds until a page was there, and the page."""
    begun = time.perf_counter()
    with urllib.request.urlopen(url, timeout=60) as answer:
        page: bytes = answer.read()
    return (time.perf_counter() - begun) * 1000, page


def main(count: int) -> None:
    """Print the median of each page, its bytes, and when all of it was there."""
    shown: dict[str, list[tuple[float, int, float]]] = {path: [] for path in PAGES}
    with running(SERVER, "serve", "--ephemeral", "--port", "0") as servers:
        with Admin(bootstrap_servers=servers) as admin:
            for first in range(0, count, 1000):
                numbers = range(first, min(count, first + 1000))
                admin.create_topics([NewTopic(f"topic-{one:05d}", 1, 1) for one in numbers])
        for path in PAGES * ROUNDS:
            arguments = ("--port", "0", "--bootstrap-servers", servers)
            with running(ADDRESS, "console", *arguments) as url:
                took, page = fetched(url + path)
                whole, size = took, len(page)
                if b"data-later" in page:
                    more, rest = fetched(f"{url}{path}?whole=1")
                    whole, size = took + more, size + len(rest)
                shown[path].append((took, size, whole))
    for path, found in shown.items():
        took, size, whole = (median(column) for column in zip(*found, strict=True))
        print(f"/{path}: shown after {took:.0f} ms, whole after {whole:.0f} ms, {size:.0f} bytes")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
