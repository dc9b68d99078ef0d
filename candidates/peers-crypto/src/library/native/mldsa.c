/* Products in ML-DSA's ring with the functions of mldsa-native, those of matrices for one parameter set.
 *
 * This includes mldsa-native's sources as AWS-LC has them, all of whose functions are static then; its
 * assembly is in AWS-LC's library. build.rs gives the parameter set, which has 4, 5 or 7 columns. */

#define MLD_CONFIG_FILE "../mldsa_native_config.h"
#include "mldsa/mldsa_native_bcm.c"

#include <stddef.h>
#include <string.h>

#define JOIN_NOW(name, set) name##_##set
#define JOIN(name, set) JOIN_NOW(name, set)
#define OF_SET(name) JOIN(name, MLD_CONFIG_PARAMETER_SET)

/* Writes the product of two polynomials, reduced to [0, q). The pointwise product divides by 2^32, and the
 * inverse transform multiplies by it. */
void OF_SET(peers_mldsa_product)(const int32_t *a, const int32_t *b, mld_poly *out) {
    mld_poly other;
    memcpy(out, a, sizeof *out);
    memcpy(&other, b, sizeof other);
    mldsa_poly_ntt(out);
    mldsa_poly_ntt(&other);
    mldsa_poly_pointwise_montgomery(out, &other);
    mldsa_poly_invntt_tomont(out);
    mldsa_poly_caddq(out);
}

/* Transforms the polynomials of a matrix, in the library's order, and reduces them to [0, q). */
void OF_SET(peers_mldsa_keep)(mld_poly *entries, size_t polynomials) {
    for (size_t i = 0; i < polynomials; i++) {
        mldsa_poly_ntt(&entries[i]);
        mldsa_poly_reduce(&entries[i]);
        mldsa_poly_caddq(&entries[i]);
    }
}

/* Writes the product of kept rows by a vector, reduced to [0, q). */
void OF_SET(peers_mldsa_matrix)(const mld_polyvecl *kept, size_t rows, const int32_t *vector, mld_poly *out) {
    mld_polyvecl transformed;
    memcpy(&transformed, vector, sizeof transformed);
    mldsa_polyvecl_ntt(&transformed);
    for (size_t i = 0; i < rows; i++) {
        mldsa_polyvecl_pointwise_acc_montgomery(&out[i], &kept[i], &transformed);
        mldsa_poly_invntt_tomont(&out[i]);
        mldsa_poly_caddq(&out[i]);
    }
}
