"""Scripts for brokers of the past, each question in every version that they served."""

from collections.abc import Callable, Iterator

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import ApiVersionsRequest
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchTopic
from barnabas.protocol.find_coordinator import FindCoordinatorRequest
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from barnabas.protocol.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
)
from barnabas.protocol.releases import apis_of
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.reading import decode_records
from tests.interop.differential.data import produced
from tests.interop.differential.security import questions
from tests.interop.differential.talk import Talk
from tests.message_sets import message, wrapper
from tests.record_batches import make_batch

PLENTY = 1 << 20
FLEXIBLE_GROUPS = 8  # from here on OffsetFetch asks for several groups


class PastTalk(Talk):
    """A talk with a broker of a release: records are compared as what is in them."""

    def __init__(self, address: str, scenario: str, release: str) -> None:
        super().__init__(address, scenario)
        self.apis = apis_of(release)

    def versions(self, api: ApiKey, most: int = 99) -> Iterator[int]:
        """Those that the release serves."""
        served = self.apis.get(api)
        if served is not None:
            yield from range(served.first, min(served.last, most) + 1)

    def made(self, name: str) -> str:
        """A topic that comes of being asked for, as topics did before there was a request."""
        asked = MetadataRequest(topics=[MetadataRequestTopic(name=self.topic(name))])
        self.wait(asked, 0, _led)
        ends = _asked_offsets(self.topic(name), -1)
        version = max(self.versions(ApiKey.LIST_OFFSETS, 1))
        self.wait(ends, version, lambda reply: reply.topics[0].partitions[0].error_code == 0)
        return self.topic(name)

    def _plain(self, value: object, name: str = "") -> object:
        if isinstance(value, memoryview):
            records, following = decode_records(value, "t", 0)
            rows = [(one.offset, one.timestamp, one.key, one.value) for one in records]
            magic = value[16] if len(value) > 16 else None
            return [("magic", magic), ("next", following if rows else None), *rows]
        return super()._plain(value, name)


def _led(reply: MetadataResponse) -> bool:
    partitions = reply.topics[0].partitions
    return bool(partitions) and all(one.leader_id >= 0 for one in partitions)


def metadata(talk: PastTalk) -> None:
    """Topics that are there, that come of it, that cannot be."""
    name = talk.made("t")
    for version in talk.versions(ApiKey.METADATA, 8):
        for label, asked in {
            "there": name,
            "empty": "",
            "illegal": "a b",
            "long": "x" * 250,
        }.items():
            topics = [MetadataRequestTopic(name=asked)]
            talk.ask(f"{label} in {version}", MetadataRequest(topics=topics), version)
        new = MetadataRequest(topics=[MetadataRequestTopic(name=talk.topic(f"new-{version}"))])
        talk.ask(f"new in {version}", new, version)


def _sets(version: int) -> dict[str, bytes]:
    """Record sets as a version carries them: in the magic of its time."""
    time = {0: None, 1: None, 2: 1_600_000_000_000}.get(version, -1)
    if time == -1:
        return {"batch": bytes(make_batch(3)), "two batches": bytes(make_batch(2)) * 2}
    rows = [(b"k", b"v"), (None, b"no key"), (b"gone", None), (b"", b"")]
    plain = [message(index, *row, timestamp=time) for index, row in enumerate(rows)]
    last = len(rows) - 1
    broken = bytearray(plain[0])
    broken[-1] ^= 1
    sets = {
        "one": plain[0],
        "several": b"".join(plain),
        "equal offsets": b"".join(message(0, *row, timestamp=time) for row in rows),
        "cut short": b"".join(plain)[:-3],
        "broken": bytes(broken),
        "broken behind": plain[1] + bytes(broken),
        "nothing": b"",
        "too large": message(0, None, bytes(1_100_000), timestamp=time),
        "two wrappers": wrapper(last, plain, Codec.GZIP, timestamp=time) * 2,
        "not gzip": message(0, None, b"not gzip", timestamp=time, attributes=1),
        "unknown codec": message(0, None, plain[0], timestamp=time, attributes=6),
        "magic to come": message(0, b"k", b"v", timestamp=1) if version < 2 else plain[0],
    }
    for codec in (Codec.GZIP, Codec.SNAPPY, Codec.LZ4):
        sets[f"wrapped by {codec.name}"] = wrapper(last, plain, codec, timestamp=time)
    return sets


def produce(talk: PastTalk) -> None:
    """Good and bad record sets, and what is there afterwards."""
    for version in talk.versions(ApiKey.PRODUCE, 3):
        for number, (label, records) in enumerate(_sets(version).items()):
            name = talk.made(f"set-{number}-in-{version}")
            talk.ask(f"{label} in {version}", produced(name, records), version)
            talk.ask(f"after {label} in {version}", _fetched(name, 0), _common(talk))
        name = talk.made(f"in-{version}")
        good = next(iter(_sets(version).values()))
        for acks in (1, 2, -2, 7):
            talk.ask(f"acks {acks} in {version}", produced(name, good, acks=acks), version)
        talk.ask(f"unknown partition in {version}", produced(name, good, partition=5), version)
        gone = produced(talk.topic(f"unknown-{version}"), good)
        talk.ask(f"unknown topic in {version}", gone, version)
        talk.ask(f"ends after {version}", _asked_offsets(name, -1), 0)


