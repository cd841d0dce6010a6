"""TopicIds: what a simulated client knows of the ids of topics."""

from barnabas.protocol.metadata import MetadataRequest, MetadataResponse
from sim.world.caller import Caller


class TopicIds:
    """One client's. Topics stay what they are in a run."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._ids: dict[str, bytes] = {}
        self._names: dict[bytes, str] = {}

    async def learn(self) -> None:
        """Ask for all, if that was not done.

        Raises:
            Lost: no answer.
        """
        if self._ids:
            return
        answer = await self._caller.ask(MetadataRequest(topics=None), MetadataResponse)
        for one in answer.topics:
            if one.name is not None:
                self._ids[one.name] = bytes(one.topic_id)
                self._names[bytes(one.topic_id)] = one.name

    def of(self, name: str) -> bytes:
        """A topic's id."""
        return self._ids[name]

    def name_of(self, topic_id: bytes) -> str:
        """A topic by its id."""
        return self._names[topic_id]
