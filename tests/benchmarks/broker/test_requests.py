from benchmarks.broker.requests import LOADS, Turns
from benchmarks.report.result import Result


class Side:
    port = pid = 0
    bootstrap_servers = ""

    def __init__(self, name: str) -> None:
        self.name = name


PING = next(load for load in LOADS if load.mode == "ping")
HEARTBEAT = next(load for load in LOADS if load.mode == "idle")
PEERS = {"floor": "floor", "kafka": "Kafka 4.3.0"}


def line(figure: float) -> dict[str, float]:
    return {"p50_us": figure, "broker_us_per_request": 2 * figure}


def test_a_row_beside_each_peer_with_its_own_goal() -> None:
    turns = Turns()
    for name, figure in (("barnabas", 3.0), ("floor", 2.0), ("kafka", 10.0)):
        turns.add(PING, Side(name), line(figure))
    rows = {(row.measure, row.peer_name): row for row in turns.results(PEERS)}
    assert rows["one message there and back, p50", "floor"] == Result(
        "requests", "one message there and back, p50", "µs", (3.0,), (2.0,), "floor", 1.5
    )
    assert rows["one message there and back, CPU", "Kafka 4.3.0"] == Result(
        "requests", "one message there and back, CPU", "µs CPU", (6.0,), (20.0,),
        "Kafka 4.3.0", 0.15,
    )  # fmt: skip
    assert len(rows) == 4


def test_what_only_one_side_has_taken_stands_alone() -> None:
    turns = Turns()
    turns.add(HEARTBEAT, Side("barnabas"), line(3.0))
    (row,) = turns.results(PEERS)
    assert (row.ours, row.peer, row.ratio) == ((6.0,), (), None)
