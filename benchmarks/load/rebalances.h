/* `load rebalances`: a classic group of `members`, which one more joins and leaves `requests` times; the
 * time from that until all have their part. `load idle`: `groups` such groups together of `members`, each
 * of whom sends a heartbeat every `wait` ms; measured from the third time on. JoinGroup 3, SyncGroup 2, Heartbeat 4,
 * LeaveGroup 2. */
#ifndef BARNABAS_LOAD_REBALANCES_H
#define BARNABAS_LOAD_REBALANCES_H

void rebalances(void);
void idle(void);

#endif
