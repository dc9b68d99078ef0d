/* Products by the assembly of mlkem-native and mldsa-native, as the crate aws-lc-sys has it, for
 * scripts/count-arm: `RING CALLS` prints the same as the example ntt_calls of parcrypt-ntt. mlkem-native
 * multiplies transforms only in pairs: the second pair here is zero. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MLK_ALIGN __attribute__((aligned(64)))
#define MLK_INTERNAL_DATA_DEFINITION static
#define MLK_EMPTY_CU(name)
#define MLD_ALIGN MLK_ALIGN
#define MLD_INTERNAL_DATA_DEFINITION static
#define MLD_EMPTY_CU(name)
#include "zetas.h"

void mlkem_ntt_aarch64_asm(int16_t *, const int16_t *, const int16_t *);
void mlkem_intt_aarch64_asm(int16_t *, const int16_t *, const int16_t *);
void mlkem_poly_reduce_aarch64_asm(int16_t *);
void mlkem_poly_mulcache_compute_aarch64_asm(int16_t *, const int16_t *, const int16_t *, const int16_t *);
void mlkem_polyvec_basemul_acc_montgomery_cached_k2_aarch64_asm(int16_t *, const int16_t *, const int16_t *,
                                                                const int16_t *);
void mldsa_ntt_aarch64_asm(int32_t *, const int32_t *, const int32_t *);
void mldsa_intt_aarch64_asm(int32_t *, const int32_t *, const int32_t *);
void mldsa_poly_pointwise_montgomery_aarch64_asm(int32_t *, const int32_t *);
void mldsa_poly_caddq_aarch64_asm(int32_t *);

static void ml_kem(int32_t x[256], const int32_t y[256], long calls) {
    static int16_t first[256], second[256], a[512], b[512], cache[256], product[256];
    for (int i = 0; i < 256; i++)
        first[i] = (int16_t)x[i], second[i] = (int16_t)y[i];
    for (; calls > 0; calls--) {
        memcpy(a, first, sizeof first), memcpy(b, second, sizeof second);
        mlkem_ntt_aarch64_asm(a, mlk_aarch64_ntt_zetas_layer12345, mlk_aarch64_ntt_zetas_layer67);
        mlkem_ntt_aarch64_asm(b, mlk_aarch64_ntt_zetas_layer12345, mlk_aarch64_ntt_zetas_layer67);
        mlkem_poly_mulcache_compute_aarch64_asm(cache, b, mlk_aarch64_zetas_mulcache_native,
                                                mlk_aarch64_zetas_mulcache_twisted_native);
        mlkem_polyvec_basemul_acc_montgomery_cached_k2_aarch64_asm(product, a, b, cache);
        mlkem_intt_aarch64_asm(product, mlk_aarch64_invntt_zetas_layer12345,
                               mlk_aarch64_invntt_zetas_layer67);
        mlkem_poly_reduce_aarch64_asm(product);
    }
    for (int i = 0; i < 256; i++)
        x[i] = product[i];
}

static void ml_dsa(int32_t x[256], const int32_t y[256], long calls) {
    static int32_t a[256], b[256];
    for (; calls > 0; calls--) {
        memcpy(a, x, sizeof a), memcpy(b, y, sizeof b);
        mldsa_ntt_aarch64_asm(a, mld_aarch64_ntt_zetas_layer123456, mld_aarch64_ntt_zetas_layer78);
        mldsa_ntt_aarch64_asm(b, mld_aarch64_ntt_zetas_layer123456, mld_aarch64_ntt_zetas_layer78);
        mldsa_poly_pointwise_montgomery_aarch64_asm(a, b);
        mldsa_intt_aarch64_asm(a, mld_aarch64_intt_zetas_layer78, mld_aarch64_intt_zetas_layer123456);
        mldsa_poly_caddq_aarch64_asm(a);
    }
    memcpy(x, a, sizeof a);
}

int main(int count, char **arguments) {
    static int32_t x[256], y[256];
    if (count != 3)
        return 2;
    for (int i = 0; i < 256; i++)
        x[i] = i * 1237 % 3329, y[i] = i * 2741 % 3329;
    (strcmp(arguments[1], "ml-kem") == 0 ? ml_kem : ml_dsa)(x, y, atol(arguments[2]));
    uint64_t hash = 0;
    for (int i = 0; i < 256; i++)
        hash = hash * 8380417 + (uint64_t)x[i];
    printf("%llu\n", (unsigned long long)hash);
    return 0;
}
