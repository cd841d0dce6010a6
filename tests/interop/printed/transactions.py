"""What `kafka-transactions` prints of producers and their transactions."""

from collections.abc import Sequence

from tests.interop.differential.transactions import Writer
from tests.interop.printed.told import Masks, Told

TRANSACTIONS = "TransactionsCommand"

_LEFT: Masks = ((r" +(?=\t)", ""), (r"\b\d{13,}\b", "TIME"))
"""Columns are as wide as what is in them, and times are of now."""

_IN_FIRST, _IN_THIRD = r"^()", r"^([^\t]*\t[^\t]*\t)"
"""Where tables have producer ids. Epochs and offsets may be the same numbers."""


def _without(ids: Sequence[int], before: str) -> Masks:
    """Producer ids are those that are next: which of these it is counts."""
    numbers = ((rf"{before}{each}(?=\t)", rf"\1ID {index}") for index, each in enumerate(ids))
    return (*_LEFT, *numbers)


def a_transaction(told: Told) -> None:
    """Of one producer that is at it, one that is done and one that has not begun."""
    talk = told.talk
    talk.create("t", partitions=2)
    topic = talk.topic("t")
    at_it, done, idle = (Writer(talk, name, topic) for name in ("at-it", "done", "idle"))
    for each in (at_it, done, idle):
        each.init(f"{each.name} begins")
    for each in (at_it, done):
        each.add(f"{each.name} adds")
        each.produce(f"{each.name} writes", 9)
    done.end("done ends")
    ids = [each.id for each in (at_it, done, idle)]
    masks, first = _without(ids, _IN_THIRD), _without(ids, _IN_FIRST)
    place = "--topic", topic, "--partition"
    rows = told.mine(TRANSACTIONS, "list", masks=masks)
    assert len(rows) == len(ids)
    told.mine(TRANSACTIONS, "list", "--transactional-id-pattern", ".*at-it", masks=masks)
    told.mine(TRANSACTIONS, "list", "--duration-filter", "3600000", masks=masks)
    running: Masks = (*masks, (r"TIME\t\d+", "TIME\tMS"))
    for name in (at_it.name, done.name, idle.name, talk.topic("nobody")):
        told.ask(TRANSACTIONS, "describe", "--transactional-id", name, masks=running)
    told.ask(TRANSACTIONS, "describe-producers", *place, "0", masks=first)
    told.ask(TRANSACTIONS, "describe-producers", *place, "0", "--broker-id", "1", masks=first)
    told.ask(TRANSACTIONS, "describe-producers", *place, "1", masks=first)
    old = "--max-transaction-timeout", "0"
    for where in (("--topic", topic), (*place, "0"), (*place, "1")):
        told.ask(TRANSACTIONS, "find-hanging", *where, *old, masks=masks)
    told.mine(TRANSACTIONS, "find-hanging", "--broker-id", "1", *old, masks=masks)
    told.ask(TRANSACTIONS, "abort", *place, "0", "--start-offset", "1", masks=masks)
    told.ask(TRANSACTIONS, "abort", *place, "0", "--start-offset", "0", masks=masks)
    told.ask(TRANSACTIONS, "describe-producers", *place, "0", masks=first, label="aborted")
    told.ask(TRANSACTIONS, "describe", "--transactional-id", at_it.name, masks=running, label="too")
    told.ask(TRANSACTIONS, "find-hanging", *place, "0", *old, masks=masks, label="aborted")
    for name in (at_it.name, talk.topic("nobody")):
        told.ask(TRANSACTIONS, "forceTerminateTransaction", "--transactionalId", name, masks=masks)
    told.ask(TRANSACTIONS, "describe", "--transactional-id", at_it.name, masks=running, label="end")


SCENES = (a_transaction,)
