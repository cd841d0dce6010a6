"""Transactions that are open, done, hanging."""

from starlette.testclient import TestClient

from barnabas import Producer
from barnabas.testing import EmbeddedBroker


def test_an_open_transaction_and_its_partitions(
    browser: TestClient, console_broker: EmbeddedBroker
) -> None:
    console_broker.create_topic("paid", 3)
    with Producer(
        bootstrap_servers=console_broker.bootstrap_servers, transactional_id="cashier"
    ) as producer:
        producer.init_transactions()
        producer.begin_transaction()
        producer.send("paid", "10", partition=2)
        producer.flush()
        listed = browser.get("/transactions?q=CASH&state=Ongoing").text
        assert '<a href="/transactions/one?id=cashier">' in listed
        text = browser.get("/transactions/one?id=cashier").text
        assert "Ongoing" in text
        assert '<a href="/topics/paid">paid</a></th><td class="n">2</td>' in text
        assert "None hangs in 3 partitions" in browser.get("/transactions/hanging?topic=paid").text
        producer.commit_transaction()
    assert "cashier" not in browser.get("/transactions?state=Ongoing").text
    assert "no transaction is open" in browser.get("/transactions/one?id=cashier").text


def test_what_is_wrong_is_named(browser: TestClient) -> None:
    assert browser.get("/transactions?state=Odd").status_code == 400
    missing = browser.get("/transactions/one?id=nobody")
    assert missing.status_code == 404
    assert "there is no transactional id nobody" in missing.text
    assert browser.get("/transactions/hanging?topic=nothing-there").status_code == 404
    assert browser.get("/transactions/hanging?idle=soon").status_code == 400
