"""What `kafka-transactions` prints of producers and their transactions."""

from collections.abc import Sequence

from tests.interop.differential.transactions import Writer
from tests.interop.printed.tool_output import Masks, ToolOutput

TRANSACTIONS = "TransactionsCommand"

_LEFT: Masks = ((r" +(?=\t)", ""), (r"\b\d{13,}\b", "TIME"))
"""Columns are as wide as what is in them, and times are of now."""

_IN_FIRST, _IN_THIRD = r"^()", r"^([^\t]*\t[^\t]*\t)"
"""Where tables have producer ids. Epochs and offsets may be the same numbers."""


def _without(ids: Sequence[int], before: str) -> Masks:
    """Producer ids are those that are next: which of these it is counts."""
    numbers = ((rf"{before}{each}(?=\t)", rf"\1ID {index}") for index, each in enumerate(ids))
    return (*_LEFT, *numbers)


def a_transaction(output: ToolOutput) -> None:
    """Of one producer that is at it, one that is done and one that has not begun."""
    talk = output.talk
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
    rows = output.mine(TRANSACTIONS, "list", masks=masks)
    assert len(rows) == len(ids)
    output.mine(TRANSACTIONS, "list", "--transactional-id-pattern", ".*at-it", masks=masks)
    output.mine(TRANSACTIONS, "list", "--duration-filter", "3600000", masks=masks)
    running: Masks = (*masks, (r"TIME\t\d+", "TIME\tMS"))
    for name in (at_it.name, done.name, idle.name, talk.topic("nobody")):
        output.ask(TRANSACTIONS, "describe", "--transactional-id", name, masks=running)
    output.ask(TRANSACTIONS, "describe-producers", *place, "0", masks=first)
    output.ask(TRANSACTIONS, "describe-producers", *place, "0", "--broker-id", "1", masks=first)
    output.ask(TRANSACTIONS, "describe-producers", *place, "1", masks=first)
    old = "--max-transaction-timeout", "0"
    for where in (("--topic", topic), (*place, "0"), (*place, "1")):
        output.ask(TRANSACTIONS, "find-hanging", *where, *old, masks=masks)
    output.mine(TRANSACTIONS, "find-hanging", "--broker-id", "1", *old, masks=masks)
    output.ask(TRANSACTIONS, "abort", *place, "0", "--start-offset", "1", masks=masks)
    output.ask(TRANSACTIONS, "abort", *place, "0", "--start-offset", "0", masks=masks)
    output.ask(TRANSACTIONS, "describe-producers", *place, "0", masks=first, label="aborted")
    output.ask(
        TRANSACTIONS, "describe", "--transactional-id", at_it.name, masks=running, label="too"
    )
    output.ask(TRANSACTIONS, "find-hanging", *place, "0", *old, masks=masks, label="aborted")
    for name in (at_it.name, talk.topic("nobody")):
        output.ask(
            TRANSACTIONS, "forceTerminateTransaction", "--transactionalId", name, masks=masks
        )
    output.ask(
        TRANSACTIONS, "describe", "--transactional-id", at_it.name, masks=running, label="end"
    )


SCENES = (a_transaction,)
