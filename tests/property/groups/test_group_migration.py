"""Groups half way between JoinGroup and heartbeats: what is refused leaves nothing, whoever speaks how."""

from contextlib import suppress

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from barnabas.coordinators.classic_group.joining import Join
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.consumer_group.heartbeats import ConsumerHeartbeat
from barnabas.coordinators.offsets.offset_records import OffsetAndMetadata, encode_commit
from barnabas.errors import BrokerError
from barnabas.types import TopicPartition
from tests.unit.coordinators.consumer_group.test_groups import a_classic_group
from tests.unit.coordinators.refusals import refused_first
from tests.unit.coordinators.some_topics import SomeTopics, a_shard

OLD = ["old", "older"]
NEW = st.sampled_from(["ann", "bob", "cat"])
INSTANCES = st.sampled_from([None, None, "i", "j"])
TOPICS = st.sampled_from([("dogs",), ("cats",), ("cats", "dogs")])
REGEXES = st.sampled_from(["", "d.*", "(?=a"])
SPOKEN = a_classic_group(a_shard(), "one").members["one"].protocols


class HalfWay(RuleBasedStateMachine):
    """One group with an offset. Members keep to no order, and static names go from one to another."""

    def __init__(self) -> None:
        super().__init__()
        self.topics = SomeTopics(dogs=4, cats=3)
        self.shard = a_shard(self.topics)
        committed = OffsetAndMetadata(7, 2, "", 1000)
        self.shard.replay(*encode_commit("g", TopicPartition("dogs", 0), committed))
        self.now = 0

    @property
    def group(self) -> ConsumerGroup:
        return self.shard.consumer.get("g") or ConsumerGroup("g")

    @initialize(names=st.sets(st.sampled_from(OLD)), is_static=st.booleans())
    def begin(self, names: set[str], *, is_static: bool) -> None:
        classic = a_classic_group(self.shard, *sorted(names))
        if is_static and names:
            one = classic.members[min(names)]
            one.instance_id = "i"
            classic.instances["i"] = one.member_id

    def ask(self, beat: ConsumerHeartbeat) -> None:
        classic = self.shard.group("g")
        with suppress(BrokerError):
            refused_first(
                self.shard, lambda: self.shard.consumer.heartbeat(beat, classic, self.now)
            )

    @rule(name=NEW, instance_id=INSTANCES, topics=TOPICS, regex=REGEXES)
    def come(self, name: str, instance_id: str | None, topics: tuple[str, ...], regex: str) -> None:
        self.ask(
            ConsumerHeartbeat(
                group_id="g",
                member_id=name,
                epoch=0,
                client_id="c",
                client_host="/h",
                instance_id=instance_id,
                rebalance_timeout_ms=500,
                topics=topics,
                regex=regex,
                owned=frozenset(),
            )
        )

    @rule(name=NEW, instance_id=INSTANCES, epoch=st.sampled_from([None, None, -1, -2]))
    def go_on(self, name: str, instance_id: str | None, epoch: int | None) -> None:
        member = self.group.members.get(name)
        if member is not None:
            self.ask(
                ConsumerHeartbeat(
                    group_id="g",
                    member_id=name,
                    epoch=member.epoch if epoch is None else epoch,
                    client_id="c",
                    client_host="/h",
                    instance_id=instance_id,
                    owned=frozenset(member.assigned),
                )
            )

    @rule(name=st.sampled_from(["", *OLD]), instance_id=INSTANCES, number=st.integers(0, 2))
    def join(self, name: str, instance_id: str | None, number: int) -> None:
        if not self.group.members:
            return
        asked = Join(
            name, instance_id, "c", f"new-{number}", "c", "/h", 1000, 500, "consumer",
            SPOKEN, takes_id_first=False, skips_assignment=False,
        )  # fmt: skip
        group = self.group
        with suppress(BrokerError):
            refused_first(
                self.shard, lambda: self.shard.consumer.classic_join(group, asked, self.now)
            )

    @rule(data=st.data())
    def are_taken_out(self, data: st.DataObject) -> None:
        group = self.group
        if group.members:
            gone = data.draw(st.sets(st.sampled_from(sorted(group.members)), min_size=1))
            who = [Identity(one) for one in sorted(gone)]
            refused_first(self.shard, lambda: self.shard.consumer.leave(group, who, self.now))

    @rule(ms=st.sampled_from([10, 400, 1000]))
    def wait(self, ms: int) -> None:
        self.now += ms
        group = self.group
        if group.members:
            refused_first(self.shard, lambda: self.shard.consumer.on_time(group, self.now))

    @rule(more=st.integers(0, 2))
    def topics_change(self, more: int) -> None:
        self.topics.change(cats=self.topics.partitions["cats"] + more)

    @rule()
    def delete(self) -> None:
        refused_first(self.shard, lambda: self.shard.delete_group("g"))

    @invariant()
    def names_are_of_members(self) -> None:
        """Each has the one that it reported last, and nobody has one who is not there."""
        group = self.group
        given = {one.instance_id: name for name, one in group.members.items() if one.instance_id}
        assert group.instances == given


TestHalfWay = HalfWay.TestCase
TestHalfWay.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
