from barnabas.log.schedule import Schedule

HOUR = 3_600_000


def test_work_is_due_every_interval() -> None:
    schedule = Schedule(1000)
    schedule.begin(50_000)
    due = [now_ms for now_ms in range(50_000, 53_000, 250) if schedule.is_due(now_ms)]
    assert due == [51_000, 52_000]


def test_a_clock_that_is_set_back_does_not_put_it_off() -> None:
    schedule = Schedule(1000)
    schedule.begin(100 * HOUR)
    assert schedule.is_due(HOUR)
    assert not schedule.is_due(HOUR + 999)
    assert schedule.is_due(HOUR + 1000)
