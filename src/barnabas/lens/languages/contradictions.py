"""Contradictions in the proposal's messages: they parse, and a broker still refuses them.

Source: docs/proposal.md, the repairs.
"""

from barnabas.dialects.proposal.messages import FetchRequest, ProduceRequest, ProduceResponse
from barnabas.lens.walks.walk import Walk


def name_contradictions(walk: Walk, message: object) -> None:
    """Report the fields of a message, read by `walk`, that contradict each other or make no sense."""
    match message:
        case ProduceRequest():
            if message.required_acks < 0:
                text = f"a number of replicas from 0 on expected, not {message.required_acks}"
                _fault(walk, "required_acks", text)
        case FetchRequest():
            named: set[str] = set()
            for at, one in enumerate(message.topic_offsets):
                path = f"topic_offsets[{at}]"
                if one.topic in named:
                    _fault(walk, f"{path}.topic", f"{one.topic} occurs twice")
                named.add(one.topic)
                _compare(
                    walk, f"{path}.offsets", len(one.offsets), "partitions", len(one.partitions)
                )
        case ProduceResponse():
            _compare(walk, "offsets", len(message.offsets), "errors", len(message.errors))
        case _:
            pass


def _compare(walk: Walk, path: str, count: int, other: str, expected: int) -> None:
    if count != expected:
        _fault(walk, path, f"{expected} expected, as many as {other}, not {count}")


def _fault(walk: Walk, path: str, text: str) -> None:
    walk.fault(path, text, next(part.start for part in walk.parts if part.path == path))
