"""Leader: the high watermark, the ISR, and what is refused."""

from barnabas.errors import ErrorCode
from barnabas.log.partition.leader_epochs import LeaderEpochs
from barnabas.replication.divergence import EpochEnd
from barnabas.replication.effects import NO_EFFECTS, LeaderEffects
from barnabas.replication.events import (
    Appended,
    BrokersChanged,
    EpochBegun,
    FollowerFetched,
    IsrRefused,
    LogStartMoved,
    PartitionChanged,
    Ticked,
)
from barnabas.replication.leader import Leader, Leadership, Limits
from barnabas.replication.watermark import LogOffsets
from barnabas.types import NodeId
from tests.memory_disk import MemoryDisk

ONE, TWO, THREE = NodeId(1), NodeId(2), NodeId(3)
ALL_THREE = frozenset({ONE, TWO, THREE})
LIMITS = Limits(min_insync_replicas=1, replica_lag_time_max_ms=100)


def lead(
    isr: frozenset[NodeId] = ALL_THREE, end: int = 10, mark: int = 8, limits: Limits = LIMITS
) -> Leader:
    """Leader 1 of epoch 5 from offset `end` on; its log has epoch 3 from 0 on."""
    epochs = LeaderEpochs(MemoryDisk(), "epochs")
    epochs.replace([(3, 0), (5, end)])
    leadership = Leadership(ONE, 5, 7, isr, (ONE, TWO, THREE))
    return Leader(leadership, LogOffsets(0, end, mark), epochs, limits, now_ms=0)


def fetch(leader: Leader, node_id: NodeId, offset: int, now_ms: int = 0) -> LeaderEffects:
    return leader.step(FollowerFetched(node_id, offset, now_ms, 0))


def test_the_watermark_is_what_all_in_sync_have() -> None:
    leader = lead()
    leader.step(Appended(12, 0))
    assert fetch(leader, TWO, 12).high_watermark is None  # 3 has not fetched yet.
    assert fetch(leader, THREE, 11).high_watermark == 11
    assert fetch(leader, THREE, 12).high_watermark == 12


def test_a_log_whose_records_have_no_epochs_is_led_too_and_compares_none() -> None:
    epochs = LeaderEpochs(MemoryDisk(), "epochs")
    leadership = Leadership(ONE, 5, 7, ALL_THREE, (ONE, TWO, THREE))
    leader = Leader(leadership, LogOffsets(0, 10, 8), epochs, LIMITS, now_ms=0)
    assert leader.epoch_end(5, 3) == EpochEnd(-1, -1)
    assert fetch(leader, TWO, 9) == NO_EFFECTS
    assert fetch(leader, THREE, 9).high_watermark == 9
    leader.step(EpochBegun(ALL_THREE, (ONE, TWO, THREE), 6, 8, 0))
    assert leader.leader_epoch == 6
    assert leader.epoch_end(6, 6) == EpochEnd(-1, -1)


def test_the_watermark_never_goes_back() -> None:
    leader = lead()
    fetch(leader, TWO, 10)
    assert fetch(leader, THREE, 10).high_watermark == 10
    assert fetch(leader, TWO, 9).high_watermark is None
    assert leader.high_watermark == 10


def test_a_leader_alone_commits_at_once() -> None:
    leader = lead(frozenset({ONE}), limits=Limits(1, 100))
    assert leader.high_watermark == 10
    assert leader.step(Appended(13, 0)).high_watermark == 13


def test_a_leader_is_alone_while_there_is_no_other_replica() -> None:
    leader = lead(frozenset({ONE}))
    found = [leader.is_alone]  # Two others may join.
    for version, (isr, replicas) in enumerate(
        [((ONE,), (ONE,)), ((), (ONE,)), ((ONE,), (ONE, TWO))], start=8
    ):
        leader.step(PartitionChanged(frozenset(isr), replicas, 5, version, 0))
        found.append(leader.is_alone)
    assert found == [False, True, False, False]


