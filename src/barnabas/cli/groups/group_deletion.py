"""Groups deleted one after the other: what became of each is known, whatever became of the others."""

from collections.abc import Iterable

from barnabas import Admin
from barnabas.cli.groups.group_advice import in_the_way, told_of
from barnabas.errors import BrokerError, ErrorCode, KafkaError

_TOO_MUCH = (
    "where it has very many positions, `barnabas groups delete-offsets` first, topic by topic"
)
"""All that a group has is forgotten by one batch, which may be too large for the log."""


def delete_each(admin: Admin, names: Iterable[str]) -> dict[str, KafkaError | None]:
    """None, or why it is still there, for each group; none after a broker was lost."""
    outcome: dict[str, KafkaError | None] = {}
    for name in dict.fromkeys(names):
        try:
            with told_of(admin, (name,)):
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
    # They may have gone since.
    return BrokerError(error.code, in_the_way(found)) if found.members else error
