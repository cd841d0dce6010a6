"""The registry of brokers in one process does what ZooKeeper does, and keeps what lasts."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from barnabas.errors import RegistryConflict, RegistryUnavailable
from barnabas.ports import Registry, SharedRegistry
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.registries.embedded import EmbeddedRegistry
from barnabas.runtime.registries.local import LocalRegistry, LocalSession
from tests import registry_scenarios
from tests.registry_scenarios import Sessions, Until


class Here:
    """A registry in a file, and the events of its sessions."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._news: list[Callable[[], None]] = []
        self.open()

    def open(self) -> None:
        self.registry = LocalRegistry(EmbeddedRegistry(RealDisk(), str(self._file)), 0)

    def session(self) -> LocalSession:
        return self.registry.session(self._news.append)

    def until(self, condition: Callable[[], bool]) -> None:
        while self._news:
            self._news.pop(0)()
        assert condition()


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Here]:
    made = Here(tmp_path / "registry")
    yield made
    made.registry.close()


@pytest.mark.parametrize("scenario", registry_scenarios.STORES, ids=lambda each: each.__name__)
def test_store(scenario: Callable[[Registry], None], here: Here) -> None:
    scenario(here.session())


@pytest.mark.parametrize("scenario", registry_scenarios.SHARED, ids=lambda each: each.__name__)
def test_shared(scenario: Callable[[Sessions, Until], None], here: Here) -> None:
    scenario(here.session, here.until)


def test_who_was_cut_off_has_another_session(here: Here) -> None:
    def expire(session: SharedRegistry) -> None:
        assert isinstance(session, LocalSession)
        session.cut_off()
        with pytest.raises(RegistryUnavailable):
            session.get("/lasting")
        session.heal()

    registry_scenarios.a_new_session_notifies_and_ephemeral_nodes_are_gone(
        here.session, here.until, expire
    )


def test_who_is_cut_off_hears_nothing_and_its_nodes_are_gone_for_others(here: Here) -> None:
    one, other = here.session(), here.session()
    changes: list[str] = []
    one.watch("/ids", lambda: changes.append("ids"))
    one.create_ephemeral("/ids/1", b"")
    here.until(lambda: changes == ["ids"])
    one.cut_off()
    assert other.children("/ids") == []
    other.create_ephemeral("/ids/2", b"")
    here.until(lambda: changes == ["ids"])
    one.close()
    one.heal()  # It has ended: there is no other session.
    here.until(lambda: changes == ["ids"])
    with pytest.raises(RegistryUnavailable):
        one.get("/ids/2")


def test_a_process_after_it_finds_what_lasts_and_nothing_else(here: Here) -> None:
    session = here.session()
    session.create_ephemeral("/brokers/ids/1", b"one")
    session.set("/controller_epoch", b"1")
    session.set("/controller_epoch", b"2")
    here.registry.close()
    here.open()
    session = here.session()
    assert session.children("/brokers/ids") == []
    assert session.get("/controller_epoch") == (b"2", 1)


def test_each_change_has_a_number_and_later_ones_higher_ones(here: Here) -> None:
    session = here.session()
    assert session.created_at("/brokers/ids/1") == -1
    session.create_ephemeral("/brokers/ids/1", b"one")
    first = session.created_at("/brokers/ids/1")
    session.delete("/brokers/ids/1")
    session.create_ephemeral("/brokers/ids/1", b"one")
    assert session.created_at("/brokers/ids/1") > first
    session.close()
    assert not here.registry.created, "numbers of nodes that are gone are not kept"


def test_numbers_of_written_nodes_go_with_them(here: Here) -> None:
    session = here.session()
    session.create("/topics/dogs/state", b"1")
    session.create("/topics/dogs-2/state", b"1")
    session.delete("/topics/dogs")
    written = {path for path in here.registry.written if path.startswith("/topics/")}
    assert written == {"/topics/dogs-2/state"}


def test_what_another_process_has_written_is_older_than_all_of_this_one(here: Here) -> None:
    here.session().set("/controller_epoch", b"1")
    here.registry.close()
    here.open()
    assert here.session().get_dated(["/controller_epoch", "/none"]) == [(b"1", 0, 0), None]


def test_a_session_that_has_ended_does_nothing(here: Here) -> None:
    session = here.session()
    session.close()
    with pytest.raises(RegistryUnavailable):
        session.set("/a", b"")
    assert here.session().get("/a") is None


def test_work_is_done_beside_the_loop_and_nothing_of_a_session_that_has_ended(here: Here) -> None:
    """What a controller decides and writes for thousands of partitions must not hold up clients."""
    session = here.session()
    session.set("/node", b"data")
    given: list[object] = []
    may_go_on, here_now = threading.Event(), threading.get_ident()

    def work() -> tuple[object, bool]:
        assert may_go_on.wait(60)
        return session.get("/node"), threading.get_ident() != here_now

    def fail() -> None:
        raise RegistryConflict("no")

    session.later(work, given.append)
    session.later(fail, given.append)
    here.until(lambda: not given)
    may_go_on.set()
    deadline = time.monotonic() + 60
    while len(given) < 2:
        here.until(lambda: time.monotonic() < deadline)
    assert given[0] == ((b"data", 0), True)
    assert isinstance(given[1], RegistryConflict)
    session.close()
    session.later(work, given.append)
    here.until(lambda: len(given) == 2)