def test_what_a_leader_alone_appends_is_committed_as_by_a_step() -> None:
    leaders = [lead(), lead()]
    for one in leaders:
        one.step(PartitionChanged(frozenset({ONE}), (ONE,), 5, 8, 0))
    stepped, alone = leaders
    stepped.step(Appended(13, 0))
    alone.append_alone(13)
    for one in leaders:
        assert (one.end_offset, one.high_watermark) == (13, 13)


def test_the_latest_offset_is_known_from_the_epochs_start_on() -> None:
    leader = lead()
    assert not leader.knows_committed_end
    fetch(leader, TWO, 10)
    fetch(leader, THREE, 10)
    assert leader.knows_committed_end


def test_who_lags_leaves_the_isr() -> None:
    leader = lead()
    fetch(leader, TWO, 10, 90)
    leader.step(Appended(11, 90))
    assert leader.step(Ticked(100)) == NO_EFFECTS
    proposal = leader.step(Ticked(101)).propose
    assert proposal is not None
    assert proposal.isr == ((ONE, -1), (TWO, -1))
    assert (proposal.leader_epoch, proposal.partition_epoch) == (5, 7)
    assert leader.isr == ALL_THREE


def test_who_has_all_does_not_lag_however_long_ago_it_fetched() -> None:
    leader = lead()
    fetch(leader, TWO, 10)
    fetch(leader, THREE, 10)
    assert leader.step(Ticked(10_000)).propose is None


def test_under_constant_load_who_reads_what_was_there_keeps_up() -> None:
    leader = lead(frozenset({ONE, TWO}))
    for turn in range(1, 50):
        leader.step(Appended(10 + turn, 50 * turn))
        fetch(leader, TWO, 9 + turn, 50 * turn)
        assert leader.step(Ticked(50 * turn)).propose is None


def test_an_isr_that_shrinks_holds_the_watermark_until_it_is_confirmed() -> None:
    leader = lead(frozenset({ONE, TWO}))
    leader.step(Appended(12, 0))
    assert leader.step(Ticked(101)).propose is not None
    assert leader.high_watermark == 8
    answer = PartitionChanged(frozenset({ONE}), (ONE, TWO, THREE), 5, 8, 102)
    assert leader.step(answer).high_watermark == 12
    assert leader.isr == {ONE}
    assert leader.partition_epoch == 8


def test_who_has_caught_up_joins_and_counts_before_it_is_confirmed() -> None:
    leader = lead(frozenset({ONE}))
    assert fetch(leader, TWO, 9).propose is None
    proposal = fetch(leader, TWO, 10).propose
    assert proposal is not None
    assert proposal.isr == ((ONE, -1), (TWO, -1))
    assert leader.maximal_isr == {ONE, TWO}
    # Long out of time, and not in the ISR that is known: the controller may have put it there.
    assert leader.step(Appended(11, 500)).high_watermark is None
    assert fetch(leader, THREE, 10, 500).propose is None  # One change at a time.
    leader.step(PartitionChanged(frozenset({ONE, TWO}), (ONE, TWO, THREE), 5, 8, 500))
    proposal = fetch(leader, THREE, 11, 500).propose
    assert proposal is not None
    assert [one for one, _ in proposal.isr] == [ONE, TWO, THREE]


def test_the_watermark_waits_for_who_may_join() -> None:
    leader = lead(frozenset({ONE}))
    fetch(leader, TWO, 10, 10)
    leader.step(IsrRefused(7, ErrorCode.OPERATION_NOT_ATTEMPTED, 10))
    assert leader.step(Appended(11, 20)).high_watermark is None
    assert leader.step(Ticked(111)).high_watermark == 11


def test_who_lacks_an_earlier_epochs_records_does_not_join() -> None:
    """All that is committed is not enough: the log before this epoch is committed with its first record."""
    leader = lead(frozenset({ONE, THREE}))
    assert leader.high_watermark == 8
    assert fetch(leader, TWO, 9).propose is None
    assert fetch(leader, TWO, 10).propose is not None


