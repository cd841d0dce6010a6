"""Commands of ours as processes, and pages as a browser fetches them."""

import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

BARNABAS = (sys.executable, "-m", "barnabas")
SERVER = re.compile(r"is ready at (\S+),")
METRICS = re.compile(r"http://\S+/metrics")
CONSOLE = re.compile(r"http://\S+/")


@contextmanager
def running(patterns: tuple[re.Pattern[str], ...], *arguments: str) -> Iterator[list[str]]:
    """A command of ours until the end of the context; what its first lines match, one pattern each."""
    with subprocess.Popen([*BARNABAS, *arguments], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            found = []
            for pattern in patterns:
                line = process.stdout.readline()
                match = pattern.search(line)
                assert match, (arguments, line)
                found.append(match.group(match.lastindex or 0))
            yield found
        finally:
            process.terminate()


def fetched(url: str) -> tuple[float, bytes]:
    """Milliseconds until a page was there, and the page."""
    begun = time.perf_counter()
    with urllib.request.urlopen(url, timeout=60) as answer:
        page: bytes = answer.read()
    return (time.perf_counter() - begun) * 1000, page
