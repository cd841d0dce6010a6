"""Each row of the two tables of `sequencing`."""

from collections.abc import Iterable

import pytest

from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.client.core.producer.sequencing import NO_PRODUCER_ID, Sequencing
from tests.sending_harness import WHERE, Waits

NOW = 100.0


class Sent(Sequencing):
    """So many batches of two records each were sent by producer 7, as `one[1]` and so on."""

    def __init__(self, count: int, *, renews: bool = True, producer_id: int = 7) -> None:
        super().__init__(renews=renews)
        self.begin(producer_id, 0)
        self.one = {number: batch(number) for number in range(1, count + 1)}
        for each in self.one.values():
            self.add(each)

    def open(self, *numbers: int) -> None:
        """No answer came for these."""
        for number in numbers:
            self.left_open(self.one[number])

    def refuse(self, *numbers: int) -> None:
        """These are out of order."""
        for number in numbers:
            self.out_of_order(self.one[number])

    def store(self, number: int) -> list[int]:
        """The broker has this one; the others that therefore are stored."""
        return numbers_of(self.stored(self.one[number], NOW))

    @property
    def sequences(self) -> list[tuple[int, int]]:
        """Epoch and sequence of what is left."""
        return [(each.epoch, each.sequence) for each in self.batches]


def batch(*number: int) -> ProducerBatch:
    made = ProducerBatch(WHERE, number, NOW, 100, Waits())
    made.count = 2
    return made


def numbers_of(batches: Iterable[ProducerBatch]) -> list[int]:
    return [each.number[0] for each in batches]


def test_batches_are_numbered_in_their_order_and_go_out_in_it() -> None:
    sent = Sent(3)
    assert sent.sequences == [(0, 0), (0, 2), (0, 4)]
    assert sent.head() is sent.one[1]


# --- A fresh batch ------------------------------------------------------------------------------


def test_fresh_and_stored_is_done() -> None:
    sent = Sent(2)
    assert sent.store(1) == []
    assert numbers_of(sent.batches) == [2]


def test_fresh_and_left_open_is_in_doubt() -> None:
    sent = Sent(1)
    sent.open(1)
    assert sent.one[1].in_doubt


def test_fresh_and_out_of_order_comes_too_early_behind_another() -> None:
    sent = Sent(2)
    sent.refuse(2)
    assert (sent.gap, sent.one[2].refused) == (False, False)


def test_fresh_and_out_of_order_as_the_first_needs_an_epoch() -> None:
    sent = Sent(2)
    sent.refuse(1)
    assert sent.ends_epoch
    sent.begin(7, 1)
    assert sent.sequences == [(1, 0), (1, 2)]
    assert not sent.gap


# --- A batch in doubt ---------------------------------------------------------------------------


def test_in_doubt_and_out_of_order_keeps_its_number_while_another_one_is_in_doubt() -> None:
    sent = Sent(5)
    sent.open(1, 2, 3, 4, 5)
    for number in range(1, 6):
        assert sent.head() is sent.one[number]
        assert not sent.ends_epoch
        sent.refuse(number)
    assert sent.ends_epoch
    sent.begin(7, 1)
    assert sent.sequences == [(1, 0), (1, 2), (1, 4), (1, 6), (1, 8)]
    assert not any(each.in_doubt or each.refused for each in sent.batches)


def test_what_was_refused_is_stored_if_a_later_one_is() -> None:
    """What a Kafka says after recovery that has batches 1 to 4 and remembers the last of them."""
    sent = Sent(5)
    sent.open(1, 2, 3, 4, 5)
    sent.refuse(1, 2, 3)
    assert sent.store(4) == [1, 2, 3]
    assert not sent.gap
    assert sent.head() is sent.one[5]
    assert sent.sequences == [(0, 8)]


def test_out_of_order_and_in_doubt_is_stored_if_a_later_one_was_before() -> None:
    sent = Sent(2)
    sent.open(1)
    sent.store(2)
    assert sent.is_surely_stored(sent.one[1])
    sent.settled(sent.one[1])
    assert not sent.batches


