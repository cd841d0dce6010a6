"""Standing: what the broker says of all groups, of their positions and of transactions when all is quiet.

Not whether it should be so: that is for the checkers, and for `Audit`.
"""

from collections.abc import Iterator

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
)
from barnabas.protocol.describe_groups import DescribeGroupsRequest, DescribeGroupsResponse
from barnabas.protocol.describe_share_group_offsets import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
    DescribeShareGroupOffsetsResponse,
)
from barnabas.protocol.list_groups import ListGroupsRequest, ListGroupsResponse
from barnabas.protocol.list_transactions import ListTransactionsRequest, ListTransactionsResponse
from barnabas.protocol.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchResponse,
)
from barnabas.protocol.share_group_describe import (
    ShareGroupDescribeRequest,
    ShareGroupDescribeResponse,
)
from barnabas.wire.schema import declaration_of
from sim.scenario import (
    COPIERS_GROUP,
    GROUP,
    SHARERS_GROUP,
    STREAMERS_GROUP,
    Scenario,
)
from sim.world.caller import Caller, Lost
from sim.world.site import Site

_SPOKEN = {
    ApiKey.DESCRIBE_GROUPS: 5,
    ApiKey.LIST_GROUPS: 3,
    ApiKey.LIST_TRANSACTIONS: 0,
    ApiKey.OFFSET_FETCH: 8,
    ApiKey.CONSUMER_GROUP_DESCRIBE: 0,
    ApiKey.SHARE_GROUP_DESCRIBE: 1,
    ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS: 0,
}
_Asked = tuple[object, type[object]]
"""A request, and what answers it."""


class Standing:
    """Asks until all answers have been the same for so many seconds; `found` is what they were."""

    def __init__(self, site: Site, scenario: Scenario, rest_seconds: float) -> None:
        self._site = site
        site.versions |= _SPOKEN
        self._scenario = scenario
        self._rest_seconds = rest_seconds
        self.found: tuple[str, ...] | None = None
        site.process.begin(self._ask())

    async def _ask(self) -> None:
        caller, now = self._site.caller(), self._site.process.loop.now
        last, since = await self._responses(caller), now()
        while not last or now() - since < self._rest_seconds:
            await self._site.sleep(0.5, 1.0)
            responses = await self._responses(caller)
            if responses != last:
                last, since = responses, now()
        self.found = last
        for line in last:
            self._site.note(self._site.name, line)
        caller.hang_up()

    async def _responses(self, caller: Caller) -> tuple[str, ...]:
        """A line for each question; none if an answer is lost."""
        responses: list[str] = []
        try:
            for request, kind in _questions(self._scenario):
                responses.append(_text(await caller.ask(request, kind)))
        except Lost:
            return ()
        return tuple(responses)


def _questions(scenario: Scenario) -> Iterator[_Asked]:
    readers = [GROUP, *([COPIERS_GROUP] if scenario.copiers else [])]
    keepers = [*readers, *([STREAMERS_GROUP] if scenario.streamers else [])]
    yield ListGroupsRequest(), ListGroupsResponse
    yield DescribeGroupsRequest(groups=readers), DescribeGroupsResponse
    for group in keepers:
        whole = OffsetFetchRequestGroup(group_id=group, topics=None)
        yield OffsetFetchRequest(groups=[whole]), OffsetFetchResponse
    everything = ListTransactionsRequest(state_filters=[], producer_id_filters=[])
    yield everything, ListTransactionsResponse
    if scenario.release:
        return
    yield (
        ConsumerGroupDescribeRequest(group_ids=readers, include_authorized_operations=False),
        ConsumerGroupDescribeResponse,
    )
    if scenario.sharers:
        group_ids = [SHARERS_GROUP]
        yield (
            ShareGroupDescribeRequest(group_ids=group_ids, include_authorized_operations=False),
            ShareGroupDescribeResponse,
        )
        shared = DescribeShareGroupOffsetsRequestGroup(group_id=SHARERS_GROUP, topics=None)
        yield (
            DescribeShareGroupOffsetsRequest(groups=[shared]),
            DescribeShareGroupOffsetsResponse,
        )


def _text(value: object) -> str:
    """What a message says, whatever order it says it in."""
    if isinstance(value, list):
        return f"[{', '.join(sorted(_text(one) for one in value))}]"
    if "DECLARATION" not in type(value).__dict__:
        return repr(value)
    fields = declaration_of(type(value)).fields
    return f"({', '.join(f'{name}={_text(getattr(value, name))}' for name in fields)})"
