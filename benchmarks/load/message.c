#include "message.h"

#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "wire.h"

static uint8_t *more(struct message *message, size_t size) {
    if (message->size + size > message->room) {
        message->room = 2 * (message->size + size);
        message->bytes = realloc(message->bytes, message->room);
        if (!message->bytes) stop("no memory for a request");
    }
    uint8_t *at = message->bytes + message->size;
    message->size += size;
    return at;
}

void add8(struct message *message, int8_t value) { *more(message, 1) = (uint8_t)value; }
void add16(struct message *message, int16_t value) { put16(more(message, 2), value); }
void add32(struct message *message, int32_t value) { put32(more(message, 4), value); }
void add64(struct message *message, int64_t value) { put64(more(message, 8), value); }

static void add_varint(struct message *message, size_t value) {
    for (; value > 0x7F; value >>= 7) add8(message, (int8_t)(value | 0x80));
    add8(message, (int8_t)value);
}

void begin(struct message *message, int16_t key, int16_t version, bool flexible) {
    message->size = 0;
    message->flexible = false;
    add32(message, 0);
    add16(message, key);
    add16(message, version);
    add32(message, 0);
    add_text(message, "load");
    message->flexible = flexible;
    add_tags(message);
}

void add_count(struct message *message, size_t count) {
    if (message->flexible) add_varint(message, count + 1);
    else add32(message, (int32_t)count);
}

void add_text(struct message *message, const char *text) {
    size_t size = strlen(text);
    if (message->flexible) add_varint(message, size + 1);
    else add16(message, (int16_t)size);
    memcpy(more(message, size), text, size);
}

void add_no_text(struct message *message) {
    if (message->flexible) add8(message, 0);
    else add16(message, -1);
}

void add_raw(struct message *message, const uint8_t *bytes, size_t size) {
    if (size) memcpy(more(message, size), bytes, size);
}

void add_bytes(struct message *message, const uint8_t *bytes, size_t size) {
    add_count(message, size);
    add_raw(message, bytes, size);
}

void add_tags(struct message *message) {
    if (message->flexible) add8(message, 0);
}

void finish(struct message *message) { put32(message->bytes, (int32_t)(message->size - 4)); }

static const uint8_t *pass(struct answer *answer, size_t size) {
    if ((size_t)(answer->end - answer->at) < size) stop("an answer is too short");
    const uint8_t *at = answer->at;
    answer->at += size;
    return at;
}

struct answer answer_of(const uint8_t *body, size_t size, bool flexible) {
    struct answer answer = {body, body + size, flexible};
    pass(&answer, flexible ? 5 : 4);
    return answer;
}

int8_t take8(struct answer *answer) { return (int8_t)*pass(answer, 1); }
int16_t take16(struct answer *answer) { return get16(pass(answer, 2)); }
int32_t take32(struct answer *answer) { return get32(pass(answer, 4)); }
int64_t take64(struct answer *answer) { return get64(pass(answer, 8)); }

static size_t take_length(struct answer *answer, size_t width) {
    if (!answer->flexible) {
        int32_t size = width == 2 ? take16(answer) : take32(answer);
        return size < 0 ? 0 : (size_t)size;
    }
    size_t value = 0;
    uint8_t byte = 0x80;
    for (int shift = 0; byte & 0x80 && shift < 35; shift += 7) {
        byte = *pass(answer, 1);
        value |= (size_t)(byte & 0x7F) << shift;
    }
    return value ? value - 1 : 0;
}

void take_text(struct answer *answer, char *text, size_t room) {
    size_t size = take_length(answer, 2);
    if (size >= room) stop("a text of %zu bytes", size);
    memcpy(text, pass(answer, size), size);
    text[size] = 0;
}

void pass_bytes(struct answer *answer) { pass(answer, take_length(answer, 4)); }