def test_a_refused_proposal_is_withdrawn_waited_for_or_sent_again() -> None:
    leader = lead(frozenset({ONE}))
    proposal = fetch(leader, TWO, 10).propose
    leader.step(IsrRefused(7, ErrorCode.NETWORK_EXCEPTION, 0))
    assert leader.step(Ticked(1)).propose == proposal
    assert leader.step(Ticked(2)).propose is None
    leader.step(IsrRefused(6, ErrorCode.INELIGIBLE_REPLICA, 2))  # Of another one.
    leader.step(IsrRefused(7, ErrorCode.INVALID_UPDATE_VERSION, 2))
    assert leader.step(Ticked(3)).propose is None
    assert leader.maximal_isr == {ONE, TWO}
    leader.step(IsrRefused(7, ErrorCode.INELIGIBLE_REPLICA, 4))
    assert leader.maximal_isr == {ONE}


def test_states_of_other_epochs_and_old_ones_are_ignored() -> None:
    leader = lead()
    assert leader.step(Ticked(101)).propose is not None
    for epoch, partition_epoch in ((5, 7), (5, 6), (4, 9), (6, 9)):
        leader.step(PartitionChanged(frozenset({ONE}), (ONE,), epoch, partition_epoch, 101))
        assert (leader.isr, leader.maximal_isr) == (ALL_THREE, ALL_THREE)


def test_old_lives_of_brokers_are_refused_and_do_not_join() -> None:
    """KIP-903: a fetch that a broker sent before it lost its log must not bring it in sync."""
    leader = lead(frozenset({ONE}))
    leader.step(BrokersChanged({ONE: 40, TWO: 51}, 0))
    old = FollowerFetched(TWO, 10, 0, 0, leader_epoch=5, broker_epoch=50)
    assert leader.step(old).error is ErrorCode.NOT_LEADER_OR_FOLLOWER
    early = FollowerFetched(TWO, 10, 0, 0, leader_epoch=5, broker_epoch=52)
    assert leader.step(early).propose is None  # The controller has not sent that epoch yet.
    assert leader.step(FollowerFetched(THREE, 10, 0, 0, broker_epoch=60)).propose is None
    leader.step(BrokersChanged({ONE: 40, TWO: 52}, 0))
    now = leader.step(early).propose
    assert now is not None
    assert now.isr == ((ONE, 40), (TWO, 52))


