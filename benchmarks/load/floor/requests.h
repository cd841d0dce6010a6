/* The requests that the floor answers: ApiVersions 0, Metadata 1, Produce 7, Fetch 11 of one partition. */
#ifndef BARNABAS_FLOOR_REQUESTS_H
#define BARNABAS_FLOOR_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log.h"

/* Bytes that leave in order: replies, and behind the last of them a stretch of a segment. */
struct reply {
    uint8_t *bytes;
    size_t size, room;
    struct region region;
};

extern int own_port;

/* Answers one request without its size prefix; false where it is none that is known. */
bool answer(struct reply *reply, uint8_t *request, size_t size);

#endif
