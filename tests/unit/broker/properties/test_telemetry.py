"""Subscriptions to clients' metrics, and pushes, as the handlers answer them."""

import gzip
from dataclasses import replace
from typing import cast

import pytest

from barnabas.broker.apis import api_versions, get_telemetry_subscriptions, push_telemetry
from barnabas.broker.apis.get_telemetry_subscriptions import client_of
from barnabas.broker.broker import Broker
from barnabas.broker.properties.resource_kinds import ResourceKind
from barnabas.broker.properties.telemetry_match import Software
from barnabas.errors import ErrorCode
from barnabas.protocol.api_versions import ApiVersionsRequest
from barnabas.protocol.get_telemetry_subscriptions import (
    GetTelemetrySubscriptionsRequest,
    GetTelemetrySubscriptionsResponse,
)
from barnabas.protocol.push_telemetry import PushTelemetryRequest, PushTelemetryResponse
from tests.unit.broker.changes import change_properties
from tests.unit.broker.in_memory import StillClock, a_broker, asked

ME = bytes(range(16))


def subscribe(broker: Broker, name: str, **config: str) -> None:
    properties = {key.replace("_", "."): value for key, value in config.items()}
    change_properties(broker, ResourceKind.CLIENT_METRICS, name, properties)


def get(broker: Broker, who: bytes = ME) -> GetTelemetrySubscriptionsResponse:
    request = GetTelemetrySubscriptionsRequest(client_instance_id=who)
    outcome = get_telemetry_subscriptions.handle(broker, asked(0), request)
    return cast("GetTelemetrySubscriptionsResponse", outcome)


def push(
    broker: Broker,
    number: int,
    metrics: bytes = b"",
    *,
    who: bytes = ME,
    codec: int = 0,
    last: bool = False,
) -> int:
    request = PushTelemetryRequest(
        client_instance_id=who,
        subscription_id=number,
        terminating=last,
        compression_type=codec,
        metrics=metrics,
    )
    outcome = push_telemetry.handle(broker, asked(0), request)
    return cast("PushTelemetryResponse", outcome).error_code


def wait(broker: Broker, seconds: float) -> None:
    cast("StillClock", broker.clock).seconds += seconds


def test_a_new_client_gets_an_id_and_is_asked_for_nothing() -> None:
    response = get(a_broker(), bytes(16))
    assert response.client_instance_id != bytes(16)
    assert (response.push_interval_ms, response.requested_metrics) == (300_000, [])
    assert response.telemetry_max_bytes == 1_048_576


def test_all_subscriptions_that_fit_are_joined() -> None:
    broker = a_broker()
    broker.software[1] = Software("rocket", "1.2")
    subscribe(broker, "a", metrics="x.,y.", interval_ms="5000", match="client_id=m.")
    subscribe(broker, "b", metrics="y.,z.", interval_ms="3000", match="client_software_name=rocket")
    subscribe(broker, "c", metrics="no.", interval_ms="100", match="client_id=m.,client_id=n.*")
    response = get(broker)
    assert (response.requested_metrics, response.push_interval_ms) == (["x.", "y.", "z."], 3000)
    subscribe(broker, "d", metrics="*")
    assert get(broker).requested_metrics == ["*"]


def test_a_pattern_takes_no_longer_than_the_text_is_long() -> None:
    """Where expressions are tried in every way this one takes years; who may set it may name itself."""
    broker = a_broker()
    subscribe(broker, "a", metrics="x.", match="client_id=(a|aa|aaa)+")
    context = replace(asked(0), client_id="a" * 60 + "!")
    request = GetTelemetrySubscriptionsRequest(client_instance_id=ME)
    reported = get_telemetry_subscriptions.handle(broker, context, request)
    assert reported.requested_metrics == []


def test_subscriptions_are_gone_through_in_steps() -> None:
    """There may be thousands, each with a pattern that takes a millisecond to be compiled."""
    broker = a_broker()
    for number in range(10):
        subscribe(broker, f"s{number}", metrics="x.", match=f"client_id=.{{{number + 1}}}")
    client = client_of(broker, asked(0), ME)
    assert len(list(broker.telemetry.subscription_of(ME, client, 1))) == 10
    assert get(broker, ME[::-1]).requested_metrics == ["x."]


def test_nobody_is_asked_before_there_is_a_subscription() -> None:
    broker = a_broker()
    question = ApiVersionsRequest(client_software_name="rocket", client_software_version="1.2")

    def offered() -> set[int]:
        return {one.api_key for one in api_versions.handle(broker, asked(3), question).api_keys}

    assert offered() & {71, 72} == set()
    subscribe(broker, "a", metrics="x.")
    assert {71, 72} <= offered()
    assert broker.software[1] == Software("rocket", "1.2")


def test_pushes_are_counted() -> None:
    broker = a_broker()
    number = get(broker).subscription_id
    assert push(broker, number, gzip.compress(b"metrics"), codec=1) == 0
    assert broker.telemetry.pushes == 1
    assert broker.telemetry.pushed_bytes > 0


def test_what_comes_before_it_is_due_is_refused() -> None:
    broker = a_broker()
    subscribe(broker, "a", metrics="x.", interval_ms="5000")
    number = get(broker).subscription_id
    assert get(broker).error_code == ErrorCode.THROTTLING_QUOTA_EXCEEDED
    assert push(broker, number) == 0
    assert push(broker, number) == ErrorCode.THROTTLING_QUOTA_EXCEEDED
    wait(broker, 5)
    assert push(broker, number) == 0
    assert push(broker, number, last=True) == 0
    assert push(broker, number) == ErrorCode.INVALID_REQUEST


def test_a_changed_subscription_must_be_asked_for_again() -> None:
    broker = a_broker()
    number = get(broker).subscription_id
    subscribe(broker, "a", metrics="x.")
    assert push(broker, number) == ErrorCode.UNKNOWN_SUBSCRIPTION_ID
    again = get(broker)
    assert again.error_code == 0
    assert push(broker, again.subscription_id) == ErrorCode.THROTTLING_QUOTA_EXCEEDED
    wait(broker, 300)
    assert push(broker, again.subscription_id) == 0


def test_a_client_is_forgotten_with_its_connection() -> None:
    broker = a_broker()
    number = get(broker).subscription_id
    assert push(broker, number) == 0
    broker.forget_client(2)
    assert push(broker, number) == ErrorCode.THROTTLING_QUOTA_EXCEEDED
    broker.forget_client(1)
    assert push(broker, number) == 0


@pytest.mark.parametrize(
    ("who", "codec", "metrics", "code"),
    [
        (bytes(16), 0, b"", ErrorCode.INVALID_REQUEST),
        (ME, 9, b"x", ErrorCode.UNSUPPORTED_COMPRESSION_TYPE),
        (ME, 4, b"no zstd", ErrorCode.INVALID_RECORD),
        (ME, 0, bytes(1_048_577), ErrorCode.TELEMETRY_TOO_LARGE),
        (ME, 1, gzip.compress(bytes(100 << 20), 1), ErrorCode.INVALID_RECORD),
    ],
)
def test_what_cannot_be_taken_is_refused(
    who: bytes, codec: int, metrics: bytes, code: ErrorCode
) -> None:
    broker = a_broker()
    number = get(broker).subscription_id
    assert push(broker, number, metrics, who=who, codec=codec) == code
    assert broker.telemetry.pushes == 0
