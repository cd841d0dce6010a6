"""Transactions of ZooKeeper: several changes, of which all are made or none."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from kazoo.client import KazooClient, TransactionRequest

from barnabas.errors import RegistryConflict
from barnabas.runtime.registries.zookeeper_calls import AT_ONCE, ZooKeeperCalls
from barnabas.types import MUST_BE_NEW, NodeWrite

_NODES_AT_ONCE: Final = 2_500
"""Nodes that one transaction deletes: at 300 characters each, below the 1 MiB of a request to ZooKeeper."""


class ZooKeeperTransactions:
    """The transactions of one client, on nodes below `root`."""

    def __init__(self, client: KazooClient, root: str, calls: ZooKeeperCalls) -> None:
        self._client = client
        self._root = root
        self._calls = calls

    def create(self, nodes: Mapping[str, bytes], above: Iterable[str], *, ephemeral: bool) -> bool:
        """Make nodes, and empty ones `above` them that last; whether they were made."""
        request = self._client.transaction()
        for path in sorted({*above, *nodes}):
            lasts = path not in nodes or not ephemeral
            request.create(self._root + path, nodes.get(path, b""), ephemeral=not lasts)
        return not _failed(self._results(request, next(iter(nodes))))

    def commit(
        self, writes: Sequence[NodeWrite], above: Iterable[str], checks: Mapping[str, int]
    ) -> None:
        """Make all changes, and empty nodes `above` them; `checks` are versions of nodes.

        A tree of more nodes than a transaction may hold loses its deepest ones before, with the same checks.

        Raises:
            RegistryConflict: a node has another version.
        """
        request = self._checked(checks)
        for path in sorted(above):
            request.create(self._root + path, b"")
        for path, data, version, ephemeral in writes:
            if data is None:
                nodes = self._calls.tree(path)
                while len(nodes) > _NODES_AT_ONCE:
                    deepest = self._checked(checks)
                    for one in nodes[:_NODES_AT_ONCE]:
                        deepest.delete(self._root + one)
                    self._carry_out(deepest, path)
                    nodes = nodes[_NODES_AT_ONCE:]
                for one in nodes:
                    request.delete(self._root + one)
            elif version == MUST_BE_NEW:
                request.create(self._root + path, data, ephemeral=ephemeral)
            else:
                request.set_data(self._root + path, data, version)
        if request.operations:
            self._carry_out(request, writes[0].path)

    def replace_each(
        self, parts: Sequence[Sequence[NodeWrite]], checks: Mapping[str, int]
    ) -> list[bool]:
        """Replace data, in a transaction for each part, all sent at once; which of them were made."""
        requests: list[tuple[TransactionRequest, str]] = []
        for part in parts:
            request = self._checked(checks)
            for path, data, version, _ in part:
                request.set_data(self._root + path, data, version)
            requests.append((request, part[0].path))
        made: list[bool] = []
        for first in range(0, len(requests), AT_ONCE):
            some = requests[first : first + AT_ONCE]
            made += self._calls.in_time(partial(self._carry_out_together, some))
        return made

    def _carry_out_together(self, requests: Sequence[tuple[TransactionRequest, str]]) -> list[bool]:
        calls = self._calls
        asked = [
            (calls.begin(lambda _path, one=request: self._sent(one), path), path)
            for request, path in requests
        ]
        return [not _failed(calls.wait(one, path)) for one, path in asked]

    def _checked(self, checks: Mapping[str, int]) -> TransactionRequest:
        request = self._client.transaction()
        for path, version in checks.items():
            request.check(self._root + path, version)
        return request

    def _carry_out(self, request: TransactionRequest, path: str) -> None:
        if failed := _failed(self._results(request, path)):
            raise RegistryConflict(f"{path} and others: {failed}")

    def _results(self, request: TransactionRequest, path: str) -> list[object]:
        """The results of the operations of a transaction."""
        results: list[object] = self._calls.ask(lambda _path: self._sent(request), path)
        return results

    def _sent(self, request: TransactionRequest) -> object:
        """A transaction under way. It is a new one each time that a start asks again."""
        again = self._client.transaction()
        again.operations = [*request.operations]
        return again.commit_async()


def _failed(results: Sequence[object]) -> list[Exception]:
    """The operation of a transaction that failed, and those that ZooKeeper rolled back for its sake."""
    return [one for one in results if isinstance(one, Exception)]
