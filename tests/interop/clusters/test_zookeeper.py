"""Real ZooKeeper: the registry does on it what it does anywhere, through expiry, restart and silence."""

import queue
import time
from collections.abc import Callable, Iterator

import pytest
from kazoo.client import KazooClient

from barnabas.errors import ConfigError, RegistryConflict, RegistryUnavailable, StorageError
from barnabas.ports import Registry, SharedRegistry
from barnabas.runtime.registries.zookeeper import ZooKeeperRegistry
from barnabas.types import NodeWrite
from tests import registry_scenarios
from tests.interop.peers.brokers.zookeeper import ZooKeeper
from tests.interop.peers.generations import KAFKA_0_10
from tests.registry_scenarios import Sessions, Until

pytestmark = [pytest.mark.interop, pytest.mark.java]

SECONDS = 40.0
SESSION_MS = 20_000


class Here:
    """Sessions under a path of their own; their callbacks run while `until` waits."""

    def __init__(self, keeper: ZooKeeper) -> None:
        self.keeper = keeper
        self.place = f"{keeper.address}/test/{time.monotonic_ns()}"
        self.opened: list[ZooKeeperRegistry] = []
        self.news: queue.Queue[Callable[[], None]] = queue.Queue()

    def session(self, session_ms: int = SESSION_MS) -> ZooKeeperRegistry:
        made = ZooKeeperRegistry(
            self.place, session_ms=session_ms, connection_ms=30_000, hand_over=self.news.put
        )
        self.opened.append(made)
        return made

    def until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + SECONDS
        while not condition():
            assert time.monotonic() < deadline, "it does not come about"
            try:
                self.news.get(timeout=0.05)()
            except queue.Empty:
                continue

    def answers(self, session: ZooKeeperRegistry) -> bool:
        try:
            session.get("/")
        except RegistryUnavailable:
            return False
        return True

    def expire(self, session: SharedRegistry) -> None:
        """End a session behind its client's back."""
        assert isinstance(session, ZooKeeperRegistry)
        ours = session._client.client_id
        thief = KazooClient(self.keeper.address, client_id=ours)
        thief.start(SECONDS)
        thief.stop()
        thief.close()


@pytest.fixture
def here(keeper: ZooKeeper) -> Iterator[Here]:
    here = Here(keeper)
    yield here
    for session in here.opened:
        session.close()


@pytest.mark.parametrize("scenario", registry_scenarios.STORES, ids=lambda each: each.__name__)
def test_store(scenario: Callable[[Registry], None], here: Here) -> None:
    scenario(here.session())


@pytest.mark.parametrize("scenario", registry_scenarios.SHARED, ids=lambda each: each.__name__)
def test_shared(scenario: Callable[[Sessions, Until], None], here: Here) -> None:
    scenario(here.session, here.until)


def test_new_session(here: Here) -> None:
    registry_scenarios.a_new_session_notifies_and_ephemeral_nodes_are_gone(
        here.session, here.until, here.expire
    )


def test_a_topic_of_more_nodes_than_a_transaction_may_hold_is_deleted(here: Here) -> None:
    session, topic = here.session(), f"/brokers/topics/{'w' * 249}"
    session.create_all({f"{topic}/partitions/{index}/state": b"" for index in range(2_000)})
    session.create("/epoch", b"1")
    with pytest.raises(RegistryConflict):
        session.commit([NodeWrite(topic, None)], {"/epoch": 7})
    assert len(session.children(f"{topic}/partitions")) == 2_000
    session.commit([NodeWrite(topic, None)], {"/epoch": 0})
    assert session.get(topic) is None


def read_many(session: ZooKeeperRegistry) -> None:
    """More nodes than one request reads, and some that are not there, are read as they are one by one."""
    written = {f"/many/{index}": b"%d" % index * (index % 3) for index in range(300)}
    session.create_all(written)
    session.set("/many/7", b"again")
    asked = [path for path in written for path in (path, f"{path}-none")]
    found = session.get_all(asked)
    assert found == [session.get(path) for path in asked]
    assert [one[:2] if one else None for one in session.get_dated(asked)] == found
    assert session.get_all([]) == []


def test_many_nodes_are_read_in_few_requests(here: Here) -> None:
    session = here.session()
    read_many(session)
    assert not session._calls._reads_one_by_one


def test_many_nodes_are_read_from_a_zookeeper_without_such_a_request() -> None:
    with ZooKeeper(KAFKA_0_10) as keeper:  # ZooKeeper 3.4
        session = Here(keeper).session()
        try:
            read_many(session)
            assert session._calls._reads_one_by_one
        finally:
            session.close()


@pytest.mark.long
def test_a_killed_zookeeper_is_a_clear_error_and_back_the_session_goes_on(here: Here) -> None:
    session = here.session(30_000)
    session.create_ephemeral("/ids/1", b"here")
    changes: list[object] = []
    session.watch("/ids", lambda: changes.append(1))
    here.keeper.kill()
    here.until(lambda: not here.answers(session))
    with pytest.raises(RegistryUnavailable, match="ZooKeeper at .* is not connected"):
        session.set("/ids/1", b"there")
    here.keeper.start()
    here.until(lambda: bool(changes) and here.answers(session))
    assert session.get("/ids/1") == (b"here", 0)
    assert session.is_mine("/ids/1")


def test_a_silent_zookeeper_holds_a_call_up_only_once(here: Here) -> None:
    session, leaving = here.session(6000), here.session(60_000)
    session.create("/a", b"1")
    with here.keeper.child.paused():
        with pytest.raises(RegistryUnavailable, match="took longer than 2 s"):
            session.get("/a")
        with pytest.raises(RegistryUnavailable, match="has not answered a call before"):
            session.set("/a", b"2")
        begun = time.monotonic()
        leaving.close()
        assert time.monotonic() - begun < 8, "nobody waits for a farewell"
    here.until(lambda: here.answers(session))
    assert session.get("/a") == (b"1", 0)


def test_nobody_there_is_a_clear_error() -> None:
    with pytest.raises(RegistryUnavailable, match="127.0.0.1:1/path did not answer within 300 ms"):
        ZooKeeperRegistry(
            "127.0.0.1:1/path", session_ms=1000, connection_ms=300, hand_over=lambda call: call()
        )


@pytest.mark.parametrize(
    "place", ["", "here", "here:", "here:x", ":1", "here:1,", "a:1/b/../c", "a:1//b"]
)
def test_a_place_that_cannot_be(place: str) -> None:
    with pytest.raises(ConfigError, match="zookeeper.connect="):
        ZooKeeperRegistry(place, session_ms=1, connection_ms=1, hand_over=lambda call: call())


def test_a_name_that_zookeeper_does_not_take_is_an_error_of_storage(here: Here) -> None:
    session = here.session()
    with pytest.raises(StorageError, match="refuses /consumers/../x"):
        session.set("/consumers/../x", b"")
    with pytest.raises(StorageError, match="refuses"):
        session.set("/consumers/\0", b"")
