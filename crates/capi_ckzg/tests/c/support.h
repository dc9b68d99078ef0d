/* Helpers of the programs for both libraries: random bytes from a seed, and output that can be compared. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include "ckzg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Returns the next number of splitmix64. */
static inline uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/** Fills a field element that is below the modulus: its first byte is below 0x73. */
static inline void random_element(uint8_t element[32], uint64_t *state) {
    for (size_t i = 0; i < 32; i++) {
        element[i] = (uint8_t)next_random(state);
    }
    element[0] %= 0x73;
}

static inline void random_blob(Blob *blob, uint64_t *state) {
    for (size_t i = 0; i < FIELD_ELEMENTS_PER_BLOB; i++) {
        random_element(&blob->bytes[32 * i], state);
    }
}

/** Returns memory, or ends the program. */
static inline void *get(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fprintf(stderr, "no memory\n");
        exit(2);
    }
    return memory;
}

static inline void print_hex(const void *bytes, size_t length) {
    const uint8_t *p = bytes;
    for (size_t i = 0; i < length; i++) {
        printf("%02x", p[i]);
    }
}

/** Prints a name, the result of a call, and its outputs. */
static inline void show(const char *name, C_KZG_RET ret, const void *bytes, size_t length) {
    printf("%s: %d ", name, (int)ret);
    print_hex(bytes, length);
    printf("\n");
}

static inline void show_bool(const char *name, C_KZG_RET ret, bool ok) {
    printf("%s: %d %s\n", name, (int)ret, ok ? "true" : "false");
}

/** Loads a setup from a file, or ends the program. */
static inline void load(KZGSettings *settings, const char *path, uint64_t precompute) {
    FILE *file = fopen(path, "r");
    if (file == NULL || load_trusted_setup_file(settings, file, precompute) != C_KZG_OK) {
        fprintf(stderr, "%s cannot be loaded\n", path);
        exit(2);
    }
    fclose(file);
}

#endif
