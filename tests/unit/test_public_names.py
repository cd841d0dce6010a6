"""Former public names are aliases for one release."""

import barnabas
from barnabas import driver07, driver_proposal


def test_former_names_are_aliases() -> None:
    assert barnabas.Wanted is barnabas.ColumnSelection
    assert driver07.Asked is driver07.FetchStart07
    assert driver_proposal.From is driver_proposal.FetchStart
