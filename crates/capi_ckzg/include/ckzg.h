/*
 * ckzg.h: the functions of c-kzg-4844, version 2.1, in libparcrypt_ckzg.
 *
 * Names, argument order, structs and return codes are the same as in c-kzg-4844, so that a program that
 * includes its ckzg.h can include this one, and a program that was compiled with its header can be linked
 * with this library. This header needs no other, not even blst's. Where blst.h is included before this
 * header, blst's types replace the same types with other names.
 *
 * Differences:
 *
 * - Errors that make c-kzg crash are reported: a null pointer, or settings that are zeros or were freed,
 *   give C_KZG_BADARGS, and functions without a result do nothing. Numbers of elements that exceed the
 *   memory give C_KZG_MALLOC.
 * - recover_cells_and_kzg_proofs: cells that do not lie on one polynomial give C_KZG_BADARGS. c-kzg does not
 *   check this, and returns cells that match no polynomial.
 * - load_trusted_setup: points outside the subgroup, and points that are not the powers of one secret, are
 *   C_KZG_BADARGS. c-kzg accepts them. Mainnet's setup is recognised and loads at once.
 * - compute_verify_cell_kzg_proof_batch_challenge: an index of a commitment or of a cell that is out of range
 *   is C_KZG_BADARGS. c-kzg hashes it.
 * - Arithmetic: a g1_t that is not on the curve counts as infinity, an fr_t that is not below the modulus as
 *   0. c-kzg computes with the given values.
 * - precompute: tables may take as much memory as c-kzg's for the same number, and the largest take less:
 *   docs/explanation/kzg.md#tables has the sizes.
 * - KZGSettings: `tables` is null and `scratch_size` 0; the points of `x_ext_fft_columns` have the same
 *   values in other coordinates. See below.
 *
 * The environment variable PARCRYPT_BACKEND chooses backends; without it, the best of this machine compute.
 * PARCRYPT_SHADOW, such as "1/1000", has a share of the calls computed a second time and compared. Both are
 * read when a setup is loaded; an invalid value is C_KZG_BADARGS.
 *
 * As in c-kzg, everything runs on the caller's thread, settings may be used by several threads at once, and
 * the functions are not for secret data. A bug of the library is C_KZG_ERROR and never ends the process.
 */
#ifndef PARCRYPT_CKZG_H
#define PARCRYPT_CKZG_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Sizes ----------------------------------------------------------------------- */

/** The number of bits of a field element. */
#define BITS_PER_FIELD_ELEMENT 255
/** The length of a field element, in bytes. */
#define BYTES_PER_FIELD_ELEMENT 32
/** The length of a commitment, in bytes. */
#define BYTES_PER_COMMITMENT 48
/** The length of a proof, in bytes. */
#define BYTES_PER_PROOF 48
/** The number of field elements of a blob. */
#define FIELD_ELEMENTS_PER_BLOB 4096
/** The length of a blob, in bytes. */
#define BYTES_PER_BLOB (FIELD_ELEMENTS_PER_BLOB * BYTES_PER_FIELD_ELEMENT)
/** The base-2 logarithm of the factor by which a blob is extended. */
#define LOG_EXPANSION_FACTOR 1
/** The number of field elements of an extended blob. */
#define FIELD_ELEMENTS_PER_EXT_BLOB (FIELD_ELEMENTS_PER_BLOB << LOG_EXPANSION_FACTOR)
/** The number of field elements of a cell. */
#define FIELD_ELEMENTS_PER_CELL 64
/** The length of a cell, in bytes. */
#define BYTES_PER_CELL (FIELD_ELEMENTS_PER_CELL * BYTES_PER_FIELD_ELEMENT)
/** The number of cells of a blob without its extension. */
#define CELLS_PER_BLOB (FIELD_ELEMENTS_PER_BLOB / FIELD_ELEMENTS_PER_CELL)
/** The number of cells of an extended blob. */
#define CELLS_PER_EXT_BLOB (FIELD_ELEMENTS_PER_EXT_BLOB / FIELD_ELEMENTS_PER_CELL)

