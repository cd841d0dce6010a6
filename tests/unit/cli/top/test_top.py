"""ClusterWatch: what is counted as waiting for the cluster."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from barnabas import Admin
from barnabas.cli.top import top


def test_the_time_between_two_samples_is_no_wait_for_the_cluster(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events: list[str] = []

    @contextmanager
    def waiting() -> Iterator[None]:
        events.append("wait")
        yield
        events.append("done")

    monkeypatch.setattr(top, "take_sample", lambda *_, **__: events.append("sample"))
    monkeypatch.setattr(top, "rates_between", lambda *_: None)
    monkeypatch.setattr("time.sleep", lambda seconds: events.append(f"sleep {seconds:g}"))
    with Admin(bootstrap_servers="localhost:1") as admin:
        watch = top.ClusterWatch(admin, 2.0, waiting, internal=False)
        watch.next_rates("records")
    sample = ["wait", "sample", "done"]
    assert events == [*sample, "sleep 2", *sample]