def nested_sets(talk: PastTalk) -> None:
    """Compressed messages inside others: what is answered, and what is there afterwards.

    0.9.0 takes them too, and keeps what is inside as it came, with offsets that its readers pass over.
    """
    versions = list(talk.versions(ApiKey.PRODUCE, 2))
    for version in versions if versions != [0, 1] else []:
        time = None if version < 2 else 1_600_000_000_000
        rows = [message(index, b"k", b"v%d" % index, timestamp=time) for index in range(4)]

        def packed(*inner: bytes, codec: Codec = Codec.GZIP, time: int | None = time) -> bytes:
            return wrapper(len(inner) - 1, inner, codec, timestamp=time)

        deep = rows[0]
        for _ in range(200):
            deep = packed(deep)
        for number, (label, records) in enumerate(
            {
                "twice": packed(packed(*rows)),
                "thrice": packed(packed(packed(*rows))),
                "among others": packed(rows[0], packed(*rows[1:3]), rows[3]),
                "two": packed(packed(*rows[:2]), packed(*rows[2:])),
                "beside another": packed(packed(*rows[:3])) + rows[3],
                "snappy inside": packed(packed(*rows, codec=Codec.SNAPPY)),
                "snappy outside": packed(packed(*rows), codec=Codec.SNAPPY),
                "deep": deep,
            }.items()
        ):
            name = talk.made(f"set-{number}-in-{version}")
            talk.ask(f"{label} in {version}", produced(name, records), version)
            talk.ask(f"after {label} in {version}", _fetched(name, 0), _common(talk))
            talk.ask(f"end after {label} in {version}", _asked_offsets(name, -1), 0)


def _common(talk: PastTalk) -> int:
    """The newest version of Fetch that gives records as they are stored."""
    return max(talk.versions(ApiKey.FETCH, 4))


def _fetched(name: str, offset: int, size: int = PLENTY, partition: int = 0) -> FetchRequest:
    one = FetchPartition(partition=partition, fetch_offset=offset, partition_max_bytes=size)
    return FetchRequest(
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=PLENTY,
        topics=[FetchTopic(topic=name, partitions=[one])],
    )


def fetch(talk: PastTalk) -> None:
    """From everywhere, in every version, of records of every format that the release writes."""
    for wrote in talk.versions(ApiKey.PRODUCE, 3):
        name = talk.made(f"of-{wrote}")
        sets = _sets(wrote)
        for label in ("several", "wrapped by GZIP", "one") if wrote < 3 else ("batch",):
            talk.ask(f"wrote {label} in {wrote}", produced(name, sets[label]), wrote)
        for version in talk.versions(ApiKey.FETCH, 11):
            for offset in (0, 2, 5, 8, 9, 10, -1, 100):
                talk.ask(f"{wrote} from {offset} in {version}", _fetched(name, offset), version)
            for size in (0, 10, 40, 100):
                label = f"{wrote}, {size} bytes in {version}"
                talk.ask(label, _fetched(name, 0, size), version)
            other = _fetched(name, 0, partition=3)
            talk.ask(f"unknown partition {wrote} in {version}", other, version)
            gone = _fetched(talk.topic("gone"), 0)
            talk.ask(f"unknown topic {wrote} in {version}", gone, version)


def _asked_offsets(name: str, time: int, most: int = 1, partition: int = 0) -> ListOffsetsRequest:
    one = ListOffsetsPartition(partition_index=partition, timestamp=time, max_num_offsets=most)
    return ListOffsetsRequest(replica_id=-1, topics=[ListOffsetsTopic(name=name, partitions=[one])])


def list_offsets(talk: PastTalk) -> None:
    """Both ends and times; of a log without and with records."""
    name, empty = talk.made("t"), talk.made("empty")
    for wrote in talk.versions(ApiKey.PRODUCE, 3):
        records = next(iter(_sets(wrote).values()))
        for each in range(3):
            talk.ask(f"wrote {each} in {wrote}", produced(name, records), wrote)
    for version in talk.versions(ApiKey.LIST_OFFSETS, 5):
        for time in (-1, -2, 0, 1000, 1_600_000_000_000, 1_600_000_000_001, 4_000_000_000_000):
            for place in (name, empty):
                label = f"{time} of {place} in {version}"
                talk.ask(label, _asked_offsets(place, time, 10), version)
        for most in (0, 1, -1):
            talk.ask(f"at most {most} in {version}", _asked_offsets(name, -1, most), version)
        talk.ask(f"partition in {version}", _asked_offsets(name, -1, 1, 7), version)
        talk.ask(f"topic in {version}", _asked_offsets(talk.topic("gone"), -1), version)


