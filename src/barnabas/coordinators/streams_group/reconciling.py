"""How a member comes from what it does to what it is to do: it gives back before it gets.

Source: KIP-1071; Kafka's CurrentAssignmentBuilder.

A member that has missed a response shows that by its old epoch, or by other tasks than it is to have.
It is sent the assignment again, which Kafka 4.3 does not do.
"""

from collections.abc import Mapping
from dataclasses import replace

from barnabas.coordinators.streams_group.member import NOTHING, MemberState, StreamsMember
from barnabas.coordinators.streams_group.tasks import Role, Task, Tasks
from barnabas.errors import BrokerError, ErrorCode

_S = MemberState


def check_state(member: StreamsMember, owned: Tasks | None) -> None:
    """Whether it is known what a member does.

    Raises:
        BrokerError: FENCED_MEMBER_EPOCH: it is not, and the member must begin again.
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
    free = {task: epoch for task in missing if _is_free(task, member.process_id, holders)}
    return replace(
        member,
        epoch=epoch,
        previous_epoch=member.epoch,
        state=_S.STABLE if len(free) == len(missing) else _S.UNRELEASED,
        assigned=kept | free,
        revoking=NOTHING,
    )


def _is_free(task: Task, process_id: str, holders: Mapping[Task, set[str]]) -> bool:
    """Nobody may process what another does, and no process can have a task in two roles."""
    if task.role is Role.ACTIVE and holders.get(task):
        return False
    return not any(process_id in holders.get(task.as_(role), ()) for role in Role)
