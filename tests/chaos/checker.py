"""Was every promise kept? The logs at the end, against all that clients know."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from tests.chaos.history import History, Log, Logs, Outcome, Run, Transaction, Value


def complaints(history: History, logs: Logs) -> list[str]:
    """What went wrong, a line each; nothing if every promise was kept."""
    return [
        *history.errors,
        *_unsent(history, logs.all),
        *_lost_or_moved(history, logs.all),
        *_doubled(logs.all),
        *_reordered(logs.all),
        *_torn(history.transactions, logs.committed),
        *chain.from_iterable(
            _misread(run, logs.committed if run.committed_only else logs.all)
            for run in history.runs
        ),
    ]


def _unsent(history: History, log: Log) -> Iterator[str]:
    known = {sent.value for sent in history.sent} | set(history.given_up)
    for transaction in history.transactions:
        known.update(*transaction.appended.values())
    for place, records in log.items():
        for offset, value in records:
            if value not in known:
                yield f"made up: {value} in {_at(place, offset)}, which nobody sent"


def _lost_or_moved(history: History, log: Log) -> Iterator[str]:
    content = {place: dict(records) for place, records in log.items()}
    found = {value: (place, offset) for place, offset, value in _records(log)}
    for place, offset, value in history.sent:
        if content.get(place, {}).get(offset) == value:
            continue
        if value in found:
            yield f"moved: {value} was acknowledged in {_at(place, offset)}, it is in {_at(*found[value])}"
        else:
            yield f"lost: {value} was acknowledged in {_at(place, offset)}"


def _doubled(log: Log) -> Iterator[str]:
    times = Counter(value for _, _, value in _records(log))
    yield from (
        f"doubled: {value} is there {count} times" for value, count in times.items() if count > 1
    )


def _reordered(log: Log) -> Iterator[str]:
    """A writer's numbers grow in each partition; those of a writer of transactions, too."""
    for place, records in log.items():
        numbers: dict[str, int] = defaultdict(lambda: -1)
        for offset, text in records:
            value = Value.parse(text)
            if value.number < numbers[value.writer]:
                yield f"reordered: {value} in {_at(place, offset)} is behind {numbers[value.writer]}"
            numbers[value.writer] = value.number


def _torn(transactions: Iterable[Transaction], committed: Log) -> Iterator[str]:
    there = {place: {value for _, value in records} for place, records in committed.items()}
    for one in transactions:
        wanted = [(place, value) for place, values in one.appended.items() for value in values]
        missing = [
            f"{value} of {_name(place)}"
            for place, value in wanted
            if value not in there.get(place, ())
        ]
        if one.outcome is Outcome.COMMITTED and missing:
            yield f"lost: {one.name} was committed, without {', '.join(missing)}"
        elif one.outcome is Outcome.ABORTED and len(missing) < len(wanted):
            yield f"returned: {one.name} was aborted, {len(wanted) - len(missing)} of its records are there"
        elif 0 < len(missing) < len(wanted):
            yield f"torn: {one.name} is there without {', '.join(missing)}"


def _misread(run: Run, log: Log) -> Iterator[str]:
    by_place = defaultdict(list)
    for place, offset, value in run.records:
        by_place[place].append((offset, value))
    for place, read in by_place.items():
        content = dict(log.get(place, ()))
        index = {offset: number for number, offset in enumerate(sorted(content))}
        for offset, value in read:
            if content.get(offset) != value:
                yield (
                    f"unread: {run.reader} read {value} in {_at(place, offset)}, "
                    f"there is {content.get(offset)}"
                )
        for (before, _), (after, _) in pairwise(read):
            if after <= before:
                yield f"went back: {run.reader} read {_at(place, after)} after {before}"
            elif before in index and after in index and index[after] != index[before] + 1:
                left_out = index[after] - index[before] - 1
                yield f"skipped: {run.reader} left out {left_out} in {_at(place, before)} to {after}"


def _records(log: Log) -> Iterator[tuple[tuple[str, int], int, str]]:
    for place, records in log.items():
        for offset, value in records:
            yield place, offset, value


def _name(place: tuple[str, int]) -> str:
    return f"{place[0]}-{place[1]}"


def _at(place: tuple[str, int], offset: int) -> str:
    return f"{_name(place)} at {offset}"
