"""The console as an ASGI application: its pages, its guard, its one admin client."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.cluster.rates import RateSampler
from barnabas.console.decoding.schemas import SchemaReader
from barnabas.console.error_pages import failed, refused
from barnabas.console.page_limit import PageLimit
from barnabas.console.pages.add_partitions import add_partitions
from barnabas.console.pages.brokers import broker, brokers
from barnabas.console.pages.change_property import broker_property, topic_property
from barnabas.console.pages.create_topic import create_topic
from barnabas.console.pages.delete_group import delete_group
from barnabas.console.pages.delete_records import delete_records
from barnabas.console.pages.delete_topic import delete_topic
from barnabas.console.pages.download import download
from barnabas.console.pages.group import group
from barnabas.console.pages.groups import groups
from barnabas.console.pages.live import live
from barnabas.console.pages.overview import overview, overview_events
from barnabas.console.pages.produce import produce
from barnabas.console.pages.quotas import quotas
from barnabas.console.pages.record import record, record_bytes
from barnabas.console.pages.records import records
from barnabas.console.pages.reset import reset
from barnabas.console.pages.topic import topic
from barnabas.console.pages.topic_groups import topic_groups
from barnabas.console.pages.topics import topics
from barnabas.console.pages.transactions import hanging, transaction, transactions
from barnabas.console.pages.watch import watch, watch_events, watched_exchange
from barnabas.console.pages.wire import wire
from barnabas.console.rendering import load_templates
from barnabas.console.security import ConsoleGuard
from barnabas.console.settings import ConsoleSettings
from barnabas.console.streams import DownloadMemory, StreamLimit
from barnabas.errors import ConfigError, KafkaError
from barnabas.lens.watching.frame_watch import FrameSource
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.registries.schema_registry import SchemaRegistryClient

_HELD_BYTES: Final = 64 << 20
"""Of records in all downloads together."""

_CHANGES = ("GET", "POST")
"""Of pages with a form that is posted."""

ROUTES = [
    Route("/", overview),
    Route("/events", overview_events),
    Route("/topics", topics),
    Route("/topics/{topic}", topic),
    Route("/create-topic", create_topic, methods=_CHANGES),
    Route("/topics/{topic}/groups", topic_groups),
    Route("/topics/{topic}/delete", delete_topic, methods=_CHANGES),
    Route("/topics/{topic}/delete-records", delete_records, methods=_CHANGES),
    Route("/topics/{topic}/add-partitions", add_partitions, methods=_CHANGES),
    Route("/topics/{topic}/produce", produce, methods=_CHANGES),
    Route("/topics/{topic}/property", topic_property, methods=_CHANGES),
    Route("/topics/{topic}/records", records),
    Route("/topics/{topic}/records/live", live),
    Route("/topics/{topic}/records/download", download),
    Route("/topics/{topic}/records/{partition}/{offset}", record),
    Route("/topics/{topic}/records/{partition}/{offset}/bytes", record_bytes),
    Route("/brokers", brokers),
    Route("/brokers/{broker}", broker),
    Route("/brokers/{broker}/property", broker_property, methods=_CHANGES),
    Route("/quotas", quotas),
    Route("/transactions", transactions),
    Route("/transactions/hanging", hanging),
    Route("/transactions/one", transaction),
    Route("/groups", groups),
    Route("/groups/one", group),
    Route("/groups/one/reset", reset, methods=_CHANGES),
    Route("/groups/one/delete", delete_group, methods=_CHANGES),
    Route("/wire", wire, methods=_CHANGES),
    Route("/wire/watch", watch),
    Route("/wire/watch/events", watch_events),
    Route("/wire/watch/{number}", watched_exchange),
]
"""All pages."""


def create_application(settings: ConsoleSettings, frames: FrameSource | None = None) -> Starlette:
    """The console of one cluster; its clients connect when a page first needs them.

    `frames`: where connections can be watched, if anywhere.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        clock = SystemClock()
        app.state.cluster = cluster = ClusterState(settings, clock)
        cluster.begin()
        app.state.rates = rates = RateSampler(cluster, clock)
        try:
            yield
        finally:
            await rates.close()
            await cluster.close()

    static = StaticFiles(packages=[("barnabas.console", "static")])
    application = Starlette(
        routes=[*ROUTES, Mount("/static", static)],
        middleware=[Middleware(ConsoleGuard, settings=settings), Middleware(PageLimit)],
        exception_handlers={HTTPException: refused, KafkaError: failed},
        lifespan=lifespan,
    )
    application.state.settings = settings
    application.state.frames = frames
    load_templates()
    application.state.schemas = _schemas(settings)
    state = application.state
    state.streams = StreamLimit(32, "32 pages are live already: close one of them")
    state.overviews = StreamLimit(100, "100 overviews are open already: close one of them")
    # Each holds what its reader has not taken yet.
    state.downloads = StreamLimit(8, "8 downloads are under way: wait until one ends")
    state.held = DownloadMemory(_HELD_BYTES)
    state.endless = (state.streams, state.overviews, state.downloads)
    application.state.key = secrets.token_bytes(32)
    return application


def _schemas(settings: ConsoleSettings) -> SchemaReader | None:
    """Reads values by their schemas.

    Raises:
        ConfigError: the registry's address is invalid.
    """
    if settings.registry is None:
        return None
    try:
        return SchemaReader(SchemaRegistryClient.at(settings.registry, None), SystemClock())
    except ValueError as error:
        raise ConfigError(f"the schema registry {settings.registry!r} {error}") from None
