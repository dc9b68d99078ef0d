#include "reference.h"

const struct ring mlkem_ring = {.q = 3329, .zeta = 17, .levels = 7};
const struct ring mldsa_ring = {.q = 8380417, .zeta = 1753, .levels = 8};

/* In [0, q). */
static int32_t modulo(int64_t x, int32_t q) {
    const int64_t r = x % q;
    return (int32_t)(r < 0 ? r + q : r);
}

static int32_t power(const struct ring *ring, unsigned exponent) {
    int32_t r = 1;
    for (; exponent; exponent--) {
        r = modulo((int64_t)r * ring->zeta, ring->q);
    }
    return r;
}

static unsigned reversed(const struct ring *ring, unsigned i) {
    unsigned r = 0;
    for (int bit = 0; bit < ring->levels; bit++) {
        r |= (i >> bit & 1) << (ring->levels - 1 - bit);
    }
    return r;
}

/* Returns zeta to the power of i with its bits reversed, computed at the first call. */
static int32_t zeta(const struct ring *ring, unsigned i) {
    static int32_t tables[2][256];
    int32_t *table = tables[ring == &mldsa_ring];
    if (table[i] == 0) {
        table[i] = power(ring, reversed(ring, i));
    }
    return table[i];
}

void reference_product(const struct ring *ring, int32_t *r, const int32_t *a, const int32_t *b, int n,
                       int sign) {
    int64_t wide[512] = {0};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            wide[i + j] += (int64_t)a[i] * b[j];
        }
    }
    for (int i = 0; i < n; i++) {
        r[i] = modulo(wide[i] + sign * wide[i + n], ring->q);
    }
}

void reference_residues(const struct ring *ring, int32_t r[256], const int32_t f[256]) {
    const int parts = 1 << ring->levels, length = 256 / parts;
    for (int i = 0; i < parts; i++) {
        const int32_t z = power(ring, 2 * reversed(ring, (unsigned)i) + 1);
        for (int k = 0; k < length; k++) {
            int32_t sum = 0;
            for (int j = parts - 1; j >= 0; j--) {
                sum = modulo((int64_t)sum * z + f[length * j + k], ring->q);
            }
            r[length * i + k] = sum;
        }
    }
}

void reference_forward(const struct ring *ring, int32_t r[256]) {
    unsigned i = 1;
    for (int length = 128; length >= 256 >> ring->levels; length /= 2) {
        for (int start = 0; start < 256; start += 2 * length) {
            const int32_t z = zeta(ring, i++);
            for (int j = start; j < start + length; j++) {
                const int32_t t = modulo((int64_t)z * r[j + length], ring->q);
                r[j + length] = modulo((int64_t)r[j] - t, ring->q);
                r[j] = modulo((int64_t)r[j] + t, ring->q);
            }
        }
    }
}

void reference_inverse(const struct ring *ring, int32_t r[256]) {
    unsigned i = (1u << ring->levels) - 1;
    for (int length = 256 >> ring->levels; length <= 128; length *= 2) {
        for (int start = 0; start < 256; start += 2 * length) {
            const int32_t z = zeta(ring, i--);
            for (int j = start; j < start + length; j++) {
                const int32_t t = r[j];
                r[j] = modulo((int64_t)t + r[j + length], ring->q);
                r[j + length] = modulo((int64_t)z * modulo((int64_t)r[j + length] - t, ring->q), ring->q);
            }
        }
    }
    /* Half, as often as there are levels. */
    for (int level = 0; level < ring->levels; level++) {
        for (int j = 0; j < 256; j++) {
            r[j] = modulo((int64_t)r[j] * ((ring->q + 1) / 2), ring->q);
        }
    }
}

void reference_multiply(const struct ring *ring, int32_t r[256], const int32_t a[256], const int32_t b[256]) {
    const int32_t q = ring->q;
    if (ring->levels == 8) {
        for (int i = 0; i < 256; i++) {
            r[i] = modulo((int64_t)a[i] * b[i], q);
        }
        return;
    }
    for (unsigned i = 0; i < 128; i++) {
        const int32_t z = power(ring, 2 * reversed(ring, i) + 1);
        const int64_t a0 = a[2 * i], a1 = a[2 * i + 1], b0 = b[2 * i], b1 = b[2 * i + 1];
        r[2 * i] = modulo(a0 * b0 + modulo(a1 * b1, q) * (int64_t)z, q);
        r[2 * i + 1] = modulo(a0 * b1 + a1 * b0, q);
    }
}
