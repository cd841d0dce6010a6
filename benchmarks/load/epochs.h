/* `load idle-consumer`, `load idle-share`: `groups` groups together of `members` that the broker assigns to
 * (KIP-848) or that share (KIP-932), each with a heartbeat every `wait` ms; measured when no response brings any
 * news. ConsumerGroupHeartbeat 1, ShareGroupHeartbeat 1. */
#ifndef BARNABAS_LOAD_EPOCHS_H
#define BARNABAS_LOAD_EPOCHS_H

void idle_consumer(void);
void idle_share(void);

#endif
