/// SHA-256 of a short message (FIPS 180-4).

#ifndef PARALLEL_SUM_SHA256_H
#define PARALLEL_SUM_SHA256_H

#include <stddef.h>
#include <stdint.h>

/// Maximum number of bytes of a message: with its padding and its length it must fit into one block.
enum { SHA256_MOST = 55, SHA256_HEX = 65 };

/// Writes the hash of `n` bytes, at most `SHA256_MOST`, as hexadecimal digits with a zero byte at the end.
void sha256_hex(const uint8_t *bytes, size_t n, char hex[SHA256_HEX]);

#endif
