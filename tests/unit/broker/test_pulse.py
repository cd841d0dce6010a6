"""When a client that beats is calm."""

from barnabas.broker.pulse import HEARTBEATS, Pulse
from barnabas.protocol.api_keys import ApiKey


def test_the_apis_of_heartbeats_are_all_there_are_of_groups() -> None:
    groups = {int(key) for key in ApiKey if key.name.endswith("HEARTBEAT")}
    assert groups - {ApiKey.BROKER_HEARTBEAT} == HEARTBEATS


def test_one_beat_is_not_calm_yet() -> None:
    assert not Pulse(10.0).is_calm


def test_beats_of_a_rebalance_are_not_calm() -> None:
    pulse = Pulse(10.0)
    for tenths in range(1, 30):
        pulse.beat(10.0 + tenths / 10)
        assert not pulse.is_calm


def test_it_is_calm_from_the_second_beat_on_that_took_its_time() -> None:
    pulse = Pulse(10.0)
    pulse.beat(11.0)
    assert pulse.is_calm
    pulse.beat(11.1)
    assert pulse.is_calm
