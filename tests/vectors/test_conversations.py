"""Requests of clients of every generation and the answers of Kafka, read and written again."""

from pathlib import Path

import pytest

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
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


def test_every_version_is_there() -> None:
    spoken = {
        (frame.api, frame.version)
        for path in FILES
        for frame in from_text(path.read_text(encoding="utf-8"))
        if frame.kind == "request"
    }
    # No release knows ApiVersions 5 by name; one client asks in it all the same.
    for api in (
        ApiKey.PRODUCE,
        ApiKey.FETCH,
        ApiKey.LIST_OFFSETS,
        ApiKey.METADATA,
        ApiKey.API_VERSIONS,
        ApiKey.CREATE_TOPICS,
        ApiKey.DELETE_RECORDS,
        ApiKey.OFFSET_FOR_LEADER_EPOCH,
    ):
        asked = {version for key, version in spoken if key is api}
        assert asked == set(DECLARED[api].versions), api