/* --- Types ----------------------------------------------------------------------- */

/** The result of a call. */
typedef enum {
    /** Success. */
    C_KZG_OK = 0,
    /** An argument is not valid. */
    C_KZG_BADARGS,
    /** A bug of the library. */
    C_KZG_ERROR,
    /** Not enough memory. */
    C_KZG_MALLOC,
} C_KZG_RET;

#ifdef __BLST_H__
typedef blst_fr fr_t;
typedef blst_p1 g1_t;
typedef blst_p2 g2_t;
typedef blst_p1_affine ckzg_table_t;
#else
/** A field element: 4 words, least significant first, times 2^256 modulo r. blst's blst_fr. */
typedef struct {
    uint64_t l[4];
} fr_t;
/** An element of the field of 381 bits: 6 words, least significant first, times 2^384 modulo p. blst's
 * blst_fp. */
typedef struct {
    uint64_t l[6];
} ckzg_fp_t;
/** A point of G1 in Jacobian coordinates. blst's blst_p1. */
typedef struct {
    ckzg_fp_t x, y, z;
} g1_t;
/** A point of G2 in Jacobian coordinates. blst's blst_p2. */
typedef struct {
    ckzg_fp_t x[2], y[2], z[2];
} g2_t;
/** The entries of a table. */
typedef struct ckzg_table_t ckzg_table_t;
#endif

/** 32 bytes, such as a field element. */
typedef struct {
    uint8_t bytes[32];
} Bytes32;
/** 48 bytes, such as a commitment or a proof. */
typedef struct {
    uint8_t bytes[48];
} Bytes48;
/** A blob. */
typedef struct {
    uint8_t bytes[BYTES_PER_BLOB];
} Blob;
/** A cell. */
typedef struct {
    uint8_t bytes[BYTES_PER_CELL];
} Cell;
/** A commitment. */
typedef Bytes48 KZGCommitment;
/** A proof. */
typedef Bytes48 KZGProof;

/**
 * A trusted setup. It is filled by load_trusted_setup() or load_trusted_setup_file(), need not be initialised
 * before, and is emptied by free_trusted_setup().
 *
 * The struct may be moved and copied; a copy refers to the same setup, so free only one of them, and use no
 * copy after that. Freeing a struct twice, or one of zeros, does nothing. A struct that was neither filled
 * nor zeroed, or that a program filled itself, must not be passed to any other function. Fields are
 * read-only.
 */
typedef struct {
    /** The 8193 powers of the root of unity of order 8192; the first and the last are 1. */
    fr_t *roots_of_unity;
    /** The first 8192 powers, in bit-reversed order. */
    fr_t *brp_roots_of_unity;
    /** All 8193 powers, from the last to the first. */
    fr_t *reverse_roots_of_unity;
    /** The powers of the secret in G1: 4096 points. */
    g1_t *g1_values_monomial;
    /** The Lagrange polynomials at the secret in G1, each at the index with the bits in reverse: 4096 points.
     */
    g1_t *g1_values_lagrange_brp;
    /** The powers of the secret in G2: 65 points. */
    g2_t *g2_values_monomial;
    /** The points by which FK20 multiplies a polynomial: 128 arrays of 64 points. */
    g1_t **x_ext_fft_columns;
    /** Always null: this library's tables are of another kind. */
    ckzg_table_t **tables;
    /** The value of `precompute`. */
    size_t wbits;
    /** Always 0. */
    size_t scratch_size;
} KZGSettings;

/* --- Setup ----------------------------------------------------------------------- */

/**
 * Loads a setup from compressed points.
 *
 * @param[out] out                the setup; zeros on an error
 * @param[in]  g1_monomial_bytes  the powers of the secret in G1, 4096 · 48 bytes
 * @param[in]  g1_lagrange_bytes  the Lagrange polynomials at the secret in G1, in order, 4096 · 48 bytes
 * @param[in]  g2_monomial_bytes  the powers of the secret in G2, 65 · 96 bytes
 * @param[in]  precompute         0 to 15: 0 for no tables, more for tables that take more memory
 */
