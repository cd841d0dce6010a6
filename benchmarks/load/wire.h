/* The few Kafka messages that the load generator speaks: Produce 7 and Fetch 11, one topic and one
 * partition each, encoded once and patched in place before each send. */
#ifndef BARNABAS_LOAD_WIRE_H
#define BARNABAS_LOAD_WIRE_H

#include <stddef.h>
#include <stdint.h>

enum { CLIENT_ID_SIZE = 4, BATCH_HEADER = 61 };

struct batch {
    uint8_t *bytes;
    size_t size;
    int records;
};

/* One uncompressed magic 2 batch of `records` values of `value_size` random bytes, CRC included. */
struct batch make_batch(int records, int value_size);

/* Makes a batch the first one of a producer's transaction under an epoch, CRC included. */
void stamp_transactional(uint8_t *batch, size_t size, int64_t producer_id, int16_t epoch);

struct request {
    uint8_t *bytes;
    size_t size;      /* with the four bytes that say the rest's size */
    size_t partition; /* where the partition index stands */
    size_t offset;    /* Fetch: where the fetch offset stands */
};

struct request make_produce(const char *topic, int acks, const struct batch *batch);
struct request make_fetch(const char *topic, int max_bytes, int max_wait_ms);

void put16(uint8_t *at, int16_t value);
void put32(uint8_t *at, int32_t value);
void put64(uint8_t *at, int64_t value);
int16_t get16(const uint8_t *at);
int32_t get32(const uint8_t *at);
int64_t get64(const uint8_t *at);

/* Where things stand in the answers, counted from behind the size prefix. */
size_t produce_error_at(const char *topic);
size_t fetch_error_at(const char *topic);

#endif
