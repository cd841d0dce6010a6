"""A schema registry as a query names it: errors say which options to look at."""

from barnabas.runtime.registries.schema_registry import (
    MOST_KEPT,
    Reference,
    RegistryUnanswered,
    SchemaMissing,
    SchemaRegistryClient,
    StoredSchema,
)
from barnabas.spark.errors import Unreachable

__all__ = ["MOST_KEPT", "Reference", "SchemaMissing", "SchemaRegistry", "StoredSchema"]


class SchemaRegistry(SchemaRegistryClient):
    """One that a query's options name."""

    __slots__ = ()

    def ask(self, path: str) -> StoredSchema:
        """What is at a path; SchemaMissing or Unreachable, if nothing is."""
        try:
            return super().ask(path)
        except RegistryUnanswered as error:
            raise Unreachable(
                f"{error}. Check 'schemaRegistryUrl' (and 'schemaRegistryLogin', where it answered "
                "401 or 403)"
            ) from None
