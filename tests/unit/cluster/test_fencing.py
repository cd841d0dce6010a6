"""Fencing: earlier controllers, and earlier lives of a broker."""

from barnabas.cluster.fencing import check_controller
from barnabas.errors import ErrorCode


def test_controllers() -> None:
    assert check_controller(6, 7, -1, 9) is ErrorCode.STALE_CONTROLLER_EPOCH
    assert check_controller(7, 7, -1, 9) is ErrorCode.NONE
    assert check_controller(8, 7, 9, 9) is ErrorCode.NONE


def test_lives_of_the_broker() -> None:
    assert check_controller(7, 7, 8, 9) is ErrorCode.STALE_BROKER_EPOCH
    assert check_controller(7, 7, 10, 9) is ErrorCode.NONE
