from barnabas.broker.purgatory.admission import Admission

SIZE = 1000


def nobody() -> None:
    """For who never waits."""


def test_one_is_always_let_in_and_others_when_it_has_ended() -> None:
    admission, called = Admission(SIZE), list[str]()
    assert admission.admit(10 * SIZE, nobody)
    kept = admission.keep()
    admission.handled()

    def again() -> None:
        called.append("again")

    assert not admission.admit(1, again)
    assert not admission.admit(1, again)
    admission.give_back(kept)
    assert called == ["again"]
    assert admission.admit(1, again)


def test_what_is_done_when_its_handler_returns_keeps_nobody_out() -> None:
    admission = Admission(SIZE)
    for _ in range(5):
        assert admission.admit(SIZE, nobody)
        admission.handled()


def test_the_next_request_ends_the_one_before_it() -> None:
    admission = Admission(SIZE)
    assert admission.admit(SIZE, nobody)
    assert admission.admit(SIZE, nobody)


def test_small_ones_are_let_in_together() -> None:
    admission = Admission(480 * SIZE)
    kept = []
    while admission.admit(SIZE, nobody):
        kept.append(admission.keep())
    assert len(kept) == 10
    admission.give_back(kept.pop())
    assert admission.admit(SIZE, nobody)


def test_who_has_gone_is_not_called() -> None:
    admission, called = Admission(SIZE), list[int]()
    assert admission.admit(SIZE, nobody)
    kept = admission.keep()

    def call() -> None:
        called.append(1)

    assert not admission.admit(SIZE, call)
    admission.forget(call)
    admission.give_back(kept)
    assert not called
