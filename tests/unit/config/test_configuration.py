import logging

import pytest

from barnabas.config.broker import BrokerConfig
from barnabas.config.clients import AdminConfig, ConsumerConfig, ProducerConfig
from barnabas.config.definition import HIGH, Setting
from barnabas.config.parsing import Kind
from barnabas.errors import ConfigError, ErrorCode


def test_dotted_underscored_and_python_values_mean_the_same() -> None:
    texts = BrokerConfig.load({"num.partitions": "3", "auto.create.topics.enable": "False"})
    python = BrokerConfig(num_partitions=3, auto_create_topics_enable=False)
    assert texts == python
    assert BrokerConfig.load({"num_partitions": 3, "auto_create_topics_enable": "false"}) == python
    assert hash(texts) == hash(python)
    assert texts.num_partitions == 3
    assert repr(texts) == "BrokerConfig(auto_create_topics_enable=False, num_partitions=3)"


def test_what_is_not_given_has_its_default_and_says_so() -> None:
    config = ProducerConfig.load({"linger.ms": 0})
    assert config.given == {"linger.ms"}
    assert (config.linger_ms, config.acks, config.enable_idempotence) == (0, "all", True)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("log.segment.bytes", "12", "log.segment.bytes=12: it must be at least 1048576"),
        ("num.partitions", "many", "num.partitions=many: it must be a whole number"),
        ("num.partitions", True, "num.partitions=True: it must be a whole number"),
        ("num.partitions", None, "num.partitions=None: it must have a value"),
        ("num.partitions", 1 << 31, "num.partitions=2147483648: it must fit in 32 bits"),
        ("log.preallocate", "yes", "log.preallocate=yes: it must be true or false"),
        (
            "log.cleanup.policy",
            "delete,shred",
            "log.cleanup.policy=delete,shred: it must be any of delete, compact",
        ),
    ],
)
def test_a_wrong_value_names_property_value_and_range(name: str, value: object, why: str) -> None:
    with pytest.raises(ConfigError) as caught:
        BrokerConfig.load({name: value})
    assert str(caught.value) == why
    assert caught.value.code is ErrorCode.INVALID_CONFIG


def test_an_unknown_name_is_a_warning_with_the_nearest_known_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO):
        BrokerConfig.load({"log.segment.byte": 1, "zzz": 1, "num.io.threads": 8})
    reported = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert reported == [
        (
            "WARNING",
            "unknown property log.segment.byte; did you mean log.segment.bytes?",
        ),
        ("WARNING", "unknown property zzz"),
        (
            "INFO",
            "property num.io.threads has no effect here: one thread serves all connections",
        ),
    ]


@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("group.share.assignors", "INFO"),
        ("zookeeper.sync.time.ms", "INFO"),
        ("remote.log.manager.thread.pool.size", "INFO"),
        ("ssl.truststore.location", "WARNING"),
        ("listener.name.inner.ssl.keystore.location", "WARNING"),
        ("authorizer.class.name", "WARNING"),
        ("port", "WARNING"),
    ],
)
def test_what_kafka_knows_is_not_unknown_and_what_would_protect_is_a_warning(
    name: str, level: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        BrokerConfig.load({name: "1"})
    (record,) = caplog.records
    assert record.levelname == level
    assert record.getMessage().startswith(f"property {name} has no effect here: ")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("group.protocl", ""),
        ("security.protocl", "security.protocol"),
        ("retries.backoff.ms", "retry.backoff.ms"),
        ("bootstrap.server", "bootstrap.servers"),
        ("metadata", ""),
    ],
)
def test_what_is_only_a_little_like_a_name_is_not_proposed(name: str, near: str) -> None:
    sent = AdminConfig.nearest(name)
    assert sent == (f"; did you mean {near}?" if near else "")


def test_a_misspelt_name_that_would_change_nothing_has_a_nearest_one_too() -> None:
    near = BrokerConfig.nearest("num.replica.fetcher")
    assert near.endswith("did you mean num.replica.fetchers, which has no effect here?")


def test_two_names_of_one_property_must_agree() -> None:
    assert BrokerConfig.load({"node.id": 4, "broker.id": "4"}).node_id == 4
    with pytest.raises(ConfigError, match="node.id is set twice"):
        BrokerConfig.load({"node.id": 4, "broker.id": 5})


def test_a_keyword_must_be_a_property() -> None:
    with pytest.raises(TypeError, match="ConsumerConfig has no property goup_id"):
        ConsumerConfig(goup_id="x")  # type: ignore[call-arg]


def test_frozen() -> None:
    with pytest.raises(AttributeError, match="frozen"):
        BrokerConfig().node_id = 2  # type: ignore[misc]


def test_values_are_found_by_name() -> None:
    config = BrokerConfig(node_id=7)
    assert config.value("broker.id") == 7
    with pytest.raises(KeyError):
        config.value("nothing.of.the.kind")


@pytest.mark.parametrize("kind", [BrokerConfig, ProducerConfig, ConsumerConfig])
def test_every_default_is_what_its_own_text_reads_as(
    kind: type[BrokerConfig | ProducerConfig | ConsumerConfig],
) -> None:
    for row, value in kind().items():
        text = row.render(value)
        assert row.parse(text) == value


def test_range_in_words() -> None:
    def words(**limits: object) -> str:
        return Setting(Kind.INT, 1, HIGH, "", **limits).range  # type: ignore[arg-type]

    assert words() == ""
    assert words(low=1) == "at least 1"
    assert words(low=0, high=9) == "between 0 and 9"


def test_a_property_that_changes_nothing_says_so_when_it_is_set(
    caplog: pytest.LogCaptureFixture,
) -> None:
    BrokerConfig.load({"min.insync.replicas": 1, "log.preallocate": "false"})
    assert caplog.records == [], "a default is no wish"
    BrokerConfig.load({"min.insync.replicas": 2})
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert record.getMessage() == (
        "property min.insync.replicas has no effect here: "
        "without cluster.member nothing is replicated"
    )


def test_a_member_of_a_cluster_obeys_what_is_about_replicas(
    caplog: pytest.LogCaptureFixture,
) -> None:
    BrokerConfig.load({"cluster.member": "true", "min.insync.replicas": "2"})
    assert not caplog.records
