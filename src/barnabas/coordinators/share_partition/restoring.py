"""Rebuild a share partition from its stored state."""

from collections.abc import Iterable
from dataclasses import replace

from barnabas.coordinators.share_partition.partition import SharePartition
from barnabas.coordinators.share_partition.spans import DeliveryState, Span, Spans


def restored(start: int, kept: Iterable[Span]) -> SharePartition:
    """Restore the partition; offsets between stored spans were never delivered.

    A stored span counts as one lot.
    """
    spans = Spans()
    end = start
    for span in kept:
        if span.last < end:
            continue
        if span.first > end:
            spans.add(Span(end, span.first - 1))
        state = DeliveryState.AVAILABLE if span.state is DeliveryState.ACQUIRED else span.state
        first = max(span.first, end)
        is_new = state is DeliveryState.AVAILABLE and not span.count
        lot = None if is_new else (first, span.last)
        spans.add(replace(span, first=first, state=state, lot=lot))
        end = span.last + 1
    return SharePartition(start, end, spans)
