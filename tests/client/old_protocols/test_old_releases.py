"""The driver on brokers of ours that show themselves as Kafka 0.8 to 0.10; with real ones see interop."""

from collections.abc import Iterator

import pytest

from barnabas import Admin, BrokerError, ConfigError, Consumer, Producer
from barnabas.errors import ApiVersionsUnanswered
from barnabas.testing import EmbeddedBroker

BEFORE_API_VERSIONS = ("0.8.0", "0.8.1", "0.8.2", "0.9.0")
SECONDS = 20


class Old:
    """A broker of a release, and the properties that a client of ours needs for it."""

    def __init__(self, broker: EmbeddedBroker, release: str) -> None:
        self.release = release
        self.client: dict[str, object] = {"bootstrap_servers": broker.bootstrap_servers}
        if release in BEFORE_API_VERSIONS:
            self.client["broker_version_fallback"] = release
        if release == "0.9.0":
            self.client["api_version_request"] = False  # It would stay silent for ten seconds.

    def producer(self, **more: object) -> Producer:
        return Producer(**{"enable_idempotence": False, **self.client, **more})

    def write(self, topic: str, count: int) -> None:
        with self.producer() as producer:
            for number in range(count):
                producer.send(topic, f"value {number}", key=f"key {number}")


@pytest.fixture(scope="module", params=(*BEFORE_API_VERSIONS, "0.10.0", "0.10.2"))
def old(request: pytest.FixtureRequest) -> Iterator[Old]:
    with EmbeddedBroker(profile=request.param) as broker:
        yield Old(broker, request.param)


def read(consumer: Consumer, count: int) -> list[tuple[bytes | None, bytes | None]]:
    found: list[tuple[bytes | None, bytes | None]] = []
    while len(found) < count:
        records = consumer.poll(timeout_s=SECONDS)
        assert records
        found += [(each.key, each.value) for each in records]
    return found


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4"])
def test_what_is_written_is_read(old: Old, codec: str) -> None:
    topic = f"written-{codec}"
    sent = [(b"key", b"value %d" % number) for number in range(300)] + [
        (None, b""),
        (b"gone", None),
    ]
    with old.producer(compression_type=codec, linger_ms=100) as producer:
        deliveries = [producer.send(topic, value, key=key) for key, value in sent]
    assert [each.result().offset for each in deliveries] == list(range(len(sent)))
    with Consumer(**old.client, auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, 0)])
        assert read(consumer, len(sent)) == sent
        assert consumer.beginning_offsets([(topic, 0)]) == {(topic, 0): 0}
        assert consumer.end_offsets([(topic, 0)]) == {(topic, 0): len(sent)}


def test_timestamps_are_kept_from_0_10_on(old: Old) -> None:
    with old.producer() as producer:
        producer.send("timed", "now", timestamp_ms=1_500_000_000_000)
    with Consumer(**old.client, auto_offset_reset="earliest") as consumer:
        consumer.assign([("timed", 0)])
        (record,) = consumer.poll(timeout_s=SECONDS)
        kept = 1_500_000_000_000 if old.release.startswith("0.10") else -1
        assert record.timestamp == kept
        if old.release != "0.10.2":
            with pytest.raises(BrokerError, match=r"need Kafka 0\.10\.1"):
                consumer.offsets_for_times({("timed", 0): 1})


def test_records_that_it_cannot_store_fail_alone(old: Old) -> None:
    with old.producer() as producer:
        headed = producer.send("headed", "with one", headers=[("a", b"b")])
        beside = producer.send("beside", "without")
        with pytest.raises(BrokerError, match="a record has headers"):
            headed.result()
        assert beside.result().offset == 0


def test_zstd_is_refused(old: Old) -> None:
    with old.producer(compression_type="zstd") as producer:
        sent = producer.send("zstd", "packed")
        with pytest.raises(BrokerError, match="compressed with zstd"):
            sent.result()


def test_positions_of_a_group(old: Old) -> None:
    old.write("positions", 10)
    with Consumer(**old.client, group_id="g", auto_offset_reset="earliest") as consumer:
        consumer.assign([("positions", 0)])
        if old.release == "0.8.0":
            with pytest.raises(BrokerError, match=r"OffsetFetch.* needs Kafka 0\.8\.1"):
                consumer.poll(timeout_s=SECONDS)
            return
        read(consumer, 10)
        consumer.commit()
    with Consumer(**old.client, group_id="g") as consumer:
        assert consumer.committed([("positions", 0)]) == {("positions", 0): 10}
    with Admin(**old.client) as admin:
        (found,) = admin.list_group_offsets("g").values()
        assert found.offset == 10


