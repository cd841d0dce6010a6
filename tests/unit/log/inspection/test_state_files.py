"""Checkpoints as Kafka leaves them, and damaged ones."""

import pytest

from barnabas.log.directories.checkpoints import read_offsets
from barnabas.log.file_names import LEADER_EPOCHS
from barnabas.log.inspection.state_files import CHECKPOINTS, examine_epochs, examine_state
from barnabas.log.partition.leader_epochs import LeaderEpochs
from tests.memory_disk import MemoryDisk


def on_disk(data: bytes) -> MemoryDisk:
    disk = MemoryDisk()
    disk.write_file("file", data)
    return disk


@pytest.mark.parametrize("data", [b"", b"0\n0\n"])
@pytest.mark.parametrize("name", [*CHECKPOINTS, LEADER_EPOCHS])
def test_a_checkpoint_with_nothing_in_it_is_sound(name: str, data: bytes) -> None:
    """Kafka makes the file before it has anything to write, and may never have."""
    found = examine_state(name, data)
    assert (found.rows, found.faults) == ([], [])
    assert read_offsets(on_disk(data), "file") == {}
    epochs = LeaderEpochs(on_disk(data), "file")
    epochs.load()
    assert epochs.entries() == []


@pytest.mark.parametrize(
    ("name", "data"), [(LEADER_EPOCHS, b"0\n1\n3 12"), (CHECKPOINTS[0], b"0\n1\ndogs 0 12")]
)
def test_a_last_number_that_may_be_cut_short_is_reported(name: str, data: bytes) -> None:
    assert examine_state(name, data + b"\n").faults == []
    (fault,) = examine_state(name, data).faults
    assert (fault.position, fault.text) == (len(data), "the last line has no end")


@pytest.mark.parametrize("data", [b"\n", b"0", b"0\n1\n", b"1\n0\n", bytes(4)])
@pytest.mark.parametrize("name", [*CHECKPOINTS, LEADER_EPOCHS])
def test_a_damaged_checkpoint_is_none(name: str, data: bytes) -> None:
    assert examine_state(name, data).faults
    assert read_offsets(on_disk(data), "file") == {}


@pytest.mark.parametrize(
    ("data", "newest", "text"),
    [
        (b"", 0, "it knows no epoch, and the last batch of the log is of epoch 0"),
        (b"0\n0\n", 4, "it knows no epoch, and the last batch of the log is of epoch 4"),
        (
            b"0\n2\n1 0\n3 12\n",
            4,
            "it knows epochs up to 3, and the last batch of the log is of epoch 4",
        ),
    ],
)
def test_epochs_that_the_log_has_and_the_file_has_not_are_reported(
    data: bytes, newest: int, text: str
) -> None:
    (fault,) = examine_epochs(data, newest).faults
    assert (fault.position, fault.text) == (len(data), text)


@pytest.mark.parametrize(("data", "newest"), [(b"", -1), (b"0\n0\n", -1), (b"0\n1\n3 12\n", 3)])
def test_a_file_that_knows_all_epochs_of_the_log_is_sound(data: bytes, newest: int) -> None:
    """Also an empty one, where nothing was appended, or only messages that have no epochs."""
    assert examine_epochs(data, newest).faults == []
    assert examine_epochs(b"0\n1\n9 100\n", newest).faults == []


def test_a_file_without_epochs_may_be_sound_where_the_message_format_was_lower() -> None:
    """One with other epochs may not."""
    found = examine_epochs(b"", 4, had_older_format=True)
    (doubt,) = found.doubts
    assert found.faults == []
    assert doubt.startswith("it knows no epoch, and the last batch of the log is of epoch 4: ")
    found = examine_epochs(b"0\n1\n3 12\n", 4, had_older_format=True)
    assert (len(found.faults), found.doubts) == (1, ())
