"""Sender: sends message sets to 0.7 brokers, which never respond. Used by one thread."""

import logging
import threading
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.client.driver07.cluster import Address
from barnabas.client.driver07.connection import Connection
from barnabas.client.driver07.partitioners import Partitioner
from barnabas.client.driver07.routing import Destination, Routing
from barnabas.config.driver07 import ProducerConfig07
from barnabas.dialects.kafka07.messages import MultiProduceRequest, ProduceRequest
from barnabas.errors import ConnectionFailed, KafkaError, LocalProtocolError, RequestTimeout
from barnabas.ports import Entropy
from barnabas.records.codecs.compression import Codec
from barnabas.records.messages07.message07 import encode_message, encode_set

log = logging.getLogger(__name__)

_HEAD_BYTES = 10
_FIRST_PAUSE_SECONDS = 0.1
"""The delay before a second attempt; it doubles for each further one."""
_CODECS = (Codec.NONE, Codec.GZIP, Codec.SNAPPY)


class MessagesToSend(NamedTuple):
    """Messages of one topic for one partition, chosen by their key, or at random without one."""

    topic: str
    key: object
    payloads: Sequence[bytes]


class MessageSender:
    """Chooses partitions, builds sets, sends them; retries if no broker accepts them."""

    def __init__(
        self, routing: Routing, config: ProducerConfig07, partitioner: Partitioner, entropy: Entropy
    ) -> None:
        self._routing = routing
        self._config = config
        self._partitioner = partitioner
        self._entropy = entropy
        self._codec = _CODECS[config.compression_codec]
        self._connections: dict[Address, Connection] = {}
        self._pause = threading.Event()

    def check(self, payloads: Sequence[bytes]) -> None:
        """Check that brokers would accept these.

        Raises:
            LocalProtocolError: one is too large.
        """
        for payload in payloads:
            if len(payload) > self._config.max_message_size:
                raise LocalProtocolError(
                    f"a message of {len(payload)} bytes exceeds "
                    f"max.message.size={self._config.max_message_size}"
                )

    def send(self, outgoing: Sequence[MessagesToSend]) -> None:
        """Send all; several for one broker in one request.

        Raises:
            ConnectionFailed, RequestTimeout: a broker is unavailable, also after retries. Messages
                for other brokers were sent; this holds below too.
            RegistryUnavailable: the addresses of a topic's brokers are unknown.
            LocalProtocolError: the partitioner chose a partition that does not exist.
        """
        left = list(outgoing)
        failed: KafkaError | None = None
        for attempt in range(1 + self._config.num_retries):
            if attempt:
                self._pause.wait(_FIRST_PAUSE_SECONDS * 2 ** (attempt - 1))
            left, failed = self._try(left)
            if not left:
                return
            self._routing.forget()
        assert failed is not None, "what is left has failed"
        raise failed

    def close(self) -> None:
        """Close all connections, and the routing."""
        self._pause.set()
        for connection in self._connections.values():
            connection.close()
        self._routing.close()

    def _try(
        self, outgoing: list[MessagesToSend]
    ) -> tuple[list[MessagesToSend], KafkaError | None]:
        """Try to send; return what failed, and why."""
        by_broker: dict[Address, list[tuple[MessagesToSend, BrokerPartition]]] = defaultdict(list)
        left: list[MessagesToSend] = []
        failed: KafkaError | None = None
        for one in outgoing:
            try:
                place, address = self._choose(one)
            except KafkaError as error:
                left.append(one)
                failed = error
            else:
                by_broker[address].append((one, place))
        for address, chosen in by_broker.items():
            try:
                self._tell(address, chosen)
            except (ConnectionFailed, RequestTimeout) as error:
                log.warning("set not sent", extra={"broker": address, "error": error})
                left += [one for one, _ in chosen]
                failed = error
        return left, failed

    def _choose(self, outgoing: MessagesToSend) -> Destination:
        destinations = self._routing.destinations(outgoing.topic)
        if not destinations:
            raise ConnectionFailed(f"there is no broker for topic {outgoing.topic}")
        if outgoing.key is None:
            return destinations[self._entropy.below(len(destinations))]
        index = self._partitioner(outgoing.key, len(destinations))
        if not 0 <= index < len(destinations):
            raise LocalProtocolError(
                f"the partitioner chose {index} of {len(destinations)} partitions"
            )
        return destinations[index]

    def _tell(self, address: Address, chosen: list[tuple[MessagesToSend, BrokerPartition]]) -> None:
        sets: dict[tuple[str, int], list[bytes]] = defaultdict(list)
        for one, place in chosen:
            sets[one.topic, place.partition] += one.payloads
        produces = [
            ProduceRequest(topic=topic, partition=partition, messages=messages)
            for (topic, partition), payloads in sets.items()
            for messages in self._sets(payloads)
        ]
        if address not in self._connections:
            self._connections[address] = Connection(address, self._config.socket_timeout_ms / 1000)
        request = produces[0] if len(produces) == 1 else MultiProduceRequest(produces=produces)
        self._connections[address].tell(request)

    def _sets(self, payloads: list[bytes]) -> list[bytes]:
        """As few sets as brokers accept: they also check the size of decompressed messages."""
        made = encode_set(payloads, codec=self._codec)
        largest = self._config.max_message_size + _HEAD_BYTES
        if self._codec == Codec.NONE or len(made) <= largest:
            return [made]
        if len(payloads) == 1:
            return [encode_message(payloads[0])]
        half = len(payloads) // 2
        return self._sets(payloads[:half]) + self._sets(payloads[half:])
