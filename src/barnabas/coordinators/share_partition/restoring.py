"""Rebuild a share partition from its stored state."""

from collections.abc import Iterable
from dataclasses import replace

from barnabas.coordinators.share_partition.partition import SharePartition
from barnabas.coordinators.share_partition.spans import Delivery, Span, Spans


def restored(start: int, kept: Iterable[Span]) -> SharePartition:
    """The partition again; what lies between kept offsets was never delivered.

    What was kept together counts as delivered together.
    """
    spans = Spans()
    end = start
    for span in kept:
        if span.last < end:
            continue
        if span.first > end:
            spans.add(Span(end, span.first - 1))
        state = Delivery.AVAILABLE if span.state is Delivery.ACQUIRED else span.state
        first = max(span.first, end)
        is_new = state is Delivery.AVAILABLE and not span.count
        lot = None if is_new else (first, span.last)
        spans.add(replace(span, first=first, state=state, lot=lot))
        end = span.last + 1
    return SharePartition(start, end, spans)