def test_fresh_before_one_that_is_stored_is_not_stored() -> None:
    """A broker that did not know the producer has taken the second one."""
    sent = Sent(2)
    assert sent.store(2) == []
    assert not sent.is_surely_stored(sent.one[1])
    sent.refuse(1)
    assert sent.ends_epoch


# --- Others -------------------------------------------------------------------------------------


@pytest.mark.parametrize("disturbance", ["open", "disturbed"])
def test_refusals_of_before_a_disturbance_prove_nothing(disturbance: str) -> None:
    sent = Sent(3)
    sent.open(1, 2, 3)
    sent.refuse(1, 2)
    if disturbance == "open":
        sent.open(3)
    else:
        sent.disturbed()
    assert sent.head() is sent.one[1]
    sent.refuse(1, 2)
    assert not sent.ends_epoch
    sent.refuse(3)
    assert sent.ends_epoch


def test_behind_one_given_up_what_is_in_doubt_goes_out_under_its_old_number() -> None:
    sent = Sent(3)
    sent.open(1, 2)
    sent.given_up(sent.one[1])
    assert not sent.ends_epoch
    assert sent.head() is sent.one[2]
    assert sent.store(2) == []
    assert not sent.gap
    assert sent.sequences == [(0, 4)]


def test_behind_one_given_up_what_is_fresh_needs_an_epoch() -> None:
    sent = Sent(2)
    sent.given_up(sent.one[1])
    assert sent.ends_epoch


def test_one_given_up_before_one_that_is_stored_leaves_no_gap() -> None:
    sent = Sent(3)
    sent.store(2)
    sent.given_up(sent.one[1])
    assert not sent.gap


def test_before_one_in_doubt_that_is_given_up_nothing_refused_is_ever_sure() -> None:
    sent = Sent(3)
    sent.open(1, 2)
    sent.refuse(1)
    sent.given_up(sent.one[2])
    assert numbers_of(sent.lost()) == [1]
    sent.given_up(sent.one[1])
    assert numbers_of(sent.lost()) == []
    assert sent.ends_epoch


def test_one_behind_may_still_prove_it() -> None:
    sent = Sent(3)
    sent.open(1, 2, 3)
    sent.refuse(1)
    sent.given_up(sent.one[2])
    assert sent.lost() == []
    assert sent.store(3) == [1]


def split(sent: Sent) -> list[ProducerBatch]:
    parts = [batch(1, 0), batch(1, 1)]
    for part in parts:
        part.count = 1
    sent.split(sent.one[1], parts)
    return parts


def test_parts_take_the_numbers_of_the_whole() -> None:
    sent = Sent(2)
    split(sent)
    assert sent.sequences == [(0, 0), (0, 1), (0, 2)]
    assert not any(each.in_doubt for each in sent.batches)
    sent.add(batch(3))
    assert sent.sequences[-1] == (0, 4)


def test_a_part_that_is_stored_shows_that_the_whole_is_not() -> None:
    sent = Sent(1)
    sent.open(1)
    first, second = split(sent)
    assert (first.in_doubt, second.in_doubt) == (True, True)
    assert sent.stored(first, NOW) == []
    assert not second.in_doubt


def test_parts_of_a_whole_in_doubt_are_lost_when_refused() -> None:
    """A broker that has the whole does not know its parts."""
    sent = Sent(2)
    sent.open(1)
    parts = split(sent)
    for part in parts:
        sent.out_of_order(part)
    assert sent.lost() == parts


def test_without_epochs_of_its_own_there_is_never_a_gap() -> None:
    for sent in (Sent(2, renews=False), Sent(2, renews=False, producer_id=NO_PRODUCER_ID)):
        sent.open(1)
        sent.refuse(1)
        sent.given_up(sent.one[1])
        assert not sent.gap
        assert sent.is_known(NOW)


def test_the_broker_knows_a_producer_for_a_while_after_each_batch() -> None:
    sent = Sent(2)
    assert not sent.is_known(NOW)
    sent.store(1)
    assert sent.is_known(NOW + 59)
    assert not sent.is_known(NOW + 61)
    sent.store(2)
    sent.begin(7, 1)
    assert not sent.is_known(NOW)
