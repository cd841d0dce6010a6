import pytest

from barnabas.versions import VersionRange, VersionTable


@pytest.mark.parametrize("text", ["3+", "0-12", "7", "none"])
def test_range_reads_and_writes_kafkas_notation(text: str) -> None:
    assert str(VersionRange.parse(text)) == text


def test_range_contains_both_ends() -> None:
    versions = VersionRange.parse("3-5")
    assert list(versions) == [3, 4, 5]
    assert 2 not in versions
    assert 6 not in versions


def test_open_range_meets_closed_one() -> None:
    assert VersionRange.parse("3+").intersection(VersionRange.parse("0-12")) == VersionRange(3, 12)
    assert VersionRange.parse("9+").intersection(VersionRange.parse("0-8")).is_empty


def test_table_row_holds_up_to_the_next() -> None:
    table = VersionTable({0: "zookeeper", 1: "topic", 6: "both"})
    assert [table[version] for version in (0, 1, 5, 6, 9)] == [
        "zookeeper",
        "topic",
        "topic",
        "both",
        "both",
    ]


def test_table_has_no_row_before_its_first() -> None:
    with pytest.raises(KeyError):
        VersionTable({3: "x"})[2]
