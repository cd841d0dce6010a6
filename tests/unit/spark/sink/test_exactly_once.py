"""The order of calls behind the sink that writes exactly once, against our broker, without Spark."""

from collections.abc import Iterator
from types import SimpleNamespace

import pyarrow as pa
import pytest
from pyspark import TaskContext

from barnabas import Consumer
from barnabas.spark.errors import WriteRefused
from barnabas.spark.options.write_options import write_options
from barnabas.spark.sink.batch_end import abort, commit
from barnabas.spark.sink.client_cache import close_kept
from barnabas.spark.sink.exactly_once import Prepared, SinkBatch, write_once
from barnabas.spark.sink.row_layout import RowLayout
from barnabas.spark.sink.row_sink import RowSink
from barnabas.testing.embedded_broker import EmbeddedBroker

QUICK = {"transaction.state.log.num.partitions": "1", "offsets.topic.num.partitions": "1"}


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker(QUICK) as broker:
        yield broker.bootstrap_servers
        close_kept()


class Query:
    """A query of two tasks, of which task 0 writes to partition 0 and task 1 to partition 1."""

    def __init__(self, servers: str, topic: str, patch: pytest.MonkeyPatch) -> None:
        self.servers = servers
        self.topic = topic
        self._patch = patch
        given = {"kafka.bootstrap.servers": servers, "topic": topic}
        self.options = write_options(given | {"deliveryguarantee": "exactly-once"})
        self.sink = RowSink(self.options, RowLayout(topic, ("value", "partition")))

    def task(self, number: int, batch: int | None, values: list[str]) -> Prepared:
        """One attempt of a task."""
        context = SimpleNamespace(partitionId=lambda: number)
        self._patch.setattr(TaskContext, "get", lambda: context)
        rows = {"value": values, "partition": [0] * len(values)}
        return write_once(
            self.sink, SinkBatch(f"q-{self.topic}", batch), iter([pa.RecordBatch.from_pydict(rows)])
        )

    def commit(self, *messages: Prepared) -> None:
        commit(self.options.kafka, messages)

    def decided(self) -> None:
        """Wait until nothing is open, for as long as a test may take."""
        plain = {"bootstrap.servers": self.servers, "isolation.level": "read_uncommitted"}
        stable = plain | {"isolation.level": "read_committed"}
        place = [(self.topic, 0)]
        with Consumer(plain) as all_of, Consumer(stable) as decided:
            while all_of.end_offsets(place) != decided.end_offsets(place):
                pass

    def committed(self) -> list[str]:
        """What readers of committed records see."""
        settings = {"bootstrap.servers": self.servers, "isolation.level": "read_committed"}
        found: list[str] = []
        with Consumer(settings, auto_offset_reset="earliest") as consumer:
            consumer.assign([(self.topic, 0)])
            (end,) = consumer.end_offsets([(self.topic, 0)]).values()
            while consumer.position((self.topic, 0)) < end:
                found += [(record.value or b"").decode() for record in consumer.poll(0.1)]
        return found


