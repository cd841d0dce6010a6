/* Big-endian numbers and zigzag varints, read and written in place. */
#ifndef BARNABAS_FLOOR_BYTES_H
#define BARNABAS_FLOOR_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t read16(const uint8_t *at) {
    uint16_t value;
    memcpy(&value, at, 2);
    return __builtin_bswap16(value);
}

static inline uint32_t read32(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, 4);
    return __builtin_bswap32(value);
}

static inline uint64_t read64(const uint8_t *at) {
    uint64_t value;
    memcpy(&value, at, 8);
    return __builtin_bswap64(value);
}

static inline void write16(uint8_t *at, uint16_t value) {
    value = __builtin_bswap16(value);
    memcpy(at, &value, 2);
}

static inline void write32(uint8_t *at, uint32_t value) {
    value = __builtin_bswap32(value);
    memcpy(at, &value, 4);
}

static inline void write64(uint8_t *at, uint64_t value) {
    value = __builtin_bswap64(value);
    memcpy(at, &value, 8);
}

/* Reads a varint of at most 64 bits and moves `at` behind it; false if it does not end before `end`. */
static inline bool read_varint(const uint8_t **at, const uint8_t *end, int64_t *value) {
    uint64_t raw = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;
        raw |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *value = (int64_t)(raw >> 1) ^ -(int64_t)(raw & 1);
            return true;
        }
    }
    return false;
}

#endif
