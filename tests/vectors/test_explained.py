"""The lens on frames that real clients and brokers exchanged, and its text for a few of them."""

from pathlib import Path

import pytest

from barnabas.cli.wire.wire_output import Style, text_lines
from barnabas.lens.capture.conversation import SentFrame
from barnabas.lens.contents.record_sets import read_records
from barnabas.lens.languages.kafka import KafkaLens
from barnabas.lens.walks.part import Explained, RequestSummary
from barnabas.lens.walks.walk import Walk
from tests.vectors.annotated import Frame, annotate, from_text
from tests.vectors.record_text import from_text as records_from_text

HERE = Path(__file__).parent
FRAMES = sorted((HERE / "frames").glob("*.txt"))
EXPLAINED = sorted((HERE / "explained").glob("*.txt"))
RECORDS = sorted((HERE / "records").glob("*.txt"))
LOGS = sorted((HERE / "logs").glob("kafka-*/corpus-*/*.log"))
LENS = KafkaLens()


def explain(frame: Frame) -> Explained:
    if frame.kind == "request":
        return LENS.request(frame.data, bare=True)
    return LENS.response(frame.data, RequestSummary(frame.api, frame.version), bare=True)


@pytest.mark.parametrize("path", FRAMES, ids=lambda path: path.stem)
def test_real_frames_have_no_mistake(path: Path) -> None:
    for frame in from_text(path.read_text(encoding="utf-8")):
        found = explain(frame)
        assert found.faults == ()
        assert b"".join(frame.data[part.start : part.end] for part in found.parts) == frame.data
        ends = {part.end for part in found.parts}
        at = 0
        for data, answer in annotate(frame):
            at += len(data)
            assert at in ends, answer


@pytest.mark.parametrize("path", EXPLAINED, ids=lambda path: path.stem)
def test_the_text_is_what_it_was(path: Path) -> None:
    lines: list[str] = []
    for frame in from_text((HERE / "frames" / path.name).read_text(encoding="utf-8")):
        reported = SentFrame(
            explained=explain(frame), position=0, from_client=frame.kind == "request"
        )
        lines += text_lines(reported, Style())
    assert "\n".join(lines) == path.read_text(encoding="utf-8")


def test_some_texts_are_kept() -> None:
    assert len(EXPLAINED) >= 3


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_real_batches_have_no_mistake(path: Path) -> None:
    vector = records_from_text(path.read_text(encoding="utf-8"))
    walk = Walk(vector.batch)
    read_records(walk, "records", cut=False)
    assert walk.faults == []
    inside = walk.parts[-1].inside
    if inside is not None:
        assert inside.data == vector.inside


@pytest.mark.parametrize("path", LOGS, ids=lambda path: "/".join(path.parts[-3:]))
def test_segments_of_all_releases_have_no_mistake(path: Path) -> None:
    data = path.read_bytes()
    walk = Walk(data)
    read_records(walk, "records", cut=False)
    assert walk.faults == []
    assert walk.position == len(data)
