"""Share groups whose members join, crash and leave, and brokers that replay their logs."""

from dataclasses import replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from barnabas.coordinators.share_group.group import ShareGroup
from barnabas.coordinators.share_group.groups import (
    JOINS,
    LEAVES,
    ShareGroups,
    ShareHeartbeat,
    ShareSettings,
    loaded,
)
from barnabas.errors import BrokerError
from tests.unit.coordinators.compacting import CompactedLog
from tests.unit.coordinators.refusals import refused_first
from tests.unit.coordinators.some_topics import SomeTopics, a_shard

NAMES = st.sampled_from(["ann", "bob", "cat"])
TOPICS = st.sampled_from([("dogs",), ("cats",), ("cats", "dogs"), ()])
SETTINGS = ShareSettings(session_ms=1000, heartbeat_ms=100, assignment_interval_ms=40, max_size=10)


class Sharing(RuleBasedStateMachine):
    """One group; `log` is what is there of what was written. Each change is refused at first."""

    def __init__(self) -> None:
        super().__init__()
        self.topics = SomeTopics(dogs=5, cats=3)
        self.shard = a_shard(self.topics)
        self.now = 1
        self.epochs: dict[str, int] = {}
        self.log = CompactedLog()

    @property
    def groups(self) -> ShareGroups:
        return self.shard.share

    @property
    def group(self) -> ShareGroup:
        return self.groups.get("g") or ShareGroup("g")

    def ask(self, name: str, epoch: int, topics: tuple[str, ...] | None = None) -> None:
        asked = ShareHeartbeat(
            group_id="g",
            member_id=name,
            epoch=epoch,
            client_id="c",
            client_host="/h",
            topics=topics,
        )
        try:
            result = refused_first(
                self.shard, lambda: self.groups.heartbeat(asked, SETTINGS, self.now)
            )
        except BrokerError:
            self.epochs.pop(name, None)
            return
        self.log += result.records
        if epoch == LEAVES:
            del self.epochs[name]
        else:
            self.epochs[name] = result.reply.epoch

    @rule(name=NAMES, topics=TOPICS)
    def join(self, name: str, topics: tuple[str, ...]) -> None:
        self.ask(name, JOINS, topics)

    @rule(name=NAMES)
    def beat(self, name: str) -> None:
        if name in self.epochs:
            self.ask(name, self.epochs[name])

    @rule(name=NAMES)
    def leave(self, name: str) -> None:
        if name in self.epochs:
            self.ask(name, LEAVES)

    @rule(ms=st.sampled_from([1, 50, 300, 2000]))
    def wait(self, ms: int) -> None:
        end = self.now + ms
        while (due := self.groups.deadline(self.group)) is not None and due <= end:
            self.now = max(self.now, due)
            self.log += refused_first(
                self.shard, lambda: self.groups.on_time(self.group, self.now)
            ).records
        self.now = end

    @rule(name=st.sampled_from(["dogs", "cats"]), more=st.integers(0, 2))
    def topics_change(self, name: str, more: int) -> None:
        self.topics.change(**{name: self.topics.partitions[name] + more})

    @rule()
    def delete(self) -> None:
        if self.groups.get("g") is not None and not self.group.members:
            result = refused_first(self.shard, lambda: self.groups.delete(self.group))
            self.log += result.records

    @rule(data=st.data())
    def compact(self, data: st.DataObject) -> None:
        """A restart does not see that."""
        self.log.compact(data)

    @rule()
    def restart(self) -> None:
        again = a_shard(self.topics)
        for record in self.log:
            again.replay(*record)
        assert restored(again.share) == restored(self.groups)
        self.shard = again
        for group in self.groups.all():
            loaded(group, SETTINGS, self.now)

    @invariant()
    def all_is_shared(self) -> None:
        """Whoever is as far as its group has what it is to have, of topics that it subscribes to now."""
        group = self.group
        for member in group.members.values():
            assert member.epoch <= group.assignment_epoch <= group.epoch
            if member.epoch == group.assignment_epoch:
                target = group.target.get(member.member_id, frozenset())
                subscribed = {self.topics.id_of(name) for name in member.topics}
                assert member.assigned == {one for one in target if one.topic_id in subscribed}


def restored(groups: ShareGroups) -> list[ShareGroup]:
    return [replace(one, sessions={}, topics_seen=-1) for one in groups.all()]


TestShareGroup = Sharing.TestCase
TestShareGroup.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
