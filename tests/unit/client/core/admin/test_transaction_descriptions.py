from barnabas.client.core.admin.transaction_descriptions import TRANSACTION_STATES
from barnabas.coordinators.transaction.transaction_states import TransactionState


def test_every_state_of_a_transaction_can_be_asked_for() -> None:
    assert set(TRANSACTION_STATES) == {one.value for one in TransactionState}
