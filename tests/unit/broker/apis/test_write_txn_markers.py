from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from tests.unit.broker.groups.test_offsets import Started


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    one = Started(tmp_path)
    yield one
    one.stop()


def marked(started: Started, *producers: tuple[int, int]) -> list[int]:
    """A marker of each producer and epoch for the same partition, and what becomes of it."""
    markers = [
        WritableTxnMarker(
            producer_id=producer_id,
            producer_epoch=epoch,
            transaction_result=False,
            topics=[WritableTxnMarkerTopic(name="dogs", partition_indexes=[0])],
            coordinator_epoch=0,
        )
        for producer_id, epoch in producers
    ]
    request = WriteTxnMarkersRequest(markers=markers)
    reply = started.ask(ApiKey.WRITE_TXN_MARKERS, 2, request)
    assert isinstance(reply, WriteTxnMarkersResponse)
    return [marker.topics[0].partitions[0].error_code for marker in reply.markers]


def test_markers_of_nobody_and_of_no_epoch_are_not_written(started: Started) -> None:
    """As by Kafka 4.3, which says that it stumbled over them; here the others count all the same."""
    partition = started.broker.replicas.find("dogs", 0)
    assert partition is not None
    refused = ErrorCode.INVALID_REQUEST
    codes = marked(started, (-1, 0), (7, -1), (-1, -1), (7, 0))
    assert codes == [refused, refused, refused, ErrorCode.NONE]
    assert partition.log.written_end == 1
