"""Frames that real clients and our broker exchanged, read and written again."""

from pathlib import Path

import pytest

from tests.vectors.annotated import annotate, from_text, to_text, written

FRAMES = Path(__file__).with_name("frames")
FILES = sorted(FRAMES.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_frames_say_what_is_written_beside_them(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    frames = list(from_text(text))
    assert [frame.kind for frame in frames] == ["request", "response"]
    for frame in frames:
        assert b"".join(data for data, _ in annotate(frame)) == frame.data
        assert written(frame) == frame.data
    assert "\n".join(map(to_text, frames)) == text


def test_the_main_conversations_are_there() -> None:
    apis = {frame.api.name for path in FILES for frame in from_text(path.read_text("utf-8"))}
    assert apis >= {"PRODUCE", "FETCH", "LIST_OFFSETS", "METADATA", "API_VERSIONS"}
    assert apis >= {"CREATE_TOPICS", "DELETE_TOPICS", "INIT_PRODUCER_ID", "DESCRIBE_CONFIGS"}
