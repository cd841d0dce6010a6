/* Requests built field by field, and answers read the same way. A flexible one has compact lengths and
 * ends its parts with tagged fields, of which there are none. */
#ifndef BARNABAS_LOAD_MESSAGE_H
#define BARNABAS_LOAD_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message {
    uint8_t *bytes;
    size_t size, room;
    bool flexible;
};

/* Starts anew in the same memory. */
void begin(struct message *message, int16_t key, int16_t version, bool flexible);
void add8(struct message *message, int8_t value);
void add16(struct message *message, int16_t value);
void add32(struct message *message, int32_t value);
void add64(struct message *message, int64_t value);
void add_count(struct message *message, size_t count);
void add_text(struct message *message, const char *text);
void add_no_text(struct message *message);
void add_raw(struct message *message, const uint8_t *bytes, size_t size);
void add_bytes(struct message *message, const uint8_t *bytes, size_t size);
void add_tags(struct message *message);
/* Writes the size in front. */
void finish(struct message *message);

struct answer {
    const uint8_t *at, *end;
    bool flexible;
};

/* Of the body behind the size prefix; passes over the header. */
struct answer answer_of(const uint8_t *body, size_t size, bool flexible);
int16_t take16(struct answer *answer);
int32_t take32(struct answer *answer);
int64_t take64(struct answer *answer);
/* A text of less than `room` bytes, with a zero behind it. */
void take_text(struct answer *answer, char *text, size_t room);
void pass_bytes(struct answer *answer);
int8_t take8(struct answer *answer);

#endif
