#include "crc.h"

#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#pragma GCC target("sse4.2")
#define STEP8(crc, word) ((uint32_t)_mm_crc32_u64((crc), (word)))
#define STEP1(crc, byte) _mm_crc32_u8((crc), (byte))
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#define STEP8(crc, word) __crc32cd((crc), (word))
#define STEP1(crc, byte) __crc32cb((crc), (byte))
#else
#error "the floor needs a processor with an instruction for CRC32C"
#endif

enum { BLOCK = 1024 };

/* What a state becomes after BLOCK bytes of zero, by each of its bytes; states add up by exclusive or. */
static uint32_t after_zeros[4][256];

void prepare_crc(void) {
    for (int place = 0; place < 4; place++)
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t state = byte << 8 * place;
            for (int i = 0; i < BLOCK / 8; i++) state = STEP8(state, 0);
            after_zeros[place][byte] = state;
        }
}

static uint32_t shift(uint32_t state) {
    return after_zeros[0][state & 0xFF] ^ after_zeros[1][state >> 8 & 0xFF] ^
           after_zeros[2][state >> 16 & 0xFF] ^ after_zeros[3][state >> 24];
}

static uint64_t word_at(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word;
}

uint32_t crc32c(const uint8_t *bytes, size_t size) {
    uint32_t state = 0xFFFFFFFFu;
    for (; size >= 3 * BLOCK; size -= 3 * BLOCK, bytes += 3 * BLOCK) {
        uint32_t second = 0, third = 0;
#pragma GCC unroll 8
        for (int i = 0; i < BLOCK; i += 8) {
            state = STEP8(state, word_at(bytes + i));
            second = STEP8(second, word_at(bytes + BLOCK + i));
            third = STEP8(third, word_at(bytes + 2 * BLOCK + i));
        }
        state = shift(shift(state) ^ second) ^ third;
    }
    for (; size >= 8; size -= 8, bytes += 8) state = STEP8(state, word_at(bytes));
    for (; size; size--, bytes++) state = STEP1(state, *bytes);
    return state ^ 0xFFFFFFFFu;
}
