import base64

from barnabas.runtime.entropy import SystemEntropy


def test_an_id_looks_like_no_option() -> None:
    entropy = SystemEntropy()
    drawn = {entropy.uuid() for _ in range(2000)}
    assert len(drawn) == 2000
    assert not any(base64.urlsafe_b64encode(each).startswith(b"-") for each in drawn)
    assert all(each[6] >> 4 == 4 for each in drawn)


def test_numbers_stay_in_their_bounds() -> None:
    entropy = SystemEntropy()
    assert {entropy.below(3) for _ in range(200)} == {0, 1, 2}
    assert all(0 <= entropy.fraction() < 1 for _ in range(50))
