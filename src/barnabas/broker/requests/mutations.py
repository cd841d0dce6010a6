"""The quota on created and deleted partitions (KIP-599), for one request."""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import BrokerError, ErrorCode


class Mutations:
    """Counts what a request changes. `wait_ms`: for how long its client is to be silent then.

    Clients that know the quota (`strict`) have refused what is too much and try again; for others
    it is done, and they wait.
    """

    __slots__ = ("_broker", "_client_id", "_strict", "wait_ms")

    def __init__(self, broker: Broker, context: RequestContext, *, strict: bool) -> None:
        self._broker = broker
        self._client_id = context.client_id or ""
        self._strict = strict
        self.wait_ms = 0

    def take(self, partitions: int) -> None:
        """So many partitions are about to be made or deleted.

        Raises:
            BrokerError: THROTTLING_QUOTA_EXCEEDED: the client has changed too many before.
        """
        if not self._broker.quotas.in_force:
            return
        throttling = self._broker.throttling
        if not self._strict:
            self.wait_ms = max(self.wait_ms, throttling.mutated(self._client_id, partitions))
            return
        owed_ms = throttling.owes_mutations(self._client_id)
        if owed_ms:
            self.wait_ms = max(self.wait_ms, owed_ms)
            raise BrokerError(
                ErrorCode.THROTTLING_QUOTA_EXCEEDED,
                f"the quota controller_mutation_rate is used up for {owed_ms} ms",
            )
        throttling.mutated(self._client_id, partitions)
