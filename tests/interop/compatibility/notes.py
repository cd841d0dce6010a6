"""What the peers were seen to do: kept while tests run, written for docs/compatibility.md."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from barnabas.protocol.declared import DECLARED
from tests.interop.compatibility.peer import Peer

WORKS, FAILS = "works", "fails"


@dataclass(slots=True)
class Note:
    """One client's: the result of each scenario, and (API key, version) of its requests."""

    results: dict[str, str] = field(default_factory=dict)
    requests: set[tuple[int, int]] = field(default_factory=set)


class Notes:
    """Notes on many clients, by client and version."""

    def __init__(self) -> None:
        self._notes: dict[tuple[str, str], Note] = {}

    def add(
        self, peer: Peer, scenario: str, result: str, requests: Iterable[tuple[int, int]]
    ) -> None:
        """What came of a scenario, and what was asked of the broker in it."""
        note = self._notes.setdefault((peer.client, peer.version), Note())
        note.results[scenario] = result
        note.requests.update(requests)

    def write(self, path: Path, peers: Sequence[Peer]) -> None:
        """Bring the file up to date: in the order of the peers; rows of those that did not run stay."""
        rows: dict[tuple[str, str], dict[str, Any]] = {}
        if path.exists():
            rows = {(row["client"], row["version"]): row for row in json.loads(path.read_text())}
        today = datetime.now(UTC).date().isoformat()
        reported = []
        for peer in peers:
            key = (peer.client, peer.version)
            note = self._notes.get(key)
            row = rows.get(key) if note is None else _row(peer, note, today)
            if row is not None:
                reported.append(row)
        path.write_text(json.dumps(reported, indent=1) + "\n")


def _row(peer: Peer, note: Note, day: str) -> dict[str, Any]:
    names = {int(key): api.name for key, api in DECLARED.items()}
    requests: dict[str, list[int]] = {}
    for key, version in sorted(note.requests):
        requests.setdefault(names.get(key, str(key)), []).append(version)
    return {
        "client": peer.client,
        "version": peer.version,
        "note": peer.note,
        "measured": day,
        "results": dict(sorted(note.results.items())),
        "requests": requests,
    }
