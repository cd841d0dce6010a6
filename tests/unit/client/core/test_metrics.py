from barnabas.client.core.metrics import Traffic


def test_the_average_is_over_the_answers() -> None:
    traffic = Traffic()
    assert traffic.snapshot(0).latency_average_s == 0.0
    traffic.requests, traffic.answers, traffic.waited_s = 3, 2, 5.0
    now = traffic.snapshot(7)
    assert (now.requests, now.answers, now.records, now.latency_average_s) == (3, 2, 7, 2.5)
