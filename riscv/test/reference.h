/* Reference of the kernels, by the definitions, in plain C. */
#ifndef PARCRYPT_REFERENCE_H
#define PARCRYPT_REFERENCE_H

#include <stdint.h>

/* r = a b modulo X^n - 1 (sign 1) or X^n + 1 (sign -1), in [0, q); any coefficients of absolute value below
 * 2^12. */
void reference_product(int32_t *r, const int32_t *a, const int32_t *b, int n, int sign);

/* FIPS 203, section 4.3: r[2 i], r[2 i + 1] are f modulo X^2 - zeta^(2 BitRev7(i) + 1); in [0, q). */
void reference_residues(int32_t r[256], const int32_t f[256]);

/* FIPS 203, algorithms 9 and 10. */
void reference_forward(int32_t r[256]);
void reference_inverse(int32_t r[256]);

/* FIPS 203, algorithm 11: the product of two transformed polynomials. */
void reference_multiply(int32_t r[256], const int32_t a[256], const int32_t b[256]);

#endif
