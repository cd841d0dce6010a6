"""`barnabas wire proxy` before a broker, and what it printed of a conversation."""

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.commands.served import BARNABAS, environment

SECONDS = 20


@dataclass
class Proxied:
    """A proxy that runs; `documents` has what it printed when it has ended."""

    servers: str
    process: subprocess.Popen[str]
    file: Path
    lines: list[str] = field(default_factory=list)

    def documents(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]


@contextmanager
def proxied(servers: str, folder: Path, *options: str) -> Iterator[Proxied]:
    """A proxy before the broker at `servers`; it must end in order and have nothing to say."""
    file = folder / "errors.pcap"
    out = (folder / "out.txt").open("w+")
    process = subprocess.Popen(
        [*BARNABAS, "wire", "proxy", "--listen", "0", "--to", servers, *options,
         "--save", str(file)],
        stdout=out, stderr=subprocess.PIPE, text=True, env=environment(""),
    )  # fmt: skip
    assert process.stderr is not None
    failed: BaseException | None = None
    try:
        first = process.stderr.readline()
        assert first.startswith("listening at "), first
        proxy = Proxied(first.split()[2], process, file)
        yield proxy
    except BaseException as error:
        failed = error
        raise
    finally:
        process.terminate()
        process.wait(SECONDS)
        response = process.stderr.read()
        process.stderr.close()
        out.seek(0)
        found = out.read().splitlines()
        out.close()
        if failed is not None:
            failed.add_note(f"the proxy's errors: {response!r}; it saw {_kinds(found)}")
    assert (process.returncode, response) == (0, "")
    proxy.lines += found


def _kinds(lines: list[str]) -> dict[str, int]:
    """How many frames of each kind."""
    documents = [json.loads(line) for line in lines if line.startswith("{")]
    return Counter(f"{each['kind']} {each['api']}" for each in documents)


def assert_understood(found: list[dict[str, Any]]) -> None:
    """Each byte of each frame has a field, and nobody made a mistake."""
    assert found
    for each in found:
        assert each["mistakes"] == [], each
        position = 0
        for part in each["fields"]:
            assert part["offset"] == position
            assert "not understood" not in part["meaning"]
            position += len(part["hex"]) // 2
        assert position == each["size"]
