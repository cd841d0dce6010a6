#include "batch.h"

#include <stdbool.h>

#include "bytes.h"
#include "crc.h"

size_t batch_size(const uint8_t *batch) { return 12 + (size_t)read32(batch + BATCH_LENGTH); }

int64_t last_offset(const uint8_t *batch) {
    return (int64_t)read64(batch) + (int32_t)read32(batch + LAST_DELTA);
}

/* Passes over a field of bytes, which may be null where `nullable`. */
static bool pass_bytes(const uint8_t **at, const uint8_t *end, bool nullable) {
    int64_t size;
    if (!read_varint(at, end, &size)) return false;
    if (size < 0) return nullable && size == -1;
    if (size > end - *at) return false;
    *at += size;
    return true;
}

static bool pass_headers(const uint8_t **at, const uint8_t *end) {
    int64_t count;
    if (!read_varint(at, end, &count) || count < 0) return false;
    for (; count; count--)
        if (!pass_bytes(at, end, false) || !pass_bytes(at, end, true)) return false;
    return true;
}

/* One record, whose offset has to be `index`; raises `latest` to its timestamp. */
static bool pass_record(const uint8_t **at, const uint8_t *end, int64_t index, int64_t *latest) {
    int64_t size, timestamp, offset;
    if (!read_varint(at, end, &size) || size < 1 || size > end - *at) return false;
    end = *at + size;
    (*at)++; /* attributes, of which there are none */
    if (!read_varint(at, end, &timestamp) || !read_varint(at, end, &offset)) return false;
    if (offset != index || !pass_bytes(at, end, true) || !pass_bytes(at, end, true)) return false;
    if (timestamp > *latest) *latest = timestamp;
    return pass_headers(at, end) && *at == end;
}

int check_batch(const uint8_t *batch, size_t size) {
    if (size < RECORDS || batch_size(batch) != size || batch[MAGIC] != 2) return CORRUPT_MESSAGE;
    if (crc32c(batch + ATTRIBUTES, size - ATTRIBUTES) != read32(batch + CRC)) return CORRUPT_MESSAGE;
    if (read16(batch + ATTRIBUTES) & 7) return UNSUPPORTED_COMPRESSION;
    int32_t count = (int32_t)read32(batch + COUNT);
    if (count < 1 || count - 1 != (int32_t)read32(batch + LAST_DELTA)) return INVALID_RECORD;
    const uint8_t *at = batch + RECORDS, *end = batch + size;
    int64_t latest = INT64_MIN;
    for (int32_t i = 0; i < count; i++)
        if (!pass_record(&at, end, i, &latest)) return INVALID_RECORD;
    int64_t claimed = (int64_t)(read64(batch + MAX_TIMESTAMP) - read64(batch + BASE_TIMESTAMP));
    return at == end && latest == claimed ? NO_ERROR : INVALID_RECORD;
}
