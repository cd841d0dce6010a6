from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from barnabas.coordinators.share_partition.spans import DeliveryState, Span
from barnabas.coordinators.share_state.combining import combined

FREE, DONE, GONE = DeliveryState.AVAILABLE, DeliveryState.ACKNOWLEDGED, DeliveryState.ARCHIVED
SPANS = st.builds(
    lambda first, more, state, count: Span(first, first + more, state, count),
    st.integers(0, 20),
    st.integers(0, 8),
    st.sampled_from([FREE, DONE, GONE]),
    st.integers(0, 3),
)


def test_what_was_delivered_more_often_counts_and_then_what_is_further_on() -> None:
    reported = Span(0, 9, DONE, 1), Span(3, 4, FREE, 2), Span(4, 5, GONE, 1), Span(12, 13, FREE, 1)
    assert combined(reported, 2) == (
        Span(2, 2, DONE, 1),
        Span(3, 4, FREE, 2),
        Span(5, 5, GONE, 1),
        Span(6, 9, DONE, 1),
        Span(12, 13, FREE, 1),
    )


@given(reported=st.lists(SPANS, max_size=8), start=st.integers(-1, 15))
def test_it_is_as_offset_by_offset_and_as_few_spans_as_can_be(
    reported: list[Span], start: int
) -> None:
    best: dict[int, tuple[int, int]] = {}
    for span in reported:
        for each in range(max(span.first, start), span.last + 1):
            best[each] = max(best.get(each, (-1, -1)), (span.count, span.state))
    found = combined(reported, start)
    by_offset = {
        each: (one.count, int(one.state))
        for one in found
        for each in range(one.first, one.last + 1)
    }
    assert by_offset == best
    assert sum(map(len, found)) == len(best)
    assert not any(one.is_like(other) for one, other in pairwise(found))
