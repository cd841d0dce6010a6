/* Record batches of magic 2: where their fields stand, and what a broker checks before it stores one. */
#ifndef BARNABAS_FLOOR_BATCH_H
#define BARNABAS_FLOOR_BATCH_H

#include <stddef.h>
#include <stdint.h>

enum {
    BASE_OFFSET = 0, BATCH_LENGTH = 8, LEADER_EPOCH = 12, MAGIC = 16, CRC = 17, ATTRIBUTES = 21,
    LAST_DELTA = 23, BASE_TIMESTAMP = 27, MAX_TIMESTAMP = 35, COUNT = 57, RECORDS = 61,
};
enum { NO_ERROR = 0, CORRUPT_MESSAGE = 2, UNSUPPORTED_COMPRESSION = 76, INVALID_RECORD = 87 };

/* Bytes of the batch that begins here, with its offset and length. */
size_t batch_size(const uint8_t *batch);
int64_t last_offset(const uint8_t *batch);
/* Checks size, magic, CRC, counts and every record of an uncompressed batch: an error code of Kafka's. */
int check_batch(const uint8_t *batch, size_t size);

#endif
