#include "reference.h"

enum { Q = 3329, ZETA = 17 };

/* In [0, q). */
static int32_t modulo(int64_t x) {
    int64_t r = x % Q;
    return (int32_t)(r < 0 ? r + Q : r);
}

static int32_t power(int32_t base, unsigned exponent) {
    int32_t r = 1;
    for (; exponent; exponent--) {
        r = modulo((int64_t)r * base);
    }
    return r;
}

static unsigned reversed(unsigned i) {
    unsigned r = 0;
    for (int bit = 0; bit < 7; bit++) {
        r |= (i >> bit & 1) << (6 - bit);
    }
    return r;
}

/* Returns zeta^BitRev7(i), computed at the first call. */
static int32_t zeta(unsigned i) {
    static int32_t table[128];
    if (table[i] == 0) {
        table[i] = power(ZETA, reversed(i));
    }
    return table[i];
}

void reference_product(int32_t *r, const int32_t *a, const int32_t *b, int n, int sign) {
    int64_t wide[512] = {0};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            wide[i + j] += a[i] * b[j];
        }
    }
    for (int i = 0; i < n; i++) {
        r[i] = modulo(wide[i] + sign * wide[i + n]);
    }
}

void reference_residues(int32_t r[256], const int32_t f[256]) {
    for (unsigned i = 0; i < 128; i++) {
        const int32_t z = power(ZETA, 2 * reversed(i) + 1);
        int64_t even = 0, odd = 0;
        for (int j = 127; j >= 0; j--) {
            even = modulo(even * z + f[2 * j]);
            odd = modulo(odd * z + f[2 * j + 1]);
        }
        r[2 * i] = (int32_t)even;
        r[2 * i + 1] = (int32_t)odd;
    }
}

void reference_forward(int32_t r[256]) {
    unsigned i = 1;
    for (int length = 128; length >= 2; length /= 2) {
        for (int start = 0; start < 256; start += 2 * length) {
            const int32_t z = zeta(i++);
            for (int j = start; j < start + length; j++) {
                const int32_t t = modulo((int64_t)z * r[j + length]);
                r[j + length] = modulo(r[j] - t);
                r[j] = modulo(r[j] + t);
            }
        }
    }
}

void reference_inverse(int32_t r[256]) {
    unsigned i = 127;
    for (int length = 2; length <= 128; length *= 2) {
        for (int start = 0; start < 256; start += 2 * length) {
            const int32_t z = zeta(i--);
            for (int j = start; j < start + length; j++) {
                const int32_t t = r[j];
                r[j] = modulo(t + r[j + length]);
                r[j + length] = modulo((int64_t)z * (r[j + length] - t));
            }
        }
    }
    for (int j = 0; j < 256; j++) {
        r[j] = modulo((int64_t)r[j] * 3303);
    }
}

void reference_multiply(int32_t r[256], const int32_t a[256], const int32_t b[256]) {
    for (unsigned i = 0; i < 128; i++) {
        const int32_t z = power(ZETA, 2 * reversed(i) + 1);
        const int64_t a0 = a[2 * i], a1 = a[2 * i + 1], b0 = b[2 * i], b1 = b[2 * i + 1];
        r[2 * i] = modulo(a0 * b0 + modulo(a1 * b1) * (int64_t)z);
        r[2 * i + 1] = modulo(a0 * b1 + a1 * b0);
    }
}
