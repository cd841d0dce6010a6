"""Fetchers: one ReplicaFetcher for each broker that leads a partition which this broker follows."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from barnabas.broker.cluster.peer_connection import Address
from barnabas.broker.cluster.replica_fetcher import ReplicaFetcher
from barnabas.broker.replicas.follower_role import FollowerRole
from barnabas.types import NodeId, TopicPartition


class _Followed(NamedTuple):
    following: FollowerRole
    leader: NodeId


class Fetchers:
    """The fetchers by leader. A partition whose leader has no known address waits until it has one."""

    def __init__(self, new_fetcher: Callable[[Address], ReplicaFetcher]) -> None:
        self._new_fetcher = new_fetcher
        self._addresses: dict[NodeId, Address] = {}
        self._fetchers: dict[NodeId, ReplicaFetcher] = {}
        self._followed: dict[TopicPartition, _Followed] = {}

    def follow(self, partition: TopicPartition, following: FollowerRole, leader: NodeId) -> None:
        """Copy a partition from its leader."""
        self.leave(partition)
        self._followed[partition] = _Followed(following, leader)
        self._begin(partition)

    def leave(self, partition: TopicPartition) -> None:
        """Stop copying a partition, if it is copied."""
        followed = self._followed.pop(partition, None)
        fetcher = self._fetchers.get(followed.leader) if followed else None
        if followed is None or fetcher is None:
            return
        fetcher.remove(partition)
        if fetcher.is_idle:
            fetcher.close()
            del self._fetchers[followed.leader]

    def know_brokers(self, addresses: Mapping[NodeId, Address]) -> None:
        """Take the addresses of the live brokers; reconnect to leaders whose address changed."""
        before, self._addresses = self._addresses, dict(addresses)
        for node_id in [*self._fetchers]:
            if before.get(node_id) != self._addresses.get(node_id):
                self._fetchers.pop(node_id).close()
        for partition, followed in self._followed.items():
            if followed.leader not in self._fetchers or (
                partition not in self._fetchers[followed.leader]
            ):
                self._begin(partition)

    def close(self) -> None:
        """Stop copying all partitions."""
        for fetcher in self._fetchers.values():
            fetcher.close()
        self._fetchers.clear()
        self._followed.clear()

    def _begin(self, partition: TopicPartition) -> None:
        following, leader = self._followed[partition]
        address = self._addresses.get(leader)
        if address is None:
            return
        fetcher = self._fetchers.get(leader)
        if fetcher is None:
            fetcher = self._fetchers[leader] = self._new_fetcher(address)
        fetcher.add(partition, following)
