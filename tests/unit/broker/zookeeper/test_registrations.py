import pytest

from barnabas.broker.zookeeper.registrations import join_cluster, name_cluster
from barnabas.errors import LogDirFailed
from tests.simulated_zookeeper import SimulatedSession, SimulatedZooKeeper


class Slow(SimulatedSession):
    """Between what it reads first and its next call, another broker names the cluster."""

    def get(self, path: str) -> tuple[bytes, int] | None:
        found = super().get(path)
        if found is None:
            name_cluster(self.keeper.session(), "the-other's")
        return found


def test_the_first_of_several_brokers_names_their_cluster() -> None:
    keeper = SimulatedZooKeeper()
    assert name_cluster(keeper.session(), "first") == "first"
    assert name_cluster(keeper.session(), "second") == "first"


def test_who_comes_second_in_a_race_takes_the_others_name() -> None:
    assert name_cluster(Slow(SimulatedZooKeeper(), None), "mine") == "the-other's"


def test_directories_of_another_cluster_are_refused_and_a_new_registry_takes_theirs() -> None:
    keeper = SimulatedZooKeeper()
    join_cluster(keeper.session(), "ours")
    join_cluster(keeper.session(), "ours")
    with pytest.raises(LogDirFailed, match="of cluster theirs.*of cluster ours"):
        join_cluster(keeper.session(), "theirs")
