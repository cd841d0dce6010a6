"""Joint decisions: events that come together are decided on one after the other, or some of them as one."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from barnabas.cluster.controller import step, step_on_partitions
from barnabas.cluster.draft import Draft
from barnabas.cluster.events import ControllerEvent, IsrProposed, PartitionsAdded
from barnabas.cluster.view import Decision, View


def step_all(view: View, events: Iterable[ControllerEvent]) -> list[Decision]:
    """Decide on events one after the other; a decision for each.

    New topics, and ISRs that one leader proposes for different partitions, are decided on together: each
    node is written once, and each broker gets one request. That is in the decision on the first of them;
    the decisions on the others have the same errors, and nothing to write or to send.
    """
    decisions: list[Decision] = []
    for group in _groups(events):
        if isinstance(group, list):
            draft = Draft(view)
            for event in group:
                step_on_partitions(draft, event)
            made = draft.finish()
            rest = Decision(made.after, errors=made.errors, error=made.error)
            decisions += [made, *[rest] * (len(group) - 1)]
        else:
            decisions.append(step(view, group))
        view = decisions[-1].after
    return decisions


def _groups(
    events: Iterable[ControllerEvent],
) -> Iterator[ControllerEvent | list[PartitionsAdded | IsrProposed]]:
    """Events one by one, and those that are decided on together."""
    for key, some in groupby(events, _group):
        if key is None:
            yield from some
        else:
            yield [one for one in some if isinstance(one, PartitionsAdded | IsrProposed)]


def _group(event: ControllerEvent) -> object:
    """What events that are decided on together have in common; None: this one is not."""
    if isinstance(event, IsrProposed):
        return event.node_id, event.broker_epoch
    return PartitionsAdded if isinstance(event, PartitionsAdded) else None
