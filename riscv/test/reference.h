/* Reference of the kernels, by the definitions, in plain C. */
#ifndef PARCRYPT_REFERENCE_H
#define PARCRYPT_REFERENCE_H

#include <stdint.h>

/* Z_q[X] / (X^256 + 1), which 2^levels polynomials modulo X^(256 / 2^levels) - zeta^(2 i + 1) represent. */
struct ring {
    int32_t q, zeta;
    int levels;
};

/* The rings of FIPS 203 and FIPS 204. */
extern const struct ring mlkem_ring, mldsa_ring;

/* r = a b modulo X^n - 1 (sign 1) or X^n + 1 (sign -1), in [0, q); n is at most 256. */
void reference_product(const struct ring *ring, int32_t *r, const int32_t *a, const int32_t *b, int n,
                       int sign);

/* By the definition: with m = 256 / 2^levels, the coefficients from m i are f modulo X^m - zeta^(2 BitRev(i)
 * + 1); in [0, q). */
void reference_residues(const struct ring *ring, int32_t r[256], const int32_t f[256]);

/* FIPS 203, algorithms 9 and 10; FIPS 204, algorithms 41 and 42. */
void reference_forward(const struct ring *ring, int32_t r[256]);
void reference_inverse(const struct ring *ring, int32_t r[256]);

/* FIPS 203, algorithm 11; FIPS 204, algorithm 45: the product of two transformed polynomials. */
void reference_multiply(const struct ring *ring, int32_t r[256], const int32_t a[256], const int32_t b[256]);

#endif
