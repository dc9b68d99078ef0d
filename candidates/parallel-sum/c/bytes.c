#include "bytes.h"

#include <string.h>

enum {
    /// 64-bit words of a cache line.
    WORDS = SUM_LINE / sizeof(uint64_t),
    /// Lines that are read in a step: four vectors of AVX-512, so that no addition waits for the previous
    /// one.
    STREAMS = 4,
    /// From this many bytes on the four lines of a step are a quarter of the data apart: four pages are open
    /// at once, and the prefetchers, which stop at the end of a page, have three others to continue with.
    STREAMS_FROM = 256 << 10,
    /// Steps after which 16-bit lanes that grow by at most 2 * 255 a step are below 2^16: 128 * 510 = 65280.
    STEPS = 128,
};

/// The loop for every instruction set: inlined into a function for each, which the compiler vectorises.
static inline __attribute__((always_inline)) uint64_t sum_words(const uint8_t *bytes, size_t n) {
    const uint64_t even = 0x00ff00ff00ff00ff, pairs = 0x0000ffff0000ffff;
    uint64_t sum = 0;

    size_t head = (SUM_LINE - (uintptr_t)bytes % SUM_LINE) % SUM_LINE;
    head = head < n ? head : n;
    for (size_t i = 0; i < head; i++) {
        sum += bytes[i];
    }
    bytes += head;
    n -= head;
    // Four lines a step: from four streams, or side by side.
    const size_t all = n / (STREAMS * SUM_LINE);
    const size_t apart = n < STREAMS_FROM ? SUM_LINE : all * SUM_LINE;
    const size_t stride = n < STREAMS_FROM ? STREAMS * SUM_LINE : SUM_LINE;
    for (size_t first = 0; first < all; first += STEPS) {
        const size_t end = first + STEPS < all ? first + STEPS : all;
        uint64_t lanes[STREAMS * WORDS] = {0};
        for (size_t s = first; s < end; s++) {
            for (size_t k = 0; k < STREAMS; k++) {
                for (size_t i = 0; i < WORDS; i++) {
                    uint64_t word;
                    memcpy(&word, bytes + k * apart + s * stride + i * sizeof word, sizeof word);
                    lanes[k * WORDS + i] += (word & even) + ((word >> 8) & even);
                }
            }
        }
        for (size_t i = 0; i < STREAMS * WORDS; i++) {
            const uint64_t folded = (lanes[i] & pairs) + ((lanes[i] >> 16) & pairs);
            sum += (folded & UINT32_MAX) + (folded >> 32);
        }
    }
    bytes += all * STREAMS * SUM_LINE;
    n -= all * STREAMS * SUM_LINE;
    for (size_t i = 0; i < n; i++) {
        sum += bytes[i];
    }
    return sum;
}

static uint64_t sum_scalar(const uint8_t *bytes, size_t n) { return sum_words(bytes, n); }

#if defined(__x86_64__)

__attribute__((target("avx2"))) static uint64_t sum_avx2(const uint8_t *bytes, size_t n) {
    return sum_words(bytes, n);
}

__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) static uint64_t sum_avx512(const uint8_t *bytes,
                                                                                         size_t n) {
    return sum_words(bytes, n);
}

#endif

struct backend {
    const char *name;
    uint64_t (*sum)(const uint8_t *bytes, size_t n);
};

/// Returns the best loop that this machine can run.
static struct backend choose(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        return (struct backend){"avx512", sum_avx512};
    }
    if (__builtin_cpu_supports("avx2")) {
        return (struct backend){"avx2", sum_avx2};
    }
#endif
    return (struct backend){"scalar", sum_scalar};
}

const char *sum_backend(void) { return choose().name; }

uint64_t sum_bytes(const uint8_t *bytes, size_t n) { return choose().sum(bytes, n); }

uint64_t part_begin(uint64_t bytes, int ranks, int rank) {
    const uint64_t p = (uint64_t)ranks, r = (uint64_t)rank;
    const uint64_t longer = bytes % p;
    return bytes / p * r + (r < longer ? r : longer);
}
