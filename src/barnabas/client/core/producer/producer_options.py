"""The configuration of the producer's state machines, in their units."""

from dataclasses import dataclass
from typing import Final, Self

from barnabas.client.core.cluster.fallback import falls_back_before
from barnabas.config.clients import ProducerConfig
from barnabas.errors import ConfigError
from barnabas.records.codecs.compression import Codec

_ACKS: Final = {"all": -1, "-1": -1, "0": 0, "1": 1}
_MOST_IDEMPOTENT_IN_FLIGHT: Final = 5
_IDEMPOTENT_SINCE: Final = "0.11.0"


@dataclass(frozen=True, slots=True)
class ProducerOptions:
    """Sizes in bytes, times in seconds. `acks` -1 is all. `level` None: the codec's default.

    `transactional_id` None: no transactions.
    """

    acks: int = -1
    idempotent: bool = True
    codec: Codec = Codec.NONE
    level: int | None = None
    batch_size: int = 1_000_000
    linger_s: float = 0.005
    buffer_memory: int = 33_554_432
    max_request_size: int = 1_048_576
    in_flight: int = 5
    retries: int = 2**31 - 1
    delivery_timeout_s: float = 120.0
    request_timeout_s: float = 30.0
    max_block_s: float = 60.0
    ignore_keys: bool = False
    transactional_id: str | None = None
    transaction_timeout_ms: int = 60_000

    @classmethod
    def of(cls, config: ProducerConfig) -> Self:
        """Translate the properties.

        Raises:
            ConfigError: enable.idempotence or transactional.id contradicts other properties, or
                delivery.timeout.ms is too short.
        """
        if config.transactional_id == "":
            raise ConfigError("transactional.id: a name must not be empty; leave it out for none")
        least = config.linger_ms + config.request_timeout_ms
        if config.delivery_timeout_ms < least and "delivery.timeout.ms" in config.given:
            raise ConfigError(
                f"delivery.timeout.ms={config.delivery_timeout_ms} is less than linger.ms + "
                f"request.timeout.ms = {config.linger_ms} + {config.request_timeout_ms}: a batch "
                "would not have enough time for one request"
            )
        acks = _ACKS[config.acks]
        return cls(
            acks=acks,
            idempotent=_idempotent(config, acks),
            codec=Codec[config.compression_type.upper()],
            level=_level(config),
            batch_size=max(1, min(config.batch_size, config.max_request_size)),
            linger_s=config.linger_ms / 1000,
            buffer_memory=config.buffer_memory,
            max_request_size=config.max_request_size,
            in_flight=config.max_in_flight_requests_per_connection,
            retries=config.retries,
            delivery_timeout_s=max(config.delivery_timeout_ms, least) / 1000,
            request_timeout_s=config.request_timeout_ms / 1000,
            max_block_s=config.max_block_ms / 1000,
            ignore_keys=config.partitioner_ignore_keys,
            transactional_id=config.transactional_id,
            transaction_timeout_ms=config.transaction_timeout_ms,
        )


def _idempotent(config: ProducerConfig, acks: int) -> bool:
    """Whether to be idempotent: as set; by default, if nothing contradicts it."""
    obstacles = []
    if acks != -1:
        obstacles.append(f"acks={config.acks} (it needs all)")
    if config.max_in_flight_requests_per_connection > _MOST_IDEMPOTENT_IN_FLIGHT:
        count = config.max_in_flight_requests_per_connection
        obstacles.append(f"max.in.flight.requests.per.connection={count} (it allows up to 5)")
    if config.retries == 0:
        obstacles.append("retries=0 (it needs retries)")
    if falls_back_before(config, _IDEMPOTENT_SINCE):
        named = config.broker_version_fallback
        obstacles.append(f"broker.version.fallback={named} (it needs {_IDEMPOTENT_SINCE})")
    if config.transactional_id is not None:
        if not config.enable_idempotence:
            obstacles.insert(0, "enable.idempotence=false (it needs idempotence)")
        if obstacles:
            raise ConfigError(f"transactional.id does not go with {' and '.join(obstacles)}")
    if not config.enable_idempotence or not obstacles:
        return config.enable_idempotence
    if "enable.idempotence" in config.given:
        raise ConfigError(f"enable.idempotence=true does not go with {' and '.join(obstacles)}")
    return False


def _level(config: ProducerConfig) -> int | None:
    levels = {
        "gzip": ("compression.gzip.level", config.compression_gzip_level),
        "lz4": ("compression.lz4.level", config.compression_lz4_level),
        "zstd": ("compression.zstd.level", config.compression_zstd_level),
    }
    name, level = levels.get(config.compression_type, ("", 0))
    return (
        level if name in config.given and (name != "compression.gzip.level" or level >= 0) else None
    )
