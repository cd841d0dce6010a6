"""LeaderChoice: which replica leads next."""

from barnabas.cluster.leader_choice import (
    LeaderChoice,
    after_loss,
    before_shutdown,
    new_partition,
    preferred,
    reassigned,
)
from barnabas.types import NodeId

ONE, TWO, THREE = NodeId(1), NodeId(2), NodeId(3)
ALL = (ONE, TWO, THREE)


def test_a_new_partition_is_led_by_its_first_live_replica() -> None:
    assert new_partition(ALL, {THREE, TWO}) == LeaderChoice(TWO, (TWO, THREE))
    assert new_partition(ALL, {NodeId(9)}) is None


def test_after_a_loss_the_first_replica_in_sync_leads() -> None:
    assert after_loss(ALL, (THREE, TWO), {TWO, THREE}, unclean=False) == LeaderChoice(
        TWO, (THREE, TWO)
    )
    assert after_loss(ALL, (ONE, THREE), {TWO, THREE}, unclean=True) == LeaderChoice(
        THREE, (THREE,)
    )


def test_nobody_out_of_sync_leads_unless_that_is_wanted() -> None:
    assert after_loss(ALL, (ONE,), {TWO, THREE}, unclean=False) is None
    found = after_loss(ALL, (ONE,), {TWO, THREE}, unclean=True)
    assert found == LeaderChoice(TWO, (TWO,), is_clean=False)
    assert after_loss(ALL, (ONE,), set(), unclean=True) is None


def test_only_the_first_replica_is_preferred() -> None:
    assert preferred(ALL, (TWO, ONE), {ONE, TWO}) == LeaderChoice(ONE, (TWO, ONE))
    assert preferred(ALL, (TWO, ONE), {TWO}) is None
    assert preferred(ALL, (TWO,), {ONE, TWO}) is None


def test_a_reassignment_leaves_one_of_its_target() -> None:
    assert reassigned((THREE, TWO), ALL, {ONE, TWO}) == LeaderChoice(TWO, ALL)
    assert reassigned((THREE,), (ONE,), {ONE, THREE}) is None


def test_who_shuts_down_is_no_longer_in_sync() -> None:
    assert before_shutdown(ALL, ALL, ALL, {ONE}) == LeaderChoice(TWO, (TWO, THREE))
    assert before_shutdown(ALL, (ONE,), ALL, {ONE}) is None