def test_membership_needs_0_9(old: Old) -> None:
    old.write("shared", 10)
    member = {"group_id": "members", "auto_offset_reset": "earliest"}
    if old.release == "0.10.0":
        member["session_timeout_ms"] = (
            "30000"  # The maximum; with ApiVersions the release is unknown.
        )
    with Consumer(**old.client, **member) as consumer:
        consumer.subscribe(["shared"])
        if old.release.startswith("0.8"):
            with pytest.raises(BrokerError, match=r"JoinGroup.* needs Kafka 0\.9\.0"):
                consumer.poll(timeout_s=SECONDS)
            return
        assert len(read(consumer, 10)) == 10


def test_a_survey_has_the_positions_of_groups(old: Old) -> None:
    old.write("surveyed", 2)
    old.write("unread", 1)
    with Consumer(**old.client, group_id="surveyed") as consumer:
        consumer.assign([("surveyed", 0)])
        if old.release != "0.8.0":
            consumer.commit({("surveyed", 0): 2})
    with Admin(**old.client) as admin:
        if old.release.startswith("0.8"):
            with pytest.raises(BrokerError, match=r"ListGroups.* needs Kafka 0\.9\.0"):
                admin.survey_groups()
            return
        found = admin.survey_offsets(admin.survey_groups())["surveyed"]
        assert "__consumer_offsets" in set(admin.list_topics(internal=True)) - set(
            admin.list_topics()
        )
    assert {where: each.offset for where, each in found.items()} == {("surveyed", 0): 2}


def test_a_survey_waits_for_a_group_that_an_old_broker_loads() -> None:
    old = {"broker_version_fallback": "0.9.0", "api_version_request": False}
    with EmbeddedBroker(profile="0.9.0") as broker:
        broker.create_topic("loaded")
        with Admin(bootstrap_servers=broker.bootstrap_servers, **old) as admin:
            admin.alter_group_offsets("g", {("loaded", 0): 7})
            groups = admin.survey_groups()
            with broker.faults.fail(
                "OffsetFetch", error="COORDINATOR_LOAD_IN_PROGRESS", times=2
            ) as loads:
                (found,) = admin.survey_offsets(groups)["g"].values()
    assert (found.offset, loads.hits) == (7, 2)


def test_topics_are_listed(old: Old) -> None:
    old.write("listed", 1)
    with Admin(**old.client) as admin:
        assert "listed" in admin.list_topics()
        (broker,) = admin.describe_cluster().brokers
    assert f"{broker.host}:{broker.port}" == old.client["bootstrap_servers"]


def test_without_the_property_the_error_names_it() -> None:
    with EmbeddedBroker(profile="0.8.2") as broker:
        servers = broker.bootstrap_servers
        with Consumer(bootstrap_servers=servers, bootstrap_refused_timeout_ms=500) as consumer:
            consumer.assign([("any", 0)])
            with pytest.raises(ApiVersionsUnanswered, match=r"set broker\.version\.fallback"):
                consumer.end_offsets([("any", 0)])


def test_a_broker_that_responds_is_asked_in_spite_of_it() -> None:
    with EmbeddedBroker() as broker:
        client = {"bootstrap_servers": broker.bootstrap_servers, "broker_version_fallback": "0.8.2"}
        with Producer(**client) as producer:
            headed = producer.send("today", "with one", headers=[("a", b"b")])
        assert headed.result().offset == 0


@pytest.mark.parametrize("given", [{"enable_idempotence": True}, {"transactional_id": "t"}])
def test_idempotence_needs_0_11(given: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"fallback=0\.9 \(it needs 0\.11\.0\)"):
        Producer(bootstrap_servers="localhost:1", broker_version_fallback="0.9", **given)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"broker_version_fallback": "0.7"}, r"barnabas\.driver07"),
        ({"broker_version_fallback": "dog"}, "dog is not a release line of Kafka"),
        ({"api_version_request": False}, r"set broker\.version\.fallback"),
    ],
)
def test_what_names_no_release_is_refused(given: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        Consumer(bootstrap_servers="localhost:1", **given)
