"""A schema registry for tests: the paths of Confluent's that clients use, on loopback, in memory.

`asked` has the path of each request. A login is checked where one is given.
"""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit


class RegistryDouble:
    """Keeps schemas; `url` is where it listens."""

    def __init__(self, login: str | None = None) -> None:
        self.asked: list[str] = []
        self.schemas: list[dict[str, Any]] = []
        self.subjects: dict[str, list[int]] = {}
        self.expected = login and f"Basic {base64.b64encode(login.encode()).decode()}"
        self.url = ""

    def register(self, subject: str, schema: dict[str, Any]) -> int:
        """The id of a schema, from 1, as a new version of a subject unless it is one already."""
        if schema not in self.schemas:
            self.schemas.append(schema)
        number = self.schemas.index(schema) + 1
        versions = self.subjects.setdefault(subject, [])
        if number not in versions:
            versions.append(number)
        return number

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        """Status and body for a request."""
        match [unquote(part) for part in urlsplit(path).path.strip("/").split("/")]:
            case ["schemas", "ids", number] if 0 < int(number) <= len(self.schemas):
                return HTTPStatus.OK, self.schemas[int(number) - 1]
            case ["subjects", subject, "versions"] if method == "POST":
                return HTTPStatus.OK, {"id": self.register(subject, _schema(body))}
            case ["subjects", subject, "versions", version] if subject in self.subjects:
                versions = self.subjects[subject]
                place = len(versions) if version == "latest" else int(version)
                return HTTPStatus.OK, self._version(subject, place)
            case ["subjects", subject] if method == "POST" and subject in self.subjects:
                if (schema := _schema(body)) in self.schemas:
                    place = self.subjects[subject].index(self.schemas.index(schema) + 1) + 1
                    return HTTPStatus.OK, self._version(subject, place)
        return HTTPStatus.NOT_FOUND, {"error_code": 40403, "message": "Schema not found"}

    def _version(self, subject: str, place: int) -> dict[str, Any]:
        number = self.subjects[subject][place - 1]
        return self.schemas[number - 1] | {"subject": subject, "version": place, "id": number}


def _schema(body: Any) -> dict[str, Any]:
    kept = {name: body[name] for name in ("schema", "schemaType", "references") if body.get(name)}
    return kept if kept.get("schemaType") != "AVRO" else {"schema": kept["schema"]}


@contextmanager
def registry_double(login: str | None = None) -> Iterator[RegistryDouble]:
    """One that listens until the end of the `with`."""
    double = RegistryDouble(login)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply("GET", None)

        def do_POST(self) -> None:
            self._reply("POST", json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _reply(self, method: str, body: Any) -> None:
            double.asked.append(self.path)
            status, answer = double.answer(method, self.path, body)
            if double.expected and self.headers["Authorization"] != double.expected:
                status, answer = HTTPStatus.UNAUTHORIZED, {"error_code": 401}
            raw = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (their name)
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        double.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield double
        finally:
            server.shutdown()
            thread.join()
