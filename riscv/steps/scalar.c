/* The scalar steps: the straightforward code, and the baseline of the others. Compiled without the V
 * extension. */

#include "phases.h"
#include "powers.h"
#include "steps.h"

enum { N = 128, Q = PARCRYPT_NTT_RVV_Q };

void parcrypt_step_schoolbook(int32_t r[128], const int32_t a[128], const int32_t b[128]) {
    int32_t sums[N] = {0}; /* of 128 products below q^2: below 2^31 */
    PHASE(PHASE_POINTWISE);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            sums[(i + j) % N] += a[i] * b[j];
        }
    }
    PHASE(PHASE_CANONICAL);
    for (int i = 0; i < N; i++) {
        r[i] = sums[i] % Q;
    }
}

/* y_k = sum of x_j w^(j k), where step is 1 or, for the inverse of w, 127. */
static void transform(int32_t y[N], const int32_t x[N], unsigned step) {
    for (unsigned k = 0; k < N; k++) {
        int32_t sum = 0;
        for (unsigned j = 0; j < N; j++) {
            sum += x[j] * powers[j * k * step % N];
        }
        y[k] = sum % Q;
    }
}

void parcrypt_step_definition(int32_t r[128], const int32_t a[128], const int32_t b[128]) {
    int32_t x[N], y[N];
    PHASE(PHASE_FORWARD);
    transform(x, a, 1);
    transform(y, b, 1);
    PHASE(PHASE_POINTWISE);
    for (int i = 0; i < N; i++) {
        x[i] = x[i] * y[i] % Q;
    }
    PHASE(PHASE_INVERSE);
    transform(y, x, N - 1);
    PHASE(PHASE_CANONICAL);
    for (int i = 0; i < N; i++) {
        r[i] = y[i] * nth % Q;
    }
}

/* The transform of n elements that are `stride` apart; w^step has order n. */
static void recursive(int32_t *y, const int32_t *x, unsigned n, unsigned stride, unsigned step) {
    if (n == 1) {
        y[0] = x[0];
        return;
    }
    recursive(y, x, n / 2, 2 * stride, 2 * step);
    recursive(y + n / 2, x + stride, n / 2, 2 * stride, 2 * step);
    for (unsigned k = 0; k < n / 2; k++) {
        const int32_t even = y[k], odd = y[k + n / 2] * powers[k * step % N] % Q;
        y[k] = (even + odd) % Q;
        y[k + n / 2] = (even + Q - odd) % Q;
    }
}

void parcrypt_recursive_forward(int32_t y[128], const int32_t x[128]) { recursive(y, x, N, 1, 1); }

void parcrypt_recursive_inverse(int32_t y[128], const int32_t x[128]) { recursive(y, x, N, 1, N - 1); }

void parcrypt_step_recursive(int32_t r[128], const int32_t a[128], const int32_t b[128]) {
    int32_t x[N], y[N];
    PHASE(PHASE_FORWARD);
    parcrypt_recursive_forward(x, a);
    parcrypt_recursive_forward(y, b);
    PHASE(PHASE_POINTWISE);
    for (int i = 0; i < N; i++) {
        x[i] = x[i] * y[i] % Q;
    }
    PHASE(PHASE_INVERSE);
    parcrypt_recursive_inverse(y, x);
    PHASE(PHASE_CANONICAL);
    for (int i = 0; i < N; i++) {
        r[i] = y[i] * nth % Q;
    }
}
