from barnabas.config.broker import BrokerConfig
from barnabas.config.ignored_names import BROKER_NAMES, why_ignored
from barnabas.config.inert_broker import inert_rows
from barnabas.config.inert_meanings import meanings


def test_each_has_a_reason_why_it_changes_nothing() -> None:
    assert [name for name in inert_rows() if why_ignored(BROKER_NAMES, name) is None] == []


def test_each_says_what_it_is() -> None:
    assert meanings().keys() == inert_rows().keys()
    text = inert_rows()["num.io.threads"].row.text
    assert text.startswith("Threads that work on requests")
    assert "No effect here" in text


def test_none_of_them_is_honoured() -> None:
    assert inert_rows().keys() & BrokerConfig.settings().keys() == set()


def test_each_default_can_be_parsed_again() -> None:
    for row, _ in inert_rows().values():
        assert row.default is None or row.parse(row.render(row.default)) == row.default


def test_what_was_given_is_kept() -> None:
    config = BrokerConfig.load({"num.io.threads": 4, "log.segment.bytes": 2_000_000})
    assert dict(config.elsewhere) == {"num.io.threads": "4"}
