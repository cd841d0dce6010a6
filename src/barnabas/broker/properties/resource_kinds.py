"""ResourceKind: the types of resources with properties. The numbers are those of DescribeConfigs."""

from enum import IntEnum


class ResourceKind(IntEnum):
    """A type of resource."""

    TOPIC = 2
    BROKER = 4
    LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32
