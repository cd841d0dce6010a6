"""Surroundings: what all groups of a broker look at."""

from collections.abc import Callable
from typing import NamedTuple

from barnabas.coordinators.common.topic_partitions import TopicsView
from barnabas.coordinators.consumer_group.settings import ConsumerSettings


class Surroundings(NamedTuple):
    """`settings_of`: what a group obeys, by its id."""

    topics: TopicsView
    settings_of: Callable[[str], ConsumerSettings]
