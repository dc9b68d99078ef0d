/*
 * No memory that the library frees has a key of scrypt, a product of polynomials, or a vector that a matrix
 * is multiplied by. For a static library, linked with -Wl,--wrap=free.
 */
#define _GNU_SOURCE /* memmem, explicit_bzero */
#include <parcrypt.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** What freed memory must not have: 32 bytes, while `watching`. */
static uint8_t wanted[32];
static int watching = 0, found = 0;

void __real_free(void *memory);
void __wrap_free(void *memory);
void __wrap_free(void *memory) {
    if (watching && memory != NULL &&
        memmem(memory, malloc_usable_size(memory), wanted, sizeof wanted) != NULL)
        found++;
    __real_free(memory);
}

static parcrypt_status derive(const parcrypt_runtime *rt, uint8_t key[64]) {
    static const uint8_t password[] = "correct horse", salt[] = "salt";
    return parcrypt_scrypt(rt, 16, 8, 1, 1 << 20, password, sizeof password, salt, sizeof salt, key, 64);
}

/** Multiplies in the ring of ML-DSA, whose coefficients are kept in words of 32 bits, as they are looked for.
 */
static parcrypt_status multiply(const parcrypt_runtime *rt, const uint32_t vector[256],
                                uint32_t product[256]) {
    static uint32_t entry[256], same[256];
    parcrypt_ring *ring = NULL;
    parcrypt_matrix *matrix = NULL;
    for (uint32_t i = 0; i < 256; i++)
        entry[i] = i * i * i % 8380417;
    parcrypt_status status = parcrypt_ring_new(8380417, 256, true, &ring);
    if (status == PARCRYPT_OK)
        status = parcrypt_ring_products(rt, ring, entry, vector, product, 1);
    if (status == PARCRYPT_OK)
        status = parcrypt_matrix_new(ring, 1, 1, false, entry, &matrix);
    if (status == PARCRYPT_OK)
        status = parcrypt_matrix_product(rt, matrix, vector, same);
    if (status == PARCRYPT_OK && memcmp(product, same, sizeof same) != 0)
        status = PARCRYPT_ERROR_INTERNAL;
    parcrypt_matrix_free(matrix);
    parcrypt_ring_free(ring);
    return status;
}

int main(void) {
    static uint8_t key[64], again[64];
    static uint32_t vector[256], constant[256] = {1234567}, transform[8], product[256], product_again[256];
    parcrypt_runtime *rt = NULL;
    int ok = parcrypt_runtime_new("serial", 1, &rt) == PARCRYPT_OK && derive(rt, key) == PARCRYPT_OK;
    memcpy(wanted, key + 16, sizeof wanted);
    watching = 1;
    /* That it is found at all. */
    uint8_t *copy = malloc(64);
    if (copy == NULL)
        return 2;
    memcpy(copy, key, 64);
    __wrap_free(copy);
    ok = ok && found == 1;
    found = 0;
    /* The library may get this memory next, and free it without having written all of it. */
    copy = malloc(64);
    if (copy == NULL)
        return 2;
    explicit_bzero(copy, 64);
    free(copy);
    ok = ok && derive(rt, again) == PARCRYPT_OK && memcmp(key, again, sizeof key) == 0;
    if (found != 0)
        fprintf(stderr, "freed memory has the key\n");
    for (uint32_t i = 0; i < 256; i++)
        vector[i] = (i + 1) * 30011;
    ok = ok && found == 0 && multiply(rt, vector, product) == PARCRYPT_OK;
    /* The transform of a constant is the constant in each place. */
    for (int i = 0; i < 8; i++)
        transform[i] = constant[0];
    const struct {
        const char *what;
        const uint32_t *words, *vector;
    } cases[] = {{"the product", product + 16, vector},
                 {"the vector", vector + 16, vector},
                 {"the vector's transform", transform, constant}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memcpy(wanted, cases[i].words, sizeof wanted);
        found = 0;
        ok = ok && multiply(rt, cases[i].vector, product_again) == PARCRYPT_OK;
        if (found != 0)
            fprintf(stderr, "freed memory has %s\n", cases[i].what);
        ok = ok && found == 0;
    }
    parcrypt_runtime_free(rt);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
