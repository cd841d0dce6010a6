import pytest

from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.config.clients import ProducerConfig
from barnabas.errors import ConfigError


def options(**given: object) -> ProducerOptions:
    return ProducerOptions.of(
        ProducerConfig.load({name.replace("_", "."): value for name, value in given.items()})
    )


def test_defaults_are_safe() -> None:
    assert (options().acks, options().idempotent, options().level) == (-1, True, None)


@pytest.mark.parametrize(
    "given",
    [{"acks": "1"}, {"max_in_flight_requests_per_connection": 6}, {"retries": 0}],
)
def test_idempotence_gives_way_unless_it_was_asked_for(given: dict[str, object]) -> None:
    assert not options(**given).idempotent
    with pytest.raises(ConfigError, match=r"enable\.idempotence=true does not go with"):
        options(enable_idempotence="true", **given)


def test_a_level_counts_only_for_its_codec() -> None:
    assert options(compression_type="zstd", compression_zstd_level=9).level == 9
    assert options(compression_type="gzip", compression_zstd_level=9).level is None


def test_a_transactional_producer_is_idempotent() -> None:
    found = options(transactional_id="mine", transaction_timeout_ms=5000)
    assert (found.transactional_id, found.transaction_timeout_ms) == ("mine", 5000)
    assert found.idempotent
    assert options().transactional_id is None


@pytest.mark.parametrize(
    ("given", "obstacle"),
    [
        ({"acks": "1"}, r"acks=1 \(it needs all\)"),
        ({"retries": 0}, "retries=0"),
        ({"max_in_flight_requests_per_connection": 6}, r"connection=6 \(it allows up to 5\)"),
        ({"enable_idempotence": "false"}, r"enable\.idempotence=false"),
        ({"enable_idempotence": "false", "acks": "0"}, r"=false .* and acks=0"),
    ],
)
def test_a_transactional_producer_refuses_what_it_cannot_work_with(
    given: dict[str, object], obstacle: str
) -> None:
    with pytest.raises(ConfigError, match=rf"transactional\.id does not go with .*{obstacle}"):
        options(transactional_id="mine", **given)


def test_a_transactional_id_is_not_empty() -> None:
    with pytest.raises(ConfigError, match=r"transactional\.id: a name must not be empty"):
        options(transactional_id="")


def test_a_delivery_has_at_least_the_time_of_one_request() -> None:
    assert options(delivery_timeout_ms=30_005).delivery_timeout_s == 30.005
    with pytest.raises(
        ConfigError, match=r"delivery\.timeout\.ms=30004 is less than .* 5 \+ 30000"
    ):
        options(delivery_timeout_ms=30_004)
    assert options(request_timeout_ms=200_000).delivery_timeout_s == 200.005
