/* The product of a matrix by a vector in ML-KEM's ring with the functions of mlkem-native, for one parameter
 * set.
 *
 * This includes mlkem-native's sources as AWS-LC has them, all of whose functions are static then; its
 * assembly is in AWS-LC's library. build.rs gives the parameter set, which has 2, 3 or 4 columns. */

#define MLK_CONFIG_FILE "../mlkem_native_config.h"
#include "mlkem/mlkem_native_bcm.c"

#include <stddef.h>
#include <string.h>

#define JOIN_NOW(name, set) name##_##set
#define JOIN(name, set) JOIN_NOW(name, set)
#define OF_SET(name) JOIN(name, MLK_CONFIG_PARAMETER_SET)

/* Transforms the polynomials of a matrix, in the library's order, and reduces them. */
void OF_SET(peers_mlkem_keep)(mlk_poly *entries, size_t polynomials) {
    for (size_t i = 0; i < polynomials; i++) {
        mlkem_poly_ntt(&entries[i]);
        mlkem_poly_reduce(&entries[i]);
    }
}

/* Writes the product of kept rows by a vector, reduced to [0, q). The base multiplication divides by 2^16,
 * and the inverse transform multiplies by it. */
void OF_SET(peers_mlkem_matrix)(const mlk_polyvec *kept, size_t rows, const int16_t *vector, mlk_poly *out) {
    mlk_polyvec transformed;
    mlk_polyvec_mulcache cache;
    memcpy(&transformed, vector, sizeof transformed);
    mlkem_polyvec_ntt(&transformed);
    mlkem_polyvec_mulcache_compute(&cache, &transformed);
    for (size_t i = 0; i < rows; i++) {
        mlkem_polyvec_basemul_acc_montgomery_cached(&out[i], &kept[i], &transformed, &cache);
        mlkem_poly_invntt_tomont(&out[i]);
        mlkem_poly_reduce(&out[i]);
    }
}
