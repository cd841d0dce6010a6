"""Delete groups one by one, so that each has its own result."""

from collections.abc import Iterable

from barnabas import Admin
from barnabas.cli.groups.group_advice import blocked_by_members, suggest_groups
from barnabas.errors import BrokerError, ErrorCode, KafkaError

_TOO_MUCH = (
    "if it has very many positions, run `barnabas groups delete-offsets` first, topic by topic"
)
"""The broker deletes all positions of a group in one batch, which may exceed the log's limit."""


def delete_each(admin: Admin, names: Iterable[str]) -> dict[str, KafkaError | None]:
    """Return for each group None, or why it was not deleted; stop after a broker was lost."""
    outcome: dict[str, KafkaError | None] = {}
    for name in dict.fromkeys(names):
        try:
            with suggest_groups(admin, (name,)):
                admin.delete_groups((name,))
        except BrokerError as error:
            outcome[name] = _explained(admin, name, error)
        except KafkaError as error:
            outcome[name] = error
            break
        else:
            outcome[name] = None
    return outcome


def _explained(admin: Admin, name: str, error: BrokerError) -> BrokerError:
    if error.code is ErrorCode.UNKNOWN_SERVER_ERROR:
        error.add_note(_TOO_MUCH)
    if error.code is not ErrorCode.NON_EMPTY_GROUP:
        return error
    try:
        found = admin.describe_groups((name,))[name]
    except BrokerError as unknown:
        error.add_note(unknown.why)
        return error
    # Its members may have left meanwhile.
    return BrokerError(error.code, blocked_by_members(found)) if found.members else error
