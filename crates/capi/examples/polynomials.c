/*
 * Products in the ring of ML-KEM, where X^256 is -1 modulo 3329: X^200 times X^200 is -X^144.
 *
 *     cc polynomials.c $(pkg-config --cflags --libs parcrypt) -o polynomials && ./polynomials
 */
#include <parcrypt.h>

#include <stdio.h>
#include <stdlib.h>

#define N 256
#define PRODUCTS 1000

static uint32_t a[PRODUCTS * N], b[PRODUCTS * N];

static int check(parcrypt_status status) {
    if (status != PARCRYPT_OK) {
        fprintf(stderr, "%s: %s\n", parcrypt_status_name(status), parcrypt_error_message());
    }
    return status == PARCRYPT_OK;
}

int main(void) {
    parcrypt_runtime *rt = NULL;
    parcrypt_ring *ring = NULL;
    for (size_t i = 0; i < PRODUCTS; i++) {
        a[i * N + 200] = 1;
        b[i * N + 200] = (uint32_t)i; /* i X^200 */
    }
    /* The products take the place of a. */
    int done = check(parcrypt_runtime_new("rayon", 0, &rt)) &&
               check(parcrypt_ring_new(3329, N, true, &ring)) &&
               check(parcrypt_ring_products(rt, ring, a, b, a, PRODUCTS));
    for (size_t i = 0; done && i < PRODUCTS * N; i++) {
        uint32_t factor = (uint32_t)(i / N);
        done = a[i] == (i % N == 144 && factor > 0 ? 3329 - factor : 0);
    }
    if (done) {
        printf("%d products: X^200 times X^200 is -X^144\n", PRODUCTS);
    }
    parcrypt_ring_free(ring);
    parcrypt_runtime_free(rt);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
