from xml.etree import ElementTree as ET

import pytest

from benchmarks.report.chart import LABELS, WIDTH, bars

SVG = "{http://www.w3.org/2000/svg}"


def drawn(rows: list[tuple[str, float]]) -> ET.Element:
    return ET.fromstring(bars("Work", "shorter is better", "Kafka = 1", rows))


def widths(picture: ET.Element, kind: str) -> list[float]:
    return [
        float(each.attrib["width"])
        for each in picture.iter(f"{SVG}rect")
        if each.attrib["class"] == kind
    ]


def test_a_bar_is_as_long_as_its_ratio_of_the_peers() -> None:
    picture = drawn([("produce", 0.5), ("fetch", 0.25)])
    (one, other), (peer, _) = widths(picture, "bar"), widths(picture, "track")
    assert one == pytest.approx(0.5 * peer, abs=0.1)
    assert other == pytest.approx(0.25 * peer, abs=0.1)
    assert [each.text for each in picture.iter(f"{SVG}text")][-4:] == [
        *("produce", "0.50x"),
        *("fetch", "0.25x"),
    ]


def test_a_ratio_over_one_has_its_own_colour_and_stays_inside() -> None:
    picture = drawn([("write", 1.6), ("read", 0.4)])
    (over,) = widths(picture, "over")
    assert LABELS + over < WIDTH
    assert len(widths(picture, "bar")) == 1


def test_names_are_escaped() -> None:
    assert "<&>" in [each.text for each in drawn([("<&>", 0.5)]).iter(f"{SVG}text")]


def test_it_has_colours_for_dark_pages() -> None:
    (style,) = drawn([("produce", 0.5)]).iter(f"{SVG}style")
    assert "prefers-color-scheme: dark" in (style.text or "")
