"""Quotas."""

from starlette.testclient import TestClient

from barnabas import Admin


def test_quotas_of_named_clients_and_all_others(browser: TestClient, admin: Admin) -> None:
    admin.alter_client_quotas({"client-id": "noisy"}, {"producer_byte_rate": 1_000_000})
    admin.alter_client_quotas({"user": None}, {"request_percentage": 50.5})
    text = browser.get("/quotas").text
    assert "<td>noisy</td>" in text
    assert "<td>all others</td>" in text
    assert "1,000,000" in text
    assert "50.5" in text
    admin.alter_client_quotas({"client-id": "noisy"}, {"producer_byte_rate": None})
    admin.alter_client_quotas({"user": None}, {"request_percentage": None})
    assert "No quota is set." in browser.get("/quotas").text
