import pytest

from barnabas.client.driver07.subscription import encode_subscription, threads_of


def test_it_is_written_to_the_byte_as_kafka_07_does() -> None:
    assert encode_subscription({"topic1": 1, "topic2": 2}) == b'{ "topic1": 1,"topic2": 2 }'


@pytest.mark.parametrize(
    ("data", "threads"),
    [
        (b'{ "cats": 1,"dogs": 2 }', ["me-0", "me-1"]),
        (b'{"dogs":1}', ["me-0"]),
        (b'{"cats":1}', []),
        (b"*2*do.*", ["me-0", "me-1"]),
        (b"*2*cats, dogs", ["me-0", "me-1"]),
        (b"*2*do", []),
        (b"!1!ca.*", ["me-0"]),
        (b"!1!do.*", []),
        (b"dogs", ["me"]),
        (b"cats", []),
    ],
)
def test_what_others_write_is_read(data: bytes, threads: list[str]) -> None:
    assert threads_of("me", data, "dogs") == threads


@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"\xff\xfe",
        b"{",
        b"{}",
        b'{"dogs": "x"}',
        b'{"dogs": -3}',
        b"*",
        b"*x*dogs",
        b"*1*(",
        b"[]",
    ],
)
def test_garbage_is_a_consumer_that_reads_nothing(garbage: bytes) -> None:
    assert threads_of("me", garbage, "dogs") == []


@pytest.mark.parametrize(
    "garbage",
    [
        b"{",
        b'{"dogs": "x"}',
        b'{"dogs":' + b"[" * 100_000,
        b'{"dogs": ' + b"1" * 5000 + b"}",
        b"*x*dogs",
        b"*x*cats",
        b"*1*(",
        b"*1*" + b"(" * 5000,
        b"*1*a{99999999999}",
        b"*" + b"1" * 5000 + b"*dogs",
    ],
    ids=lambda data: data[:12],
)
def test_what_cannot_be_understood_is_reported_with_whose_it_is(
    garbage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    assert threads_of("me", garbage, "dogs") == []
    (record,) = caplog.records
    assert (record.levelname, vars(record)["consumer"]) == ("WARNING", "me")


def test_no_garbage_makes_more_threads_than_anybody_runs() -> None:
    assert len(threads_of("me", b'{"dogs": 99999999999}', "dogs")) <= 10_000