C_KZG_RET load_trusted_setup(KZGSettings *out, const uint8_t *g1_monomial_bytes,
                             uint64_t num_g1_monomial_bytes, const uint8_t *g1_lagrange_bytes,
                             uint64_t num_g1_lagrange_bytes, const uint8_t *g2_monomial_bytes,
                             uint64_t num_g2_monomial_bytes, uint64_t precompute);

/** Loads a setup from a file in text: 4096, 65, then the points in the Lagrange form, of G2, in the monomial
 * form. */
C_KZG_RET load_trusted_setup_file(KZGSettings *out, FILE *file, uint64_t precompute);

/** Frees a setup and sets it to zeros. Does nothing for null and for zeros. */
void free_trusted_setup(KZGSettings *s);

/* --- EIP-4844 -------------------------------------------------------------------- */

/** Commits to a blob. */
C_KZG_RET blob_to_kzg_commitment(KZGCommitment *out, const Blob *blob, const KZGSettings *s);

/** Evaluates a blob's polynomial at z and proves the value. */
C_KZG_RET compute_kzg_proof(KZGProof *proof_out, Bytes32 *y_out, const Blob *blob, const Bytes32 *z_bytes,
                            const KZGSettings *s);

/** Proves that a commitment is the commitment to a blob. */
C_KZG_RET compute_blob_kzg_proof(KZGProof *out, const Blob *blob, const Bytes48 *commitment_bytes,
                                 const KZGSettings *s);

/** Verifies that the polynomial of a commitment has the value y at z. */
C_KZG_RET verify_kzg_proof(bool *ok, const Bytes48 *commitment_bytes, const Bytes32 *z_bytes,
                           const Bytes32 *y_bytes, const Bytes48 *proof_bytes, const KZGSettings *s);

/** Verifies that a commitment is the commitment to a blob. */
C_KZG_RET verify_blob_kzg_proof(bool *ok, const Blob *blob, const Bytes48 *commitment_bytes,
                                const Bytes48 *proof_bytes, const KZGSettings *s);

/** Verifies n blobs as one batch; true for n = 0. */
C_KZG_RET verify_blob_kzg_proof_batch(bool *ok, const Blob *blobs, const Bytes48 *commitments_bytes,
                                      const Bytes48 *proofs_bytes, uint64_t n, const KZGSettings *s);

/** Computes the challenge at which a blob's proof is computed and verified. */
void compute_challenge(fr_t *eval_challenge_out, const Blob *blob, const g1_t *commitment);

/* --- EIP-7594 -------------------------------------------------------------------- */

/** Computes the 128 cells of a blob, unless `cells` is null, and their proofs, unless `proofs` is null; one
 * of both must not be null. */
C_KZG_RET compute_cells_and_kzg_proofs(Cell *cells, KZGProof *proofs, const Blob *blob, const KZGSettings *s);

/** All 128 cells of a blob from at least 64, with ascending indices; and their proofs unless the pointer is
 * null. */
C_KZG_RET recover_cells_and_kzg_proofs(Cell *recovered_cells, KZGProof *recovered_proofs,
                                       const uint64_t *cell_indices, const Cell *cells, uint64_t num_cells,
                                       const KZGSettings *s);

/** Verifies cells of one blob or of several, each with its blob's commitment; true for no cells. */
C_KZG_RET verify_cell_kzg_proof_batch(bool *ok, const Bytes48 *commitments_bytes,
                                      const uint64_t *cell_indices, const Cell *cells,
                                      const Bytes48 *proofs_bytes, uint64_t num_cells, const KZGSettings *s);

/** The challenge of cells that the specification defines, with whose powers it combines them. (Here
 * verify_cell_kzg_proof_batch() takes other random factors, out of a hash of the same inputs.) */