@pytest.fixture
def query(servers: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Query:
    return Query(servers, request.node.name, monkeypatch)


def test_what_tasks_wrote_counts_once_the_batch_is_committed(query: Query) -> None:
    messages = [query.task(0, 0, ["a", "b"]), query.task(1, 0, ["c"])]
    assert [each.rows for each in messages] == [2, 1]
    query.commit(*messages)
    query.commit(query.task(0, 1, ["d"]), query.task(1, 1, []))
    assert sorted(query.committed()) == ["a", "b", "c", "d"]


def test_a_batch_that_comes_again_leaves_out_what_was_committed(query: Query) -> None:
    first, _second = query.task(0, 0, ["a", "b"]), query.task(1, 0, ["c"])
    query.commit(first)
    messages = [query.task(0, 0, ["a", "b"]), query.task(1, 0, ["c"])]
    assert messages[0] == Prepared(f"q-{query.topic}", 2, None)
    query.commit(*messages)
    assert query.committed() == ["a", "b", "c"]
    query.commit(query.task(0, 1, ["d"]), query.task(1, 1, ["e"]))
    assert query.committed() == ["a", "b", "c", "d", "e"]


def test_a_task_that_is_tried_again_takes_the_place_of_its_first_attempt(query: Query) -> None:
    old = query.task(0, 0, ["a"])
    new = query.task(0, 0, ["a"])
    with pytest.raises(WriteRefused, match=r"BARNABAS_WRITE.*(FENCED|EPOCH)"):
        query.commit(old)
    query.commit(new)
    assert query.committed() == ["a"]


def test_an_aborted_batch_leaves_nothing_and_comes_again(query: Query) -> None:
    messages = [query.task(0, 0, ["a"]), query.task(1, 0, ["b"])]
    query.commit(messages[0])
    abort(query.options.kafka, [*messages, None])
    assert query.committed() == ["a"]
    query.commit(query.task(0, 0, ["a"]), query.task(1, 0, ["b"]))
    assert query.committed() == ["a", "b"]


def test_a_task_that_fails_or_is_stopped_leaves_nothing_open(
    query: Query, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rows() -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pydict({"value": ["a"], "partition": [0]})
        raise EOFError

    context = SimpleNamespace(partitionId=lambda: 0)
    monkeypatch.setattr(TaskContext, "get", lambda: context)
    with pytest.raises(EOFError):
        write_once(query.sink, SinkBatch("fails"), rows())
    first, _stopped = query.task(0, 0, ["b"]), query.task(1, 0, ["c"])
    abort(query.options.kafka, [first, None])
    query.decided()


def test_a_task_is_ended_though_none_answered_where_the_batch_has_a_name(
    query: Query, monkeypatch: pytest.MonkeyPatch
) -> None:
    query.task(0, None, ["a"])
    abort(query.options.kafka, [None], f"q-{query.topic}")
    query.decided()
    query.commit(query.task(0, 0, ["b"]))
    again = query.task(0, 0, ["b"])
    assert again.transaction is None
    query.task(1, 0, ["c"])
    abort(query.options.kafka, [again, None])
    query.decided()


def test_a_batch_that_comes_again_otherwise_is_refused(query: Query) -> None:
    query.commit(query.task(0, 5, ["a", "b"]))
    with pytest.raises(WriteRefused, match="batch 5 of q-.*with 2 rows .* has 1 now"):
        query.task(0, 5, ["a"])


def test_a_batch_behind_which_a_later_one_was_written_is_refused(query: Query) -> None:
    """As of a checkpoint that was put back: the batch may have other rows than it had then."""
    for batch, value in enumerate("abc"):
        query.commit(query.task(0, batch, [value]))
    for rows in (["b"], ["b", "c", "new"], []):
        with pytest.raises(WriteRefused, match="batch 1 of q-.*after batch 2 was.*checkpoint"):
            query.task(0, 1, rows)
    query.commit(query.task(0, 3, ["d"]))
    assert query.committed() == ["a", "b", "c", "d"]


def test_a_write_without_a_number_is_written_each_time(query: Query) -> None:
    for _ in range(2):
        query.commit(query.task(0, None, ["a"]), query.task(1, None, []))
    assert query.committed() == ["a", "a"]


def test_a_batch_of_a_function_is_known_by_its_query_or_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reported: dict[str, str] = {}
    context = SimpleNamespace(getLocalProperty=reported.get)
    monkeypatch.setattr(TaskContext, "get", lambda: context)
    with pytest.raises(WriteRefused, match="which query this batch is of.*Spark Connect"):
        SinkBatch.of_function("counts", 3)
    with pytest.raises(WriteRefused, match="query and batch"):
        SinkBatch.of_stream("sink")
    reported |= {"sql.streaming.queryId": "q", "streaming.sql.batchId": "7"}
    assert SinkBatch.of_function("counts", 3) == SinkBatch("counts-q", 3)
    assert SinkBatch.of_stream("sink") == SinkBatch("sink-q", 7)
