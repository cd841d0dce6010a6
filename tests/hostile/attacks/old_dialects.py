"""Attacks on the listeners of Kafka 0.7 and of the proposal: thousands of sets or partitions in a request."""

import time
from collections.abc import Callable
from contextlib import ExitStack

from barnabas.dialects.kafka07 import frames as wire07
from barnabas.dialects.kafka07 import messages as messages07
from barnabas.dialects.proposal import frames as proposal_wire
from barnabas.records.messages07.message07 import encode_message
from tests.hostile.attacks.attack import Strike
from tests.interop.raw import Raw
from tests.wires.proposal_wire import fetch, produce

_ANSWER_SECONDS = 120.0
_MANY = 30_000
"""Near the 32,767 that a list of both can have."""
_EMPTY = encode_message(b"", magic=0)
_ASKED_AFTER = wire07.encode_request(
    messages07.OffsetsRequest(topic="t", partition=0, time=-1, max_number=1)
).joined()
"""A request of 0.7 that is answered when those before it are done."""

Prepare = Callable[[str], Strike]
"""An attack on the listener of a dialect at this address."""


def many_sets_of_07(address: str) -> Strike:
    """MULTIPRODUCE of 30,000 sets on ten connections."""
    one = messages07.ProduceRequest(topic="t", partition=0, messages=_EMPTY)
    request = messages07.MultiProduceRequest(produces=[one] * _MANY)
    return _on_each(address, 10, wire07.encode_request(request).joined() + _ASKED_AFTER)


def many_fetches_of_07(address: str) -> Strike:
    """MULTIFETCH of 30,000 parts on ten connections."""
    one = messages07.FetchRequest(topic="t", partition=0, offset=0, max_size=1)
    request = messages07.MultiFetchRequest(fetches=[one] * _MANY)
    return _on_each(address, 10, wire07.encode_request(request).joined())


def many_sets_of_the_proposal(address: str) -> Strike:
    """Produce of 120,000 sets on ten connections."""
    sets = [(f"t{number}", 0, _EMPTY) for number in (1, 2, 3, 4) for _ in range(_MANY)]
    return _on_each(address, 10, proposal_wire.encode_request(produce(1, *sets), 1, "t").joined())


def long_polls_of_the_proposal(address: str) -> Strike:
    """Twenty Fetch on each of ten connections that wait, for 3,000 topics that are not there."""
    topics = [(f"none{number}", [0], [0]) for number in range(3000)]
    request = fetch(*topics, wait=60_000, least=2**31 - 1)
    frame = proposal_wire.encode_request(request, 1, "t").joined()

    def strike(attackers: ExitStack) -> None:
        for _ in range(10):
            attackers.enter_context(Raw(address)).send_what_fits(frame * 20, 0.2)
        time.sleep(2)

    return strike


def _on_each(address: str, connections: int, frames: bytes) -> Strike:
    def strike(attackers: ExitStack) -> None:
        every = [attackers.enter_context(Raw(address, _ANSWER_SECONDS)) for _ in range(connections)]
        for one in every:
            one.send(frames)
        for one in every:
            one.ask(b"")

    return strike


ATTACKS: dict[str, tuple[tuple[str, Prepare], ...]] = {
    "kafka-0.7": (("sets", many_sets_of_07), ("fetches", many_fetches_of_07)),
    "proposal": (("sets", many_sets_of_the_proposal), ("long-polls", long_polls_of_the_proposal)),
}
"""By the dialect of the listener, each with a name for it."""