C_KZG_RET compute_verify_cell_kzg_proof_batch_challenge(fr_t *challenge_out, const Bytes48 *commitments_bytes,
                                                        uint64_t num_commitments,
                                                        const uint64_t *commitment_indices,
                                                        const uint64_t *cell_indices, const Cell *cells,
                                                        const Bytes48 *proofs_bytes, uint64_t num_cells);

/* --- Bytes ----------------------------------------------------------------------- */

/** Writes a number, most significant byte first. */
void bytes_from_uint64(uint8_t out[8], uint64_t n);
/** Writes the compressed form of a point. */
void bytes_from_g1(Bytes48 *out, const g1_t *point);
/** Writes the canonical form of a field element. */
void bytes_from_bls_field(Bytes32 *out, const fr_t *element);
/** Reads a field element, which must be below the modulus. */
C_KZG_RET bytes_to_bls_field(fr_t *out, const Bytes32 *bytes);
/** Reads a commitment, which must be a point of the group. */
C_KZG_RET bytes_to_kzg_commitment(g1_t *out, const Bytes48 *bytes);
/** Reads a proof, which must be a point of the group. */
C_KZG_RET bytes_to_kzg_proof(g1_t *out, const Bytes48 *bytes);
/** Writes the bytes as an integer, modulo r. */
void hash_to_bls_field(fr_t *out, const Bytes32 *bytes);
/** Reads the 4096 field elements of a blob. */
C_KZG_RET blob_to_polynomial(fr_t *polynomial, const Blob *blob);

/** Prints 32 bytes in hexadecimal digits, and a line end. */
void print_bytes32(const Bytes32 *bytes);
/** Prints 48 bytes in hexadecimal digits, and a line end. */
void print_bytes48(const Bytes48 *bytes);
/** Prints a blob, a field element on each line. */
void print_blob(const Blob *blob);
/** Prints a cell, a field element on each line. */
void print_cell(const Cell *cell);
/** Prints the canonical form of a field element, and a line end. */
void print_fr(const fr_t *element);
/** Prints the compressed form of a point, and a line end. */
void print_g1(const g1_t *point);

/* --- Arithmetic ------------------------------------------------------------------ */

/** 0. */
static const fr_t FR_ZERO = {{0, 0, 0, 0}};
/** 1. */
static const fr_t FR_ONE = {{0x00000001fffffffe, 0x5884b7fa00034802, 0x998c4fefecbc4ff5, 0x1824b159acc5056f}};
/** The point at infinity. */
static const g1_t G1_IDENTITY = {{{0}}, {{0}}, {{0}}};

/** Whether a = b. */
bool fr_equal(const fr_t *a, const fr_t *b);
/** Whether a = 1. */
bool fr_is_one(const fr_t *a);
/** a + b. Here and below `out` may be an input. */
void fr_add(fr_t *out, const fr_t *a, const fr_t *b);
/** a - b. */
void fr_sub(fr_t *out, const fr_t *a, const fr_t *b);
/** a · b. */
void fr_mul(fr_t *out, const fr_t *a, const fr_t *b);
/** -a. */
void fr_neg(fr_t *out, const fr_t *a);
/** 1 / a; 0 for 0. */
void fr_inv(fr_t *out, const fr_t *a);
/** a / b; 0 where b is 0. */
void fr_div(fr_t *out, const fr_t *a, const fr_t *b);
/** a to the power of n. */
void fr_pow(fr_t *out, const fr_t *a, uint64_t n);
/** n as a field element. */
void fr_from_uint64(fr_t *out, uint64_t n);
/** a + b. */
void g1_add(g1_t *out, const g1_t *a, const g1_t *b);
/** a - b. */
void g1_sub(g1_t *out, const g1_t *a, const g1_t *b);
/** b · a. */
void g1_mul(g1_t *out, const g1_t *a, const fr_t *b);

#ifdef __cplusplus
}
#endif

#endif
