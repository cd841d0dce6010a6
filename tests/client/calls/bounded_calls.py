"""All calls of the driver that may wait for a broker, for threads and for asyncio, and what bounds each."""

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import barnabas
from barnabas import KafkaError, NewTopic, PreparedTransaction, Resource, TopicPartition, aio
from barnabas.client.core.group.group_metadata import GroupMetadata
from tests.client.fronts import TOPIC, Place

SECONDS: Final = 1.0
"""What bounds each call."""

CEILING_S: Final = 15.0
"""Far less than what calls took that something else bounded, or nothing."""

_READY_S: Final = 60.0
_MS: Final = int(1000 * SECONDS)
_NUMBERS: Final = count()
_WHERE: Final = TopicPartition(TOPIC, 0)
_BIG: Final = b"x" * 1_000_000
_PREPARED: Final = PreparedTransaction("x", 0, 0, begun=True, implicit=True)

Prepare = Callable[[Any], Awaitable[object]]


@dataclass(frozen=True)
class Call:
    """`begin`: what is done before it, brokers or not; `ready`: what is done while one answers."""

    client: str
    name: str
    make: Callable[[Any], Any]
    settings: dict[str, object]
    begin: Prepare | None = None
    ready: Prepare | None = None


@dataclass
class Ended:
    """How a call ended: after how many seconds, and with which error, if any."""

    call: Call
    seconds: float | None = None
    error: BaseException | None = None
    closed_in: float | None = None
    prepared: threading.Event = field(default_factory=threading.Event)


async def got(value: Any) -> Any:
    """What a call of either kind of client gives in the end."""
    return await value if inspect.iscoroutine(value) else value


async def patiently(call: Callable[[], Any]) -> None:
    """Call until it is done: a machine may be busy, and the client's own time is short."""
    until = time.monotonic() + _READY_S
    while True:
        try:
            await got(call())
        except KafkaError as error:
            if not error.retriable or time.monotonic() > until:
                raise
        else:
            return


async def _assigned(consumer: Any) -> None:
    consumer.assign([_WHERE])


async def _subscribed(consumer: Any) -> None:
    await got(consumer.subscribe([TOPIC]))


async def _read(consumer: Any) -> None:
    async def read() -> None:
        while not await got(consumer.poll(timeout_s=1)):
            pass

    await patiently(read)


async def _member(consumer: Any) -> None:
    await _subscribed(consumer)
    await _read(consumer)


async def _reader(consumer: Any) -> None:
    await _assigned(consumer)
    await _read(consumer)


async def _sent(producer: Any) -> None:
    await patiently(lambda: producer.send(TOPIC, b"warm"))
    await got(producer.flush(_READY_S))


async def _in_transaction(producer: Any) -> None:
    await patiently(producer.init_transactions)
    await got(producer.begin_transaction())
    await _sent(producer)


async def _listed(admin: Any) -> None:
    await got(admin.list_topics(timeout_s=_READY_S))


async def _poll(consumer: Any) -> None:
    """Several, for positions to be due to be saved by the later ones."""
    for _ in range(4):
        await got(consumer.poll(timeout_s=SECONDS / 4))


async def _position_at_end(consumer: Any) -> None:
    consumer.seek_to_end(_WHERE)
    await got(consumer.position(_WHERE))


async def _offsets(producer: Any) -> None:
    group = GroupMetadata("g", -1, "", None, {}, {})
    await got(producer.send_offsets_to_transaction({_WHERE: 1}, group))


async def _fill(producer: Any) -> None:
    for _ in range(10):
        await got(producer.send(TOPIC, _BIG))


async def _fill_with_rows(producer: Any) -> None:
    import pyarrow as pa

    await got(producer.send_arrow(TOPIC, pa.table({"value": [_BIG[:1000]] * 10_000})))


