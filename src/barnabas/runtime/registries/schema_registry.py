"""Client of a schema registry over HTTP. Schemas never change, so each is cached.

Source: the REST interface of Confluent's Schema Registry.
"""

import base64
import http.client
import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Self
from urllib.parse import quote, unquote, urlsplit

from barnabas.errors import ConnectionFailed

TIMEOUT_S: Final = 10.0
"""How long one address may take to answer."""

MOST_KEPT: Final = 1000
"""Schemas that a process keeps."""

_LARGEST: Final = 16 << 20
"""Bytes of an answer."""


class RegistryUnanswered(ConnectionFailed):
    """No address answers as a schema registry does."""


class SchemaMissing(LookupError):
    """The registry has no such schema, or one of another kind."""


@dataclass(frozen=True, slots=True)
class Reference:
    """An import of a schema, under the `name` that the schema uses."""

    name: str
    subject: str
    version: int


@dataclass(frozen=True, slots=True)
class StoredSchema:
    """A schema as the registry has it; `kind` is AVRO, PROTOBUF or JSON, None where it says none."""

    kind: str | None
    text: str
    references: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemaRegistryClient:
    """`addresses`: http(s)://host:port, the first that answers counts. `login`: "user:password"."""

    addresses: tuple[str, ...]
    login: str | None = field(default=None, repr=False)

    @classmethod
    def at(cls, text: str, login: str | None) -> Self:
        """One at addresses with commas between them; a login may stand in the first.

        Raises:
            ValueError: one is no address.
        """
        addresses = []
        for each in filter(None, (part.strip() for part in text.split(","))):
            split = urlsplit(each)
            if split.scheme not in ("http", "https") or not split.hostname:
                raise ValueError("must be http://host:port or https://host:port")
            if split.username is not None:
                login = login or f"{unquote(split.username)}:{unquote(split.password or '')}"
            host = split.netloc.rpartition("@")[2]
            addresses.append(f"{split.scheme}://{host}{split.path.rstrip('/')}")
        if not addresses:
            raise ValueError("is empty; give http://host:port")
        return cls(tuple(addresses), login)

    def by_id(self, schema_id: int, *, serialized: bool = False) -> StoredSchema:
        """The schema with this id.

        Args:
            schema_id: as it stands before values.
            serialized: of Protocol Buffers: what `protoc` makes of the text, in base64.

        Raises:
            SchemaMissing: there is none.
            RegistryUnanswered: no address answers as a registry does.
        """
        return _kept(self, _path(f"/schemas/ids/{schema_id}", serialized))

    def latest(self, subject: str, *, serialized: bool = False) -> StoredSchema:
        """The newest schema of a subject; errors as `by_id`."""
        where = f"/subjects/{quote(subject, safe='')}/versions/latest"
        return self.ask(_path(where, serialized))

    def version(self, reference: Reference, *, serialized: bool = False) -> StoredSchema:
        """One schema of a subject; errors as `by_id`."""
        subject = quote(reference.subject, safe="")
        where = f"/subjects/{subject}/versions/{reference.version}"
        return _kept(self, _path(where, serialized))

    def ask(self, path: str) -> StoredSchema:
        """The response for a path; errors as `by_id`."""
        failed = []
        for address in self.addresses:
            try:
                status, body = self._get(address, path)
            except (OSError, http.client.HTTPException) as error:
                failed.append(f"{address}: {type(error).__name__} {error}")
                continue
            if status == http.HTTPStatus.OK:
                return _stored(address, body)
            if status == http.HTTPStatus.NOT_FOUND:
                raise SchemaMissing(f"{address}{path} is not there")
            failed.append(f"{address} answered {status} {body[:200].decode(errors='replace')}")
        raise RegistryUnanswered(
            f"no schema could be had from the schema registry: {'; '.join(failed)}"
        )

    def _get(self, address: str, path: str) -> tuple[int, bytes]:
        split = urlsplit(address)
        secure = split.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        headers = {"Accept": "application/vnd.schemaregistry.v1+json, application/json"}
        if self.login is not None:
            headers["Authorization"] = f"Basic {base64.b64encode(self.login.encode()).decode()}"
        assert split.hostname is not None, "was checked"
        connection = kind(split.hostname, split.port, timeout=TIMEOUT_S)
        try:
            connection.request("GET", split.path + path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read(_LARGEST)
        finally:
            connection.close()


@lru_cache(MOST_KEPT)
def _kept(registry: SchemaRegistryClient, path: str) -> StoredSchema:
    return registry.ask(path)


def _path(where: str, serialized: bool) -> str:  # noqa: FBT001 (private)
    return f"{where}?format=serialized" if serialized else where


def _stored(address: str, body: bytes) -> StoredSchema:
    try:
        parsed: Any = json.loads(body)
        references = tuple(
            Reference(str(each["name"]), str(each["subject"]), int(each["version"]))
            for each in parsed.get("references") or ()
        )
        kind = parsed.get("schemaType")
        return StoredSchema(kind and str(kind), str(parsed["schema"]), references)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise RegistryUnanswered(
            f"{address} did not answer as a schema registry: {body[:200].decode(errors='replace')}"
        ) from None
