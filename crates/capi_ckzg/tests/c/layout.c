/*
 * Prints the sizes, offsets and constants of ckzg.h, and takes each function's address under its type. It is
 * compiled with c-kzg's header and with ours; both must print the same.
 */
#include "ckzg.h"

#include <stddef.h>
#include <stdio.h>

#define NUMBER(x) printf(#x " %zu\n", (size_t)(x))
#define TYPE(T) printf(#T " %zu %zu\n", sizeof(T), _Alignof(T))
#define FIELD(f)                                                                                             \
    printf("KZGSettings." #f " %zu %zu\n", offsetof(KZGSettings, f), sizeof(((KZGSettings *)0)->f))
#define FUNCTION(returns, name, ...)                                                                         \
    do {                                                                                                     \
        returns (*function)(__VA_ARGS__) = name;                                                             \
        printf(#name " %d\n", function != NULL);                                                             \
    } while (0)

static void sizes(void) {
    NUMBER(BITS_PER_FIELD_ELEMENT);
    NUMBER(BYTES_PER_FIELD_ELEMENT);
    NUMBER(BYTES_PER_COMMITMENT);
    NUMBER(BYTES_PER_PROOF);
    NUMBER(FIELD_ELEMENTS_PER_BLOB);
    NUMBER(BYTES_PER_BLOB);
    NUMBER(LOG_EXPANSION_FACTOR);
    NUMBER(FIELD_ELEMENTS_PER_EXT_BLOB);
    NUMBER(FIELD_ELEMENTS_PER_CELL);
    NUMBER(BYTES_PER_CELL);
    NUMBER(CELLS_PER_BLOB);
    NUMBER(CELLS_PER_EXT_BLOB);
    NUMBER(C_KZG_OK);
    NUMBER(C_KZG_BADARGS);
    NUMBER(C_KZG_ERROR);
    NUMBER(C_KZG_MALLOC);
    TYPE(C_KZG_RET);
    TYPE(fr_t);
    TYPE(g1_t);
    TYPE(g2_t);
    TYPE(Bytes32);
    TYPE(Bytes48);
    TYPE(Blob);
    TYPE(Cell);
    TYPE(KZGCommitment);
    TYPE(KZGProof);
    TYPE(KZGSettings);
    FIELD(roots_of_unity);
    FIELD(brp_roots_of_unity);
    FIELD(reverse_roots_of_unity);
    FIELD(g1_values_monomial);
    FIELD(g1_values_lagrange_brp);
    FIELD(g2_values_monomial);
    FIELD(x_ext_fft_columns);
    FIELD(tables);
    FIELD(wbits);
    FIELD(scratch_size);
    printf("FR_ZERO %d, FR_ONE %d, G1_IDENTITY %d\n", fr_equal(&FR_ZERO, &FR_ONE), fr_is_one(&FR_ONE),
           G1_IDENTITY.z.l[0] == 0);
}

static void functions(void) {
    FUNCTION(C_KZG_RET, load_trusted_setup, KZGSettings *, const uint8_t *, uint64_t, const uint8_t *,
             uint64_t, const uint8_t *, uint64_t, uint64_t);
    FUNCTION(C_KZG_RET, load_trusted_setup_file, KZGSettings *, FILE *, uint64_t);
    FUNCTION(void, free_trusted_setup, KZGSettings *);
    FUNCTION(C_KZG_RET, blob_to_kzg_commitment, KZGCommitment *, const Blob *, const KZGSettings *);
    FUNCTION(C_KZG_RET, compute_kzg_proof, KZGProof *, Bytes32 *, const Blob *, const Bytes32 *,
             const KZGSettings *);
    FUNCTION(C_KZG_RET, compute_blob_kzg_proof, KZGProof *, const Blob *, const Bytes48 *,
             const KZGSettings *);
    FUNCTION(C_KZG_RET, verify_kzg_proof, bool *, const Bytes48 *, const Bytes32 *, const Bytes32 *,
             const Bytes48 *, const KZGSettings *);
    FUNCTION(C_KZG_RET, verify_blob_kzg_proof, bool *, const Blob *, const Bytes48 *, const Bytes48 *,
             const KZGSettings *);
    FUNCTION(C_KZG_RET, verify_blob_kzg_proof_batch, bool *, const Blob *, const Bytes48 *, const Bytes48 *,
             uint64_t, const KZGSettings *);
    FUNCTION(void, compute_challenge, fr_t *, const Blob *, const g1_t *);
    FUNCTION(C_KZG_RET, compute_cells_and_kzg_proofs, Cell *, KZGProof *, const Blob *, const KZGSettings *);
    FUNCTION(C_KZG_RET, recover_cells_and_kzg_proofs, Cell *, KZGProof *, const uint64_t *, const Cell *,
             uint64_t, const KZGSettings *);
    FUNCTION(C_KZG_RET, verify_cell_kzg_proof_batch, bool *, const Bytes48 *, const uint64_t *, const Cell *,
             const Bytes48 *, uint64_t, const KZGSettings *);
    FUNCTION(C_KZG_RET, compute_verify_cell_kzg_proof_batch_challenge, fr_t *, const Bytes48 *, uint64_t,
             const uint64_t *, const uint64_t *, const Cell *, const Bytes48 *, uint64_t);
    FUNCTION(void, bytes_from_uint64, uint8_t[8], uint64_t);
    FUNCTION(void, bytes_from_g1, Bytes48 *, const g1_t *);
    FUNCTION(void, bytes_from_bls_field, Bytes32 *, const fr_t *);
    FUNCTION(C_KZG_RET, bytes_to_bls_field, fr_t *, const Bytes32 *);
    FUNCTION(C_KZG_RET, bytes_to_kzg_commitment, g1_t *, const Bytes48 *);
    FUNCTION(C_KZG_RET, bytes_to_kzg_proof, g1_t *, const Bytes48 *);
    FUNCTION(void, hash_to_bls_field, fr_t *, const Bytes32 *);
    FUNCTION(C_KZG_RET, blob_to_polynomial, fr_t *, const Blob *);
    FUNCTION(void, print_bytes32, const Bytes32 *);
    FUNCTION(void, print_bytes48, const Bytes48 *);
    FUNCTION(void, print_blob, const Blob *);
    FUNCTION(void, print_cell, const Cell *);
    FUNCTION(void, print_fr, const fr_t *);
    FUNCTION(void, print_g1, const g1_t *);
    FUNCTION(bool, fr_equal, const fr_t *, const fr_t *);
    FUNCTION(bool, fr_is_one, const fr_t *);
    FUNCTION(void, fr_add, fr_t *, const fr_t *, const fr_t *);
    FUNCTION(void, fr_sub, fr_t *, const fr_t *, const fr_t *);
    FUNCTION(void, fr_mul, fr_t *, const fr_t *, const fr_t *);
    FUNCTION(void, fr_neg, fr_t *, const fr_t *);
    FUNCTION(void, fr_inv, fr_t *, const fr_t *);
    FUNCTION(void, fr_div, fr_t *, const fr_t *, const fr_t *);
    FUNCTION(void, fr_pow, fr_t *, const fr_t *, uint64_t);
    FUNCTION(void, fr_from_uint64, fr_t *, uint64_t);
    FUNCTION(void, g1_add, g1_t *, const g1_t *, const g1_t *);
    FUNCTION(void, g1_sub, g1_t *, const g1_t *, const g1_t *);
    FUNCTION(void, g1_mul, g1_t *, const g1_t *, const fr_t *);
}

int main(void) {
    sizes();
    functions();
    return 0;
}
