"""The metadata of a member: of its last request, under the protocol of the present generation."""

from barnabas.coordinators.classic_group.group_records import decode_group
from barnabas.errors import ErrorCode
from tests.unit.coordinators.classic_group.acting import Acting

BOTH = [("range", b"all"), ("sticky", b"some")]


def metadata_of(one: Acting) -> tuple[dict[str, bytes], dict[str, tuple[bytes, int]]]:
    """By client: what the leader received under the protocol, what the record has of that and of sessions."""
    names = {member_id: name for name, member_id in one.ids.items()}
    leader = names[one.group.leader or ""]
    in_response = {names[each.member_id]: each.metadata for each in one.joined(leader).members}
    one.hand_out()
    value = one.log[-1].value
    assert value is not None
    kept = decode_group(value).members
    return in_response, {
        names[each.member_id]: (each.subscription, each.session_timeout) for each in kept
    }


def test_equal_metadata_is_stored_once() -> None:
    one = Acting()
    one.settle("ann", "bob")
    bob = one.group.members[one.ids["bob"]]
    before = bob.description
    one.join("ann")
    one.join("bob")
    in_response, kept = metadata_of(one)
    assert in_response == {"ann": b"all", "bob": b"all"}
    assert kept == {"ann": (b"all", 10_000), "bob": (b"all", 10_000)}
    assert before is not None
    assert bob.description is before


def test_other_metadata_is_stored_anew() -> None:
    one = Acting()
    one.settle("ann", "bob")
    one.join("bob", [("range", b"news")], session_ms=12_000)
    one.join("ann")
    assert metadata_of(one) == (
        {"ann": b"all", "bob": b"news"},
        {"ann": (b"all", 10_000), "bob": (b"news", 12_000)},
    )


def test_under_another_protocol_all_metadata_is_stored_anew() -> None:
    one = Acting()
    one.join("ann", BOTH)
    one.join("bob", BOTH)
    one.wait(10_000)
    one.hand_out()
    one.join("cat", [("sticky", b"only")])
    one.join("ann", BOTH)
    one.join("bob", BOTH)
    in_response, kept = metadata_of(one)
    assert in_response == {"ann": b"some", "bob": b"some", "cat": b"only"}
    assert {name: metadata for name, (metadata, _) in kept.items()} == in_response


def test_the_record_has_what_each_is_to_do_now() -> None:
    one = Acting()
    one.settle("ann")
    one.join("bob")
    one.join("ann")
    one.hand_out()
    value = one.log[-1].value
    assert value is not None
    assert {each.assignment for each in decode_group(value).members} == {b"ann", b"bob"}


def test_what_could_not_be_kept_is_not_remembered() -> None:
    one = Acting()
    one.settle("ann", "bob")
    one.written = ErrorCode.COORDINATOR_NOT_AVAILABLE
    one.join("ann")
    one.join("bob")
    one.hand_out()
    for member in one.group.members.values():
        assert member.description is not None
        assert member.description.in_record.assignment == member.assignment == b""
