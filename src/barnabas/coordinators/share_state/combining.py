"""Combine overlapping states of offsets: the larger delivery count wins.

Source: Kafka's PersisterStateBatchCombiner.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from barnabas.coordinators.share_partition.spans import Span


def combined(reported: Iterable[Span], start: int) -> tuple[Span, ...]:
    """Return the fewest ordered spans without overlaps; nothing below `start`.

    Of two with equal delivery counts, the more advanced state wins.
    """
    spans = [one for one in reported if one.last >= start]
    cuts = sorted({max(one.first, start) for one in spans} | {one.last + 1 for one in spans})
    ahead = sorted(spans, key=lambda one: one.first, reverse=True)
    here: list[Span] = []
    found: list[Span] = []
    for first, after in pairwise(cuts):
        while ahead and ahead[-1].first <= first:
            here.append(ahead.pop())
        here = [one for one in here if one.last >= first]
        if not here:
            continue
        best = max(here, key=lambda one: (one.count, one.state))
        piece = Span(first, after - 1, best.state, best.count)
        if found and found[-1].is_like(piece):
            piece = replace(piece, first=found.pop().first)
        found.append(piece)
    return tuple(found)