def committed_offsets(talk: PastTalk) -> None:
    """Positions of a group without members, kept by the broker since 0.8.2."""
    name = talk.made("t")
    ask = FindCoordinatorRequest(key="past")
    talk.wait(ask, 0, lambda reply: reply.error_code == 0)
    talk.ask("coordinator", ask, 0)
    talk.wait(_positions(name), 1, _not_loading)
    for version in talk.versions(ApiKey.OFFSET_FETCH, FLEXIBLE_GROUPS - 1):
        if version:
            talk.ask(f"nothing in {version}", _positions(name), version)
    for version in talk.versions(ApiKey.OFFSET_COMMIT, 5):
        if version:
            talk.ask(f"commit in {version}", _commit(name, version), version)
            long = _commit(name, version, metadata="x" * 5000)
            talk.ask(f"long metadata in {version}", long, version)
            talk.ask(f"member in {version}", _commit(name, version, member="who"), version)
            talk.ask(f"returned in 1 after {version}", _positions(name), 1)


def _not_loading(reply: OffsetFetchResponse) -> bool:
    """Kafka names the coordinator before it has read what it keeps."""
    response = [one.error_code for topic in reply.topics for one in topic.partitions]
    return not {14, 15, 16} & set(response)


def _positions(name: str, group: str = "past", *, count: int = 2) -> OffsetFetchRequest:
    topic = OffsetFetchRequestTopic(name=name, partition_indexes=list(range(count)))
    return OffsetFetchRequest(group_id=group, topics=[topic])


def _commit(
    name: str, offset: int, *, metadata: str = "m", member: str = "", group: str = "past"
) -> OffsetCommitRequest:
    one = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=offset, committed_metadata=metadata
    )
    return OffsetCommitRequest(
        group_id=group,
        member_id=member,
        generation_id_or_member_epoch=3 if member else -1,
        topics=[OffsetCommitRequestTopic(name=name, partitions=[one])],
    )


def registry_offsets(talk: PastTalk) -> None:
    """Version 0: positions that brokers kept in ZooKeeper, below the names of groups as they are."""
    name = talk.made("t")
    for group in _GROUP_NAMES:
        asked = _positions(name, group, count=1)
        talk.ask(f"nothing of {group!a}", asked, 0)
        talk.ask(f"commit of {group!a}", _commit(name, 7, group=group), 0)
        talk.ask(f"returned of {group!a}", asked, 0)
    # Where these are only looked for, releases of ZooKeeper do not agree.
    for edge in "\x7f\x9f\uf8ff\ufff0\uffff":
        talk.ask(f"commit of {edge!a}", _commit(name, 7, group=f"a{edge}b"), 0)
    talk.ask("again", _commit(name, 9, group="a/b"), 0)
    for group in ("a", "a/b", "a%2Fb"):
        talk.ask(f"returned of {group} after that", _positions(name, group, count=1), 0)
    talk.ask("long metadata", _commit(name, 7, metadata="x" * 5000), 0)
    for group in ("past", ".."):
        talk.ask(f"topic of {group}", _commit(talk.topic("gone"), 7, group=group), 0)
    talk.ask("returned of a topic", _positions(talk.topic("gone")), 0)


_GROUP_NAMES = (
    "a b", "ü", "100%", "a%2Fb", "a/b", "a", "x" * 300, "...", "..x", "zookeeper",
    "", ".", "..", "/", "/a", "a/", "a//b", "a/./b", "a/../b", "../x",
    "a\0b", "a\1b", "a\tb", "a\x90b", "a\xa0b", "a\ue000b", "a\uf900b", "a\uffefb", "a\ufff8b",
    "a😀b", "g/ids", "g/offsets/t/0",
)  # fmt: skip


def api_versions(talk: PastTalk) -> None:
    """What is served; in which version one may ask too new."""
    named = ApiVersionsRequest(client_software_name="past", client_software_version="1")
    versions = list(talk.versions(ApiKey.API_VERSIONS))
    for version in versions:
        talk.ask(f"version {version}", named, version)
    if versions:  # before the API existed, 0.9 returned nothing and 0.8 closed the connection
        talk.ask_raw("too new", ApiKey.API_VERSIONS, versions[-1] + 1, b"", 0)


def security(talk: PastTalk) -> None:
    """Access rules, tokens and SASL where there is no security."""
    for what, api, asked in questions():
        for version in talk.versions(api):
            talk.ask(f"{what} in {version}", asked, version)


SCENARIOS: tuple[Callable[[PastTalk], None], ...] = (
    metadata, produce, nested_sets, fetch, list_offsets, committed_offsets, registry_offsets,
    api_versions, security,
)  # fmt: skip
