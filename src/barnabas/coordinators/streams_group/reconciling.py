"""Move a member from its current to its target tasks: it revokes before it receives.

Source: KIP-1071; Kafka's CurrentAssignmentBuilder. An old epoch, or tasks other than assigned, show
that a member has missed a response. It then gets its assignment again, which Kafka 4.3 does not
send.
"""

from collections.abc import Container, Mapping
from dataclasses import replace

from barnabas.coordinators.streams_group.member import NOTHING, StreamsMember, StreamsMemberState
from barnabas.coordinators.streams_group.tasks import Role, Task, Tasks
from barnabas.errors import BrokerError, ErrorCode

_S = StreamsMemberState


def check_state(member: StreamsMember, owned: Tasks | None) -> None:
    """Check that the member's state is known.

    Raises:
        BrokerError: FENCED_MEMBER_EPOCH: it is not; the member must rejoin.
    """
    if member.state is _S.UNKNOWN and (owned is None or owned):
        raise BrokerError(
            ErrorCode.FENCED_MEMBER_EPOCH,
            "The streams group member is in a unknown state. The member must abandon all its tasks "
            "and rejoin.",
        )


def reconciled(
    member: StreamsMember,
    target: Tasks,
    epoch: int,
    holders: Mapping[Task, set[str]],
    owned: Tasks | None,
) -> StreamsMember:
    """The member one step closer to its target in an epoch; itself if it cannot advance yet.

    `owned`: the tasks that it reports; None: not reported.
    """
    own_epoch = member.epoch
    if member.state is _S.UNREVOKED:
        if owned is None or owned & member.revoking.keys():
            return member
        own_epoch += 1
    kept = {task: since for task, since in member.assigned.items() if task in target}
    surplus = {task: since for task, since in member.assigned.items() if task not in target}
    if surplus and (owned is None or owned & surplus.keys()):
        return replace(
            member,
            epoch=own_epoch,
            previous_epoch=member.epoch,
            state=_S.UNREVOKED,
            assigned=kept,
            revoking=surplus,
        )
    missing = target - kept.keys()
    own = {task.as_(Role.ACTIVE) for task, there in holders.items() if member.process_id in there}
    free = {task: epoch for task in missing if _is_free(task, own, holders)}
    return replace(
        member,
        epoch=epoch,
        previous_epoch=member.epoch,
        state=_S.STABLE if len(free) == len(missing) else _S.UNRELEASED,
        assigned=kept | free,
        revoking=NOTHING,
    )


def _is_free(task: Task, own: Container[Task], holders: Mapping[Task, set[str]]) -> bool:
    """Whether no other member processes the task, and no process has it in two roles.

    `own`: what the member's process has in any role, as active tasks.
    """
    if task.role is Role.ACTIVE and holders.get(task):
        return False
    return task.as_(Role.ACTIVE) not in own
