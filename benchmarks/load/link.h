/* A connection whose answers are cut out of what arrives; many of them are waited for together. */
#ifndef BARNABAS_LOAD_LINK_H
#define BARNABAS_LOAD_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"

struct link {
    int fd;
    uint8_t *in;
    size_t room, filled, at;
};

void open_link(struct link *link, int port);
void send_message(struct link *link, const struct message *message);
/* Receives what is there; waits if nothing is. */
void receive_some(struct link *link);
/* The next whole answer that was received, which stays until more is; NULL if there is none. */
const uint8_t *next_answer(struct link *link, size_t *size);
/* Waits for the next one. */
const uint8_t *await_answer(struct link *link, size_t *size);

/* Waits for many and marks those that are readable; without end if `milliseconds` is -1. */
void wait_for_any(struct link **links, long count, bool *readable, int milliseconds);

#endif