def test_without_the_epochs_of_brokers_the_last_life_that_fetched_counts() -> None:
    leader = lead(frozenset({ONE}))
    leader.step(BrokersChanged({ONE: -1, TWO: -1}, 0))
    proposal = leader.step(FollowerFetched(TWO, 10, 0, 0, broker_epoch=51)).propose
    assert proposal is not None
    assert proposal.isr == ((ONE, -1), (TWO, 51))
    old = leader.step(FollowerFetched(TWO, 10, 0, 0, broker_epoch=50))
    assert old.error is ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_epochs_of_a_fetch_are_compared() -> None:
    leader = lead()
    for epoch, error in (
        (4, ErrorCode.FENCED_LEADER_EPOCH),
        (6, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (5, ErrorCode.NONE),
    ):
        effects = leader.step(FollowerFetched(TWO, 10, 0, 0, leader_epoch=epoch))
        assert effects.error is error
        end = leader.epoch_end(epoch, 3)
        assert end == (error or EpochEnd(3, 10))


def test_who_is_no_replica_is_refused() -> None:
    leader = lead()
    stranger = NodeId(9)
    assert fetch(leader, stranger, 10).error is ErrorCode.NOT_LEADER_OR_FOLLOWER
    known = FollowerFetched(stranger, 10, 0, 0, leader_epoch=5)
    assert leader.step(known).error is ErrorCode.UNKNOWN_LEADER_EPOCH


def test_what_diverges_does_not_count() -> None:
    leader = lead(frozenset({ONE, TWO}), end=10, mark=8)
    leader.step(Appended(12, 0))
    effects = leader.step(FollowerFetched(TWO, 12, 0, 0, 5, last_epoch=4))
    assert effects == LeaderEffects(diverging=EpochEnd(3, 10))
    progress = leader.progress(TWO)
    assert progress is not None
    assert progress.log_end == -1
    longer = leader.step(FollowerFetched(TWO, 11, 0, 0, 5, last_epoch=3))
    assert longer.diverging == EpochEnd(3, 10)
    assert leader.step(FollowerFetched(TWO, 12, 0, 0, 5, last_epoch=5)).high_watermark == 12


def test_offsets_outside_the_log_are_refused() -> None:
    leader = lead()
    leader.step(LogStartMoved(4, 0))
    out = ErrorCode.OFFSET_OUT_OF_RANGE
    assert fetch(leader, TWO, 3).error is out
    assert fetch(leader, TWO, 11).error is out
    assert leader.examine(3, 5, 3) is out
    assert leader.examine(10, 5, 9) is out  # Of an epoch that this leader does not know.
    assert leader.examine(11, 5, 5) == EpochEnd(5, 10)
    assert leader.examine(4, 5, 3) is None


def test_nothing_is_committed_while_the_isr_is_too_small() -> None:
    """Not even what the ISR that is left has (KIP-966), unless that is switched off."""
    strict, lax = Limits(2, 100), Limits(2, 100, strict_min_isr=False)
    for limits, mark in ((strict, 8), (lax, 10)):
        leader = lead(frozenset({ONE}), limits=limits)
        assert (leader.min_isr, leader.high_watermark) == (2, mark)


def test_no_more_replicas_in_sync_are_wanted_than_there_are() -> None:
    assert lead(limits=Limits(5, 100)).min_isr == 3


def test_new_replicas_are_known_and_old_ones_forgotten() -> None:
    leader = lead(frozenset({ONE, TWO}))
    fetch(leader, TWO, 10)
    four = NodeId(4)
    leader.step(PartitionChanged(frozenset({ONE, TWO}), (ONE, TWO, four), 5, 8, 0))
    assert leader.progress(THREE) is None
    assert leader.progress(four) is not None
    progress = leader.progress(TWO)
    assert progress is not None
    assert progress.log_end == 10


def begin_epoch(leader: Leader, epoch: int, isr: frozenset[NodeId], now_ms: int = 0) -> None:
    """The same broker leads on in another leader epoch, from the end of its log on."""
    assert isinstance(leader.history, LeaderEpochs)
    leader.history.assign(epoch, leader.end_offset)
    leader.step(EpochBegun(isr, (ONE, TWO, THREE), epoch, 8, now_ms))


def test_in_the_next_epoch_of_the_same_leader_what_followers_have_still_counts() -> None:
    leader = lead()
    leader.step(Appended(12, 0))
    fetch(leader, TWO, 12)
    fetch(leader, THREE, 10)
    assert leader.high_watermark == 10
    begin_epoch(leader, 6, frozenset({ONE, TWO}), now_ms=101)
    assert (leader.leader_epoch, leader.epoch_start, leader.high_watermark) == (6, 12, 12)
    old = leader.step(FollowerFetched(TWO, 12, 0, 0, leader_epoch=5))
    assert old.error is ErrorCode.FENCED_LEADER_EPOCH


def test_followers_in_sync_have_their_whole_time_to_fetch_in_a_new_epoch() -> None:
    leader = lead()
    leader.step(Appended(12, 0))
    begin_epoch(leader, 6, frozenset({ONE, TWO}), now_ms=90)
    assert leader.step(Ticked(190)) == NO_EFFECTS
    proposal = leader.step(Ticked(191)).propose
    assert proposal is not None
    assert (proposal.isr, proposal.leader_epoch) == (((ONE, -1),), 6)


def test_what_followers_had_does_not_count_where_another_one_may_have_led_in_between() -> None:
    leader = lead()
    leader.step(Appended(12, 0))
    fetch(leader, TWO, 12)
    begin_epoch(leader, 7, frozenset({ONE, TWO}))
    assert leader.high_watermark == 8
    assert fetch(leader, TWO, 12).high_watermark == 12


def test_what_was_proposed_in_an_earlier_epoch_is_not_sent_again() -> None:
    leader = lead()
    leader.step(Appended(12, 0))
    assert leader.step(Ticked(101)).propose is not None
    begin_epoch(leader, 6, frozenset({ONE}), now_ms=101)
    assert leader.step(IsrRefused(7, ErrorCode.NETWORK_EXCEPTION, 102)) == NO_EFFECTS
    assert leader.step(Ticked(103)) == NO_EFFECTS
    assert leader.isr == frozenset({ONE})
