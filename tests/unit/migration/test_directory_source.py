"""A log directory of Jafka, of Kafka 0.7 too, as the source of a migration."""

from pathlib import Path

import pytest

from barnabas.errors import ConfigError, StorageError
from barnabas.migration.directory_source import DirectorySource
from barnabas.runtime.files.disk import RealDisk
from tests.wires.golden07 import M0, M1

LOGS = Path(__file__).parents[2] / "vectors/logs07"


def test_segments_by_their_names(tmp_path: Path) -> None:
    folder = tmp_path / "of-dogs-3"
    folder.mkdir()
    (folder / "00000000000000000100.kafka").write_bytes(M1 * 2)
    (folder / "130.kafka").write_bytes(M0)
    (folder / "00000000000000000130.index").write_bytes(b"not it")
    (tmp_path / "of-dogs-x").mkdir()
    (tmp_path / ".kafka_cleanshutdown").touch()
    source = DirectorySource(RealDisk(), {7: str(tmp_path)}, "of-dogs")
    (place,) = source.places
    assert str(place) == "7-3"
    assert source.bounds(place) == (100, 144)
    reads = [
        bytes(source.read(place, *asked)) for asked in ((99, 5), (115, 99), (130, 3), (144, 1))
    ]
    assert reads == [b"", M1, M0[:3], b""]
    assert [source.next_start(place, at) for at in (0, 100, 130, 144)] == [100, 130, 144, 144]


def test_several_brokers_in_the_order_of_their_numbers() -> None:
    source = DirectorySource(RealDisk(), {2: str(LOGS), 1: str(LOGS)}, "corpus")
    assert [str(place) for place in source.places] == ["1-0", "1-1", "2-0", "2-1"]
    assert source.bounds(source.places[0])[0] == 0


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="has no directory dogs-0"):
        DirectorySource(RealDisk(), {0: str(LOGS)}, "dogs")
    with pytest.raises(StorageError, match="nowhere"):
        DirectorySource(RealDisk(), {0: str(tmp_path / "nowhere")}, "dogs")
