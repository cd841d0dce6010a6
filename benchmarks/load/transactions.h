/* `load transactions`: version 2 of transactions (KIP-890), `records` of `value` bytes in each, one after
 * another by each of `connections` producers, every one to a partition of its own: Produce 12, which
 * begins the transaction, and EndTxn 5. */
#ifndef BARNABAS_LOAD_TRANSACTIONS_H
#define BARNABAS_LOAD_TRANSACTIONS_H

void transactions(void);

#endif
