"""Client ids of 32 KB on many connections: of each a short piece is kept."""

from contextlib import ExitStack

from tests.hostile.processes import resident_mb
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.raw import Raw, framed, header

CONNECTIONS = 400
LONG = 32_000
_LIST_GROUPS, _API_VERSIONS = 16, 18


def test_long_client_ids_take_no_memory() -> None:
    """4,000 connections took 170 MB; each API that they asked, as much again."""
    with OurBroker() as broker, ExitStack() as stack:
        before = resident_mb(broker, "VmRSS")
        for number in range(CONNECTIONS):
            connection = stack.enter_context(Raw(broker.bootstrap_servers))
            for api in (_API_VERSIONS, _LIST_GROUPS):
                client = b"%08d" % number + b"c" * LONG
                answer = connection.ask(framed(header(api, 0, client=client)))
                assert answer is not None
        # All of them are 26 MB.
        assert resident_mb(broker, "VmRSS") - before < 13
