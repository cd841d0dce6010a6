"""The sources of property values. The numbers are those of DescribeConfigs."""

from enum import IntEnum


class ValueSource(IntEnum):
    """The place; the first of them that has a value decides."""

    TOPIC = 1
    THIS_BROKER = 2
    EVERY_BROKER = 3
    BROKER = 4
    DEFAULT = 5
    CLIENT_METRICS = 7
    GROUP = 8
