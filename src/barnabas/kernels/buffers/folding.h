/* CRC32 of what is long, 64 bytes a step, where the processor multiplies without carries.
 *
 * Source: Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction",
 * with its constants for the reflected polynomial of IEEE 802.3.
 */
#ifndef BARNABAS_FOLDING_H
#define BARNABAS_FOLDING_H

#include <stddef.h>

#define FOLDED 16

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <wmmintrin.h>

static int folding_here(void) { return __builtin_cpu_supports("pclmul") != 0; }

__attribute__((target("pclmul"))) static inline __m128i over(__m128i x, __m128i by, __m128i next) {
    __m128i low = _mm_clmulepi64_si128(x, by, 0x00), high = _mm_clmulepi64_si128(x, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/* Makes 16 bytes of the first ones, 64 or more, whose CRC that begins with 0 is theirs; returns how
 * many they were. */
__attribute__((target("pclmul"))) static size_t fold(
    const unsigned char *data, size_t size, unsigned char *folded) {
    const __m128i by_four = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    const __m128i by_one = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    const __m128i *from = (const __m128i *)data;
    __m128i a = _mm_xor_si128(_mm_loadu_si128(from), _mm_cvtsi32_si128(-1));
    __m128i b = _mm_loadu_si128(from + 1), c = _mm_loadu_si128(from + 2), d = _mm_loadu_si128(from + 3);
    size_t done = 64;
    for (; size - done >= 64; done += 64) {
        from += 4;
        a = over(a, by_four, _mm_loadu_si128(from));
        b = over(b, by_four, _mm_loadu_si128(from + 1));
        c = over(c, by_four, _mm_loadu_si128(from + 2));
        d = over(d, by_four, _mm_loadu_si128(from + 3));
    }
    a = over(over(over(a, by_one, b), by_one, c), by_one, d);
    for (from += 4; size - done >= 16; done += 16) a = over(a, by_one, _mm_loadu_si128(from++));
    _mm_storeu_si128((__m128i *)folded, a);
    return done;
}

#else

static int folding_here(void) { return 0; }

static size_t fold(const unsigned char *data, size_t size, unsigned char *folded) {
    (void)data;
    (void)size;
    (void)folded;
    return 0; /* never called: folding_here says so */
}

#endif
#endif
