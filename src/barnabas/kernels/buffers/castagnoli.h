/* CRC32C with the processor's own instruction, where it has one: no tables, no call of a library.
 *
 * One chain of eight bytes a step, about 10 GB/s. What is larger than a few KB goes faster through
 * the crc32c package, which runs several chains side by side.
 */
#ifndef BARNABAS_CASTAGNOLI_H
#define BARNABAS_CASTAGNOLI_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <nmmintrin.h>
#define CASTAGNOLI_TARGET __attribute__((target("sse4.2")))
#define CASTAGNOLI_8(crc, word) ((uint32_t)_mm_crc32_u64((crc), (word)))
#define CASTAGNOLI_1(crc, byte) _mm_crc32_u8((crc), (byte))
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#define CASTAGNOLI_TARGET
#define CASTAGNOLI_8(crc, word) __crc32cd((crc), (word))
#define CASTAGNOLI_1(crc, byte) __crc32cb((crc), (byte))
#endif

#ifdef CASTAGNOLI_TARGET

static int castagnoli_here(void) {
#ifdef __x86_64__
    return __builtin_cpu_supports("sse4.2") != 0;
#else
    return 1;
#endif
}

CASTAGNOLI_TARGET static uint32_t castagnoli(const unsigned char *data, size_t size) {
    uint32_t crc = 0xFFFFFFFFu;
    uint64_t word;
    for (; size >= 8; size -= 8, data += 8) {
        memcpy(&word, data, 8);
        crc = CASTAGNOLI_8(crc, word);
    }
    for (; size; size--, data++) crc = CASTAGNOLI_1(crc, *data);
    return crc ^ 0xFFFFFFFFu;
}

#else

static int castagnoli_here(void) { return 0; }

static uint32_t castagnoli(const unsigned char *data, size_t size) {
    (void)data;
    (void)size;
    return 0; /* never called: castagnoli_here says so */
}

#endif
#endif
