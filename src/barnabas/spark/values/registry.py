"""The schema registry of a query: errors name the options to check."""

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
    """The registry that the options of a query name."""

    __slots__ = ()

    def ask(self, path: str) -> StoredSchema:
        """Return the schema at a path. Raises SchemaMissing or Unreachable."""
        try:
            return super().ask(path)
        except RegistryUnanswered as error:
            raise Unreachable(
                f"{error}. Check 'schemaRegistryUrl' (and 'schemaRegistryLogin', where it answered "
                "401 or 403)"
            ) from None
