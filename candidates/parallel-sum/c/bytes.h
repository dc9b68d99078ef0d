/// The sum of bytes in memory, and the division of an input into one part for each rank.

#ifndef PARALLEL_SUM_BYTES_H
#define PARALLEL_SUM_BYTES_H

#include <stddef.h>
#include <stdint.h>

/// Bytes of a cache line, the fastest alignment for the vectors of the sum.
enum { SUM_LINE = 64 };

/// Returns the vectors that `sum_bytes` uses on this machine: `avx512`, `avx2` or `scalar`.
const char *sum_backend(void);

/// Returns the sum of `n` bytes modulo 2^64.
uint64_t sum_bytes(const uint8_t *bytes, size_t n);

/// Returns the beginning of the part of `rank` where `bytes` are divided into one part for each of `ranks`;
/// for `rank` = `ranks`, `bytes`.
///
/// Each part has q = bytes div ranks bytes, and each of the first (bytes mod ranks) parts one more.
uint64_t part_begin(uint64_t bytes, int ranks, int rank);

#endif
