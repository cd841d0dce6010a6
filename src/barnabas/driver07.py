"""The driver of seed 000: Kafka 0.7, found through ZooKeeper, for threads."""

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.client.driver07.consumer import Consumer
from barnabas.client.driver07.group_fetcher import Chunk
from barnabas.client.driver07.partitioners import Partitioner, by_java_hash
from barnabas.client.driver07.producer import Producer
from barnabas.client.driver07.simple_consumer import (
    EARLIEST,
    LATEST,
    Fetched,
    FetchStart07,
    SimpleConsumer,
    opened,
)
from barnabas.records.messages07.message07 import Message

Asked = FetchStart07
"""Former name of `FetchStart07`; removed in the next release."""

__all__ = [
    "EARLIEST",
    "LATEST",
    "Asked",
    "BrokerPartition",
    "Chunk",
    "Consumer",
    "FetchStart07",
    "Fetched",
    "Message",
    "Partitioner",
    "Producer",
    "SimpleConsumer",
    "by_java_hash",
    "opened",
]
