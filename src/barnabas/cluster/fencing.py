"""Fencing: refuse requests of an earlier controller, or for an earlier broker epoch.

An epoch of -1 comes from a version that has none, and is not compared.
"""

from barnabas.errors import ErrorCode


def check_controller(
    controller_epoch: int, newest: int, broker_epoch: int, current: int
) -> ErrorCode:
    """Check a request of a controller: STALE_CONTROLLER_EPOCH, STALE_BROKER_EPOCH or NONE.

    Args:
        controller_epoch: the controller's, as the request says.
        newest: the newest epoch of a controller that this broker knows.
        broker_epoch: the life of the broker that the request is for.
        current: the present one. A newer one in the request is right: the controller may see a
            registration before its broker does.

    Source: KIP-380; Kafka's KafkaApis.isBrokerEpochStale.
    """
    if controller_epoch < newest:
        return ErrorCode.STALE_CONTROLLER_EPOCH
    if 0 <= broker_epoch < current:
        return ErrorCode.STALE_BROKER_EPOCH
    return ErrorCode.NONE
