import pytest

from barnabas.errors import StorageError
from sim.world.clock import SimClock
from sim.world.disk import SimDisk, Storage
from sim.world.entropy import SeededEntropy
from sim.world.loop import SimLoop
from sim.world.process import Killed, Process


class Machine:
    """A machine whose process can be another one."""

    def __init__(self, seed: str = "a") -> None:
        self.loop = SimLoop()
        self.storage = Storage(SeededEntropy(seed), SimClock(self.loop.now))
        self.disk = self.restarted()
        self.disk.make_directory("/d")
        self.disk.sync_directory("")

    def restarted(self) -> SimDisk:
        return SimDisk(self.storage, Process(self.loop, "broker"))

    def power_cut(self) -> SimDisk:
        self.disk.process.die()
        self.storage.power_cut()
        return self.restarted()


def test_what_was_synced_survives_a_power_cut_and_of_the_rest_some() -> None:
    lengths = set()
    for seed in range(30):
        machine = Machine(str(seed))
        file = machine.disk.open("/d/f", create=True)
        file.write(0, [b"kept"])
        file.sync()
        machine.disk.sync_directory("/d")
        file.write(4, [b"perhaps"])
        found = machine.power_cut().read_file("/d/f")
        assert found.startswith(b"kept")
        assert all(byte in {0, b"perhaps"[at]} for at, byte in enumerate(found[4:]))
        lengths.add(len(found))
    assert len(lengths) > 4


def test_of_changes_of_names_a_power_cut_leaves_a_beginning() -> None:
    left = set()
    for seed in range(30):
        machine = Machine(str(seed))
        for name in "abc":
            machine.disk.open(f"/d/{name}", create=True)
        left.add("".join(machine.power_cut().list("/d")))
    assert left == {"", "a", "ab", "abc"}


def test_a_rename_that_is_durable_stays_and_takes_what_is_below_along() -> None:
    machine = Machine()
    machine.disk.make_directory("/d/t")
    machine.disk.open("/d/t/log", create=True)
    machine.disk.rename("/d/t", "/d/u")
    disk = machine.power_cut()
    assert disk.list("/d") == ["u"]
    assert disk.list("/d/u") == ["log"]


def test_a_kill_keeps_what_was_written_and_tears_the_last_write() -> None:
    torn = set()
    for seed in range(30):
        machine = Machine(str(seed))
        file = machine.disk.open("/d/f", create=True)
        file.write(0, [b"whole"])
        machine.disk.steps_until_death = 0
        with pytest.raises(Killed):
            file.write(5, [b"torn"])
        with pytest.raises(Killed):
            file.read(0, 1)
        found = machine.restarted().read_file("/d/f")
        assert b"wholetorn".startswith(found)
        assert found.startswith(b"whole")
        torn.add(len(found))
    assert torn == {5, 6, 7, 8, 9}


def test_a_sync_promises_what_was_there_when_it_began() -> None:
    machine = Machine()
    received: list[bool] = []
    file = machine.disk.open("/d/f", create=True)
    file.write(0, [b"before"])
    sync = machine.disk.begin_sync([file], ["/d"], lambda: received.append(True))
    file.write(6, [b"after"])
    assert not sync.poll()
    machine.loop.run_until(1.0)
    assert sync.poll()
    assert received == [True]
    assert machine.power_cut().read_file("/d/f").startswith(b"before")


def test_a_lock_is_held_until_its_process_dies() -> None:
    machine = Machine()
    other = machine.restarted()
    with machine.disk.lock("/d/.lock"):
        with pytest.raises(StorageError, match="another process"), other.lock("/d/.lock"):
            pass
        machine.disk.process.die()
        with other.lock("/d/.lock"):
            pass
