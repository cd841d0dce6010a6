"""The driver of seed 001, the protocol planned after 0.7, for threads."""

from barnabas.client.driver07.simple_consumer import EARLIEST, LATEST, Fetched
from barnabas.client.proposal.connection import Connection
from barnabas.client.proposal.consumer import Consumer, FetchedSets, FetchStart
from barnabas.client.proposal.pending_response import Pending
from barnabas.client.proposal.producer import MessageSet, Producer, Stored
from barnabas.records.messages07.message07 import Message

From = FetchStart
"""Former name of `FetchStart`; removed in the next release."""

__all__ = [
    "EARLIEST",
    "LATEST",
    "Connection",
    "Consumer",
    "FetchStart",
    "Fetched",
    "FetchedSets",
    "From",
    "Message",
    "MessageSet",
    "Pending",
    "Producer",
    "Stored",
]
