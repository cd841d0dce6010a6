"""InSync: the ISR with a change under way."""

from barnabas.replication.in_sync import InSync
from barnabas.types import NodeId

ONE, TWO, THREE = NodeId(1), NodeId(2), NodeId(3)


def test_the_maximal_isr_is_both() -> None:
    known = InSync(frozenset({ONE, TWO}), 4)
    assert known.maximal == {ONE, TWO}
    assert known.propose(frozenset({ONE})).maximal == {ONE, TWO}
    grown = known.propose(frozenset({ONE, TWO, THREE}))
    assert grown.isr == {ONE, TWO}
    assert grown.maximal == {ONE, TWO, THREE}
    assert grown.withdraw() == known
