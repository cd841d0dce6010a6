#include "wire.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void put16(uint8_t *at, int16_t value) {
    at[0] = (uint8_t)((uint16_t)value >> 8);
    at[1] = (uint8_t)value;
}

void put32(uint8_t *at, int32_t value) {
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)((uint32_t)value >> (24 - 8 * i));
}

void put64(uint8_t *at, int64_t value) {
    for (int i = 0; i < 8; i++) at[i] = (uint8_t)((uint64_t)value >> (56 - 8 * i));
}

int16_t get16(const uint8_t *at) { return (int16_t)(at[0] << 8 | at[1]); }

int32_t get32(const uint8_t *at) {
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) value = value << 8 | at[i];
    return (int32_t)value;
}

int64_t get64(const uint8_t *at) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value = value << 8 | at[i];
    return (int64_t)value;
}

static uint32_t crc32c(const uint8_t *bytes, size_t size) {
    static uint32_t table[256];
    if (table[1] == 0)
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t c = i;
            for (int bit = 0; bit < 8; bit++) c = c & 1 ? c >> 1 ^ 0x82F63B78u : c >> 1;
            table[i] = c;
        }
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; i++) crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xFF];
    return crc ^ 0xFFFFFFFFu;
}

static size_t put_varint(uint8_t *at, int32_t value) {
    uint32_t zigzag = (uint32_t)value << 1 ^ (uint32_t)(value >> 31);
    size_t n = 0;
    while (zigzag > 0x7F) {
        at[n++] = (uint8_t)(zigzag | 0x80);
        zigzag >>= 7;
    }
    at[n++] = (uint8_t)zigzag;
    return n;
}

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

struct batch make_batch(int records, int value_size) {
    struct batch batch = {0};
    batch.records = records;
    batch.bytes = malloc(BATCH_HEADER + (size_t)records * ((size_t)value_size + 24));
    uint8_t *b = batch.bytes, scratch[16];
    size_t at = BATCH_HEADER;
    for (int i = 0; i < records; i++) {
        size_t delta = put_varint(scratch, i), length = put_varint(scratch + 8, value_size);
        /* attributes, timestamp delta 0, offset delta, key -1, value length, value, no headers */
        at += put_varint(b + at, (int32_t)(1 + 1 + delta + 1 + length + (size_t)value_size + 1));
        b[at++] = 0;
        b[at++] = 0;
        at += put_varint(b + at, i);
        b[at++] = 1;
        at += put_varint(b + at, value_size);
        for (int j = 0; j < value_size; j++) b[at++] = (uint8_t)rand();
        b[at++] = 0;
    }
    batch.size = at;
    int64_t now = now_ms();
    put64(b, 0);
    put32(b + 8, (int32_t)(at - 12));
    put32(b + 12, -1);
    b[16] = 2;
    put16(b + 21, 0);
    put32(b + 23, records - 1);
    put64(b + 27, now);
    put64(b + 35, now);
    put64(b + 43, -1);
    put16(b + 51, -1);
    put32(b + 53, -1);
    put32(b + 57, records);
    put32(b + 17, (int32_t)crc32c(b + 21, at - 21));
    return batch;
}

void stamp_transactional(uint8_t *batch, size_t size, int64_t producer_id, int16_t epoch) {
    put16(batch + 21, 0x10);
    put64(batch + 43, producer_id);
    put16(batch + 51, epoch);
    put32(batch + 53, 0);
    put32(batch + 17, (int32_t)crc32c(batch + 21, size - 21));
}

static size_t put_header(uint8_t *at, int16_t key, int16_t version) {
    put16(at + 4, key);
    put16(at + 6, version);
    put32(at + 8, 0);
    put16(at + 12, CLIENT_ID_SIZE);
    memcpy(at + 14, "load", CLIENT_ID_SIZE);
    return 14 + CLIENT_ID_SIZE;
}

static size_t put_string(uint8_t *at, const char *text) {
    size_t size = strlen(text);
    put16(at, (int16_t)size);
    memcpy(at + 2, text, size);
    return 2 + size;
}

struct request make_produce(const char *topic, int acks, const struct batch *batch) {
    struct request request = {0};
    uint8_t *b = request.bytes = malloc(256 + strlen(topic) + batch->size);
    size_t at = put_header(b, 0, 7);
    put16(b + at, -1); /* no transactional id */
    put16(b + at + 2, (int16_t)acks);
    put32(b + at + 4, 30000);
    put32(b + at + 8, 1);
    at += 12;
    at += put_string(b + at, topic);
    put32(b + at, 1);
    request.partition = at + 4;
    put32(b + at + 4, 0);
    put32(b + at + 8, (int32_t)batch->size);
    at += 12;
    memcpy(b + at, batch->bytes, batch->size);
    request.size = at + batch->size;
    put32(b, (int32_t)(request.size - 4));
    return request;
}

struct request make_fetch(const char *topic, int max_bytes, int max_wait_ms) {
    struct request request = {0};
    uint8_t *b = request.bytes = malloc(256 + strlen(topic));
    size_t at = put_header(b, 1, 11);
    put32(b + at, -1); /* a consumer, not a replica */
    put32(b + at + 4, max_wait_ms);
    put32(b + at + 8, 1);
    put32(b + at + 12, max_bytes + 4096); /* the partition's limit is to be the one that counts */
    b[at + 16] = 0;                       /* read uncommitted */
    put32(b + at + 17, 0);                /* no session */
    put32(b + at + 21, -1);
    put32(b + at + 25, 1);
    at += 29;
    at += put_string(b + at, topic);
    put32(b + at, 1);
    request.partition = at + 4;
    put32(b + at + 4, 0);
    put32(b + at + 8, -1); /* leader epoch not known */
    request.offset = at + 12;
    put64(b + at + 12, 0);
    put64(b + at + 20, -1);
    put32(b + at + 28, max_bytes);
    put32(b + at + 32, 0); /* nothing forgotten */
    put16(b + at + 36, 0); /* no rack */
    request.size = at + 38;
    put32(b, (int32_t)(request.size - 4));
    return request;
}

/* correlation id, topics, name, partitions, index */
size_t produce_error_at(const char *topic) { return 4 + 4 + 2 + strlen(topic) + 4 + 4; }

/* correlation id, throttle, error, session, topics, name, partitions, index */
size_t fetch_error_at(const char *topic) { return 4 + 4 + 2 + 4 + 4 + 2 + strlen(topic) + 4 + 4; }