def _after_a_record(call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    async def calling(producer: Any) -> None:
        with suppress(KafkaError):
            await got(producer.send(TOPIC, b"value"))
        await got(call(producer))

    return calling


_READS: Final[dict[str, object]] = {
    "default.api.timeout.ms": _MS,
    "auto.offset.reset": "earliest",
    "auto.commit.interval.ms": 20,
}
_SENDS: Final[dict[str, object]] = {"max.block.ms": _MS, "linger.ms": 0}
_GIVES_UP: Final = _SENDS | {"request.timeout.ms": _MS // 2, "delivery.timeout.ms": _MS}
_SMALL: Final = _SENDS | {"buffer.memory": 2_000_000}


def _of_consumers() -> Iterator[Call]:
    long = _READS | {"default.api.timeout.ms": 120_000}
    of_both: dict[str, tuple[Callable[[Any], Any], dict[str, object]]] = {
        "poll": (_poll, long),
        "fetch_arrow": (lambda one: one.fetch_arrow(timeout_s=SECONDS), long),
        "commit": (lambda one: one.commit(), _READS),
        "commit within": (lambda one: one.commit({_WHERE: 1}, timeout_s=SECONDS), long),
        "committed": (lambda one: one.committed([_WHERE]), _READS),
        "committed within": (lambda one: one.committed([_WHERE], timeout_s=SECONDS), long),
        "close": (lambda one: one.close(), long | {"request.timeout.ms": _MS}),
        "close within": (lambda one: one.close(SECONDS), long),
        "unsubscribe": (lambda one: one.unsubscribe(), _READS),
        "unsubscribe within": (lambda one: one.unsubscribe(timeout_s=SECONDS), long),
    }
    for name, (make, settings) in of_both.items():
        yield Call("Consumer", f"{name}, assigned", make, settings, _assigned, _reader)
        yield Call("Consumer", f"{name}, member", make, settings, _subscribed, _member)
    of_one: dict[str, Callable[[Any], Any]] = {
        "position": lambda one: one.position(_WHERE, timeout_s=SECONDS),
        "seek_to_end, position": _position_at_end,
        "partitions_for": lambda one: one.partitions_for("other"),
        "offsets_for_times": lambda one: one.offsets_for_times({_WHERE: 0}),
        "beginning_offsets": lambda one: one.beginning_offsets([_WHERE]),
        "end_offsets": lambda one: one.end_offsets([_WHERE]),
    }
    for name, make in of_one.items():
        yield Call("Consumer", name, make, _READS, _assigned, _reader)


def _of_producers() -> Iterator[Call]:
    def row(name: str, make: Callable[[Any], Any], settings: dict[str, object] = _SENDS) -> Call:
        return Call("Producer", name, make, settings, None, _sent)

    yield row("send", lambda one: one.send("other", b"value"))
    yield row("send without room", _fill, _SMALL)
    yield row("send_arrow without room", _fill_with_rows, _SMALL)
    yield row("partitions_for", lambda one: one.partitions_for("other"))
    yield row("flush", _after_a_record(lambda one: one.flush()), _GIVES_UP)
    yield row("flush within", _after_a_record(lambda one: one.flush(SECONDS)))
    yield row("close", _after_a_record(lambda one: one.close()), _GIVES_UP)
    yield row("close within", _after_a_record(lambda one: one.close(SECONDS)))


def _of_transactions() -> Iterator[Call]:
    def row(name: str, make: Callable[[Any], Any], settings: dict[str, object] = _SENDS) -> Call:
        return Call("Producer", name, make, settings | {"transactional.id": name}, None, ready)

    ready: Prepare | None = None
    yield row("init_transactions", lambda one: one.init_transactions())
    ready = _in_transaction
    yield row("commit_transaction", lambda one: one.commit_transaction())
    yield row("prepare_transaction", lambda one: one.prepare_transaction())
    yield row("abort_transaction", lambda one: one.abort_transaction())
    yield row("send_offsets_to_transaction", _offsets)
    yield row("commit after a record", _after_a_record(lambda one: one.commit_transaction()))
    yield row("close amid a transaction", lambda one: one.close(), _GIVES_UP)
    yield row("close amid a transaction within", lambda one: one.close(SECONDS))


def _of_admins() -> Iterator[Call]:
    calls: dict[str, Callable[[Any], Any]] = {
        "list_topics": lambda one: one.list_topics(),
        "describe_topics": lambda one: one.describe_topics([TOPIC]),
        "describe_cluster": lambda one: one.describe_cluster(),
        "create_topics": lambda one: one.create_topics([NewTopic("new", 1)]),
        "delete_topics": lambda one: one.delete_topics(["old"]),
        "create_partitions": lambda one: one.create_partitions({TOPIC: 1}),
        "describe_configs": lambda one: one.describe_configs(Resource.TOPIC, TOPIC),
        "of a broker": lambda one: one.describe_configs(Resource.BROKER, "0"),
        "alter_configs": lambda one: one.alter_configs(Resource.TOPIC, TOPIC, {"segment.ms": "9"}),
        "describe_log_dirs": lambda one: one.describe_log_dirs(),
        "elect_leaders": lambda one: one.elect_leaders(),
        "alter_partition_reassignments": lambda one: one.alter_partition_reassignments(
            {_WHERE: [0]}
        ),
        "list_partition_reassignments": lambda one: one.list_partition_reassignments(),
        "describe_client_quotas": lambda one: one.describe_client_quotas(),
        "alter_client_quotas": lambda one: one.alter_client_quotas(
            {"client-id": "x"}, {"producer_byte_rate": 1e9}
        ),
        "list_offsets": lambda one: one.list_offsets({_WHERE: -1}),
        "delete_records": lambda one: one.delete_records({_WHERE: 0}),
        "list_groups": lambda one: one.list_groups(),
        "survey_groups": lambda one: one.survey_groups(),
        "describe_groups": lambda one: one.describe_groups(["g", "h"]),
        "list_group_offsets": lambda one: one.list_group_offsets("g"),
        "alter_group_offsets": lambda one: one.alter_group_offsets("new", {_WHERE: 0}),
        "alter_share_group_offsets": lambda one: one.alter_share_group_offsets("s", {_WHERE: 0}),
        "delete_share_group_offsets": lambda one: one.delete_share_group_offsets("s", [TOPIC]),
        "delete_group_offsets": lambda one: one.delete_group_offsets("g", [_WHERE]),
        "delete_groups": lambda one: one.delete_groups(["g", "h"]),
        "remove_members": lambda one: one.remove_members("g"),
        "list_transactions": lambda one: one.list_transactions(),
        "describe_transactions": lambda one: one.describe_transactions(["x", "y"]),
        "describe_producers": lambda one: one.describe_producers([_WHERE]),
        "abort_transaction": lambda one: one.abort_transaction(_WHERE, 0),
        "end_transactions": lambda one: one.end_transactions([_PREPARED], commit=True),
        "fence_producer": lambda one: one.fence_producer("x"),
        "hanging_transactions": lambda one: one.hanging_transactions([_WHERE], 0),
        "list_topics within": lambda one: one.list_topics(timeout_s=SECONDS),
    }
    for name, make in calls.items():
        own: dict[str, object] = {} if name.endswith("within") else {"default.api.timeout.ms": _MS}
        yield Call("Admin", name, make, own, None, _listed)


CALLS: Final = (*_of_consumers(), *_of_producers(), *_of_transactions(), *_of_admins())


def all_ended(place: Place, kind: str) -> list[Ended]:
    """How all calls end there, with "threads" or "asyncio": each of a client of its own, at once."""
    cold = place.fall is None
    calls = [each for each in CALLS if not cold or each.ready is not _in_transaction]
    go = threading.Event()
    found = [Ended(call) for call in calls]
    for each in found:
        run = _run_with_asyncio if kind == "asyncio" else _run_with_threads
        threading.Thread(target=run, args=(each, place, go), daemon=True).start()
    ready_by = time.monotonic() + _READY_S
    for each in found:
        each.prepared.wait(max(0.0, ready_by - time.monotonic()))
    late = [(each.call.name, each.error) for each in found if not each.prepared.is_set()]
    try:
        assert late == [], "not prepared"
        if place.fall is not None:
            place.fall()
    finally:
        go.set()  # Otherwise clients would live on, and disturb the tests after this one.
    until = time.monotonic() + CEILING_S
    while time.monotonic() < until and any(each.closed_in is None for each in found):
        time.sleep(0.05)
    return found


def _made(module: Any, ended: Ended, place: Place) -> Any:
    own: dict[str, object] = {"bootstrap.servers": place.servers}
    if ended.call.client == "Consumer":
        own["group.id"] = f"group {next(_NUMBERS)}"
    return getattr(module, ended.call.client)(ended.call.settings | own)


def _run_with_threads(ended: Ended, place: Place, go: threading.Event) -> None:
    async def wait() -> None:
        go.wait()

    steps = _steps(_made(barnabas, ended, place), ended, place, wait)
    with suppress(StopIteration):
        steps.send(None)  # Nothing of it waits for a loop.


def _run_with_asyncio(ended: Ended, place: Place, go: threading.Event) -> None:
    async def wait() -> None:
        await asyncio.to_thread(go.wait)

    async def main() -> None:
        await _steps(_made(aio, ended, place), ended, place, wait)

    asyncio.run(main())


async def _steps(
    client: Any, ended: Ended, place: Place, wait: Callable[[], Awaitable[None]]
) -> None:
    prepare = ended.call.begin if place.fall is None else ended.call.ready
    begun = time.monotonic()
    try:
        if prepare is not None:
            await prepare(client)
        ended.prepared.set()
        await wait()
        begun = time.monotonic()
        await got(ended.call.make(client))
    except Exception as error:  # noqa: BLE001 - looked at by the test
        ended.error = error
    ended.seconds = time.monotonic() - begun
    with suppress(KafkaError):
        await got(client.close() if ended.call.client == "Admin" else client.close(0))
    ended.closed_in = time.monotonic() - begun - ended.seconds
