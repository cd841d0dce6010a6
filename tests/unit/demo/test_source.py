import json

from barnabas.demo.source import FlightRecord, flight_records

HEAD = "year,dep_delay,carrier,flight,tailnum,time_hour"


def test_a_flight_becomes_a_keyed_record_at_its_scheduled_hour() -> None:
    lines = ["2013,2,UA,1545,N14228,2013-01-01T10:00:00Z", "2013,NA,B6,9,NA,2013-01-01T10:00:00Z"]
    first, second = flight_records(HEAD, lines)
    assert isinstance(first, FlightRecord)
    assert (first.key, first.timestamp_ms) == (b"UA1545", 1_357_034_400_000)
    assert json.loads(first.value) == {
        "year": 2013,
        "dep_delay": 2,
        "carrier": "UA",
        "flight": 1545,
        "tailnum": "N14228",
        "time_hour": "2013-01-01T10:00:00Z",
    }
    assert json.loads(second.value)["dep_delay"] is None
    assert json.loads(second.value)["tailnum"] is None
