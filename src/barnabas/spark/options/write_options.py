"""The options of writing.

Source: Spark's "Structured Streaming + Kafka Integration Guide", "Writing Data to Kafka".
"""

from collections.abc import Mapping
from dataclasses import dataclass

from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.config.clients import ProducerConfig
from barnabas.errors import ConfigError
from barnabas.spark.errors import OptionError
from barnabas.spark.options.option_values import TASK_REFUSED_MS, Options
from barnabas.spark.options.read_options import NAMES as READ_NAMES

NAMES = (
    "topic",
    "deliveryGuarantee",
    "transactionalIdPrefix",
    "batchId",
    "checkpointLocation",
    "queryName",
    "includeHeaders",
)
"""Spark passes the checkpoint location of a stream to the sink, and Declarative Pipelines pass the name of the
flow; `includeHeaders` has no effect there."""

ELSEWHERE = {
    **{
        name: "is an option of reading; to write to a topic use 'topic'"
        for name in READ_NAMES
        if name not in NAMES
    },
    "path": "is not used; call save() or start() without a path and name the topic with 'topic'",
}

REFUSED_KAFKA = {
    "key.serializer": "is not used; keys are written as they are, binary or string",
    "value.serializer": "is not used; values are written as they are, binary or string",
    "interceptor.classes": "is not supported; remove it",
    "transactional.id": "is chosen by the sink; set 'deliveryGuarantee' to exactly-once instead",
}

PRODUCER_DEFAULTS = {
    # Whole Arrow batches are sent at once, so small batches would only mean more requests.
    "batch.size": "524288",
    "linger.ms": "0",
    "client.id": "spark-barnabas-sink",
    "bootstrap.refused.timeout.ms": TASK_REFUSED_MS,
}

DEFAULT_PREFIX = "spark-barnabas"
_GUARANTEES = ("at-least-once", "exactly-once")


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """One writing query: the producer's properties, and the topic, if all rows have the same one.

    `batch_id`: the number of the batch, if a function for `foreachBatch` writes it.
    """

    kafka: Mapping[str, str]
    topic: str | None = None
    exactly_once: bool = False
    transactional_id_prefix: str = DEFAULT_PREFIX
    batch_id: int | None = None


def write_options(given: Mapping[str, str]) -> WriteOptions:
    """Read and check the options of `df.write` or `df.writeStream`.

    Raises:
        OptionError: an option is unknown, missing or invalid.
    """
    options = Options(given)
    options.check_names(NAMES, ELSEWHERE)
    topic = options.text("topic")
    if topic == "":
        raise OptionError("topic", "is empty; name a topic, or leave it out and have a column")
    kafka = options.kafka(refused=REFUSED_KAFKA)
    if kafka.get("acks") == "0":
        raise OptionError("kafka.acks", "cannot be 0: lost rows would go unnoticed; use all or 1")
    guarantee = (options.text("deliveryGuarantee") or _GUARANTEES[0]).lower()
    if guarantee not in _GUARANTEES:
        meant = " or ".join(_GUARANTEES)
        raise OptionError("deliveryGuarantee", f"must be {meant}, not '{guarantee}'")
    exactly_once = guarantee == _GUARANTEES[1]
    if not exactly_once and (alone := options.given(("transactionalIdPrefix", "batchId"))):
        raise OptionError(alone[0], "needs 'deliveryGuarantee' = exactly-once")
    if exactly_once and kafka.get("acks", "all") not in ("all", "-1"):
        raise OptionError("kafka.acks", "must be all where rows are written exactly once")
    _check_producer(kafka, exactly_once=exactly_once)
    return WriteOptions(
        kafka=kafka,
        topic=topic,
        exactly_once=exactly_once,
        transactional_id_prefix=options.text("transactionalIdPrefix") or DEFAULT_PREFIX,
        batch_id=options.integer("batchId", least=0),
    )


def _check_producer(kafka: Mapping[str, str], *, exactly_once: bool) -> None:
    """Refuse properties of the producer that do not go with each other, before any task starts."""
    named = PRODUCER_DEFAULTS | {
        key: text for key, text in kafka.items() if ProducerConfig.find(key)
    }
    if exactly_once:
        named["transactional.id"] = DEFAULT_PREFIX
    try:
        ProducerOptions.of(ProducerConfig.of_known(named))
    except ConfigError as error:
        raise OptionError("kafka.*", str(error)) from None
