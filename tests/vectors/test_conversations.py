"""Requests of clients of every generation and the answers of Kafka, read and written again."""

from pathlib import Path

import pytest

from barnabas.protocol.api_keys import ApiKey
from tests.vectors.annotated import annotate, from_text, to_text, written

FILES = sorted(Path(__file__).with_name("conversations").glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_frames_say_what_is_written_beside_them(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    frames = list(from_text(text))
    for frame in frames:
        assert b"".join(data for data, _ in annotate(frame)) == frame.data
        assert written(frame) == frame.data
    assert "\n".join(map(to_text, frames)) == text


def test_every_generation_is_there() -> None:
    spoken = {
        (frame.api, frame.version)
        for path in FILES
        for frame in from_text(path.read_text(encoding="utf-8"))
        if frame.kind == "request"
    }
    versions = {
        ApiKey.PRODUCE: {0, 1, 2, 3, 5, 7, 8, 9, 10, 11, 13},
        ApiKey.FETCH: {0, 1, 3, 5, 7, 11, 12, 17, 18},
        ApiKey.LIST_OFFSETS: {0, 1, 2, 5, 6, 9, 11},
        ApiKey.METADATA: {0, 1, 2, 4, 5, 9, 11, 12, 13},
        ApiKey.API_VERSIONS: {0, 1, 3, 4},
    }
    for api, expected in versions.items():
        assert {version for key, version in spoken if key is api} >= expected, api
