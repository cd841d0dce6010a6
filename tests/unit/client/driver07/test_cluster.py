import pytest

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.client.driver07.cluster import Address, parse_broker, read_brokers, read_partitions
from sim.world.zookeeper import SimulatedZooKeeper


@pytest.mark.parametrize(
    "text", ["10.0.0.12-1324306324402:10.0.0.12:9092", "x:10.0.0.12:9092:true", ":10.0.0.12:9092"]
)
def test_the_place_of_a_broker_is_the_second_and_third_element(text: str) -> None:
    assert parse_broker(text.encode()) == Address("10.0.0.12", 9092)


GARBAGE = [b"", b"here:9092", b"x:here:", b"x::1", b"x:here:99999", b"\xff\xfe", b'{"host":"a"}']
GARBAGE.append(b"x:here:" + b"9" * 5000)


@pytest.mark.parametrize("garbage", GARBAGE, ids=lambda data: data[:20])
def test_garbage_is_no_broker(garbage: bytes) -> None:
    assert parse_broker(garbage) is None


def test_what_can_be_understood_is_read_and_the_rest_passed_over(
    caplog: pytest.LogCaptureFixture,
) -> None:
    session = SimulatedZooKeeper().session()
    session.create("/brokers/ids/2", b"x:here:1")
    session.create("/brokers/ids/10", b"x:there:2")
    session.create("/brokers/ids/seven", b"x:there:2")
    session.create("/brokers/ids/" + "9" * 5000, b"x:there:2")
    for number, garbage in enumerate(GARBAGE, 20):
        session.create(f"/brokers/ids/{number}", garbage)
    assert read_brokers(session) == {2: Address("here", 1), 10: Address("there", 2)}
    assert len(caplog.records) == len(GARBAGE) + 2
    assert vars(caplog.records[-1])["path"] == "/brokers/ids/seven"
    session.create("/brokers/topics/dogs/10", b"1")
    session.create("/brokers/topics/dogs/2", b"2")
    session.create("/brokers/topics/dogs/partitions", b"")
    session.create("/brokers/topics/dogs/3", b"-1")
    session.create("/brokers/topics/dogs/4", b"9999999999")
    session.create("/brokers/topics/dogs/5", b"1" * 5000)
    session.create("/brokers/topics/dogs/" + "6" * 5000, b"1")
    assert read_partitions(session, "dogs") == [
        BrokerPartition(2, 0),
        BrokerPartition(2, 1),
        BrokerPartition(10, 0),
    ]
    assert read_partitions(session, "cats") == []
