/*
 * ckzg.h: the functions of c-kzg-4844, version 2.1, as libparcrypt_ckzg has them.
 *
 * Names, argument order, structs and return codes are those of c-kzg-4844, so that a program which includes
 * its ckzg.h can include this one, and a program that was compiled with its header can be linked with this
 * library. This header stands alone: it needs no blst. Who includes blst.h, before this header, gets blst's
 * types in place of the same ones with other names.
 *
 * What is different:
 *
 * - What c-kzg leaves to its caller and answers with a crash is refused: a null pointer, or settings that are
 *   zeros or were freed, are C_KZG_BADARGS, and functions that return nothing do nothing. Numbers of elements
 *   that no memory holds are C_KZG_MALLOC.
 * - recover_cells_and_kzg_proofs: cells that do not lie on one polynomial are C_KZG_BADARGS. c-kzg does not
 *   look and returns cells that fit none.
 * - load_trusted_setup: points outside the subgroup, and points that are not the powers of one secret, are
 *   C_KZG_BADARGS. c-kzg takes them. Mainnet's setup is recognised and loads at once.
 * - compute_verify_cell_kzg_proof_batch_challenge: an index of a commitment or of a cell that is out of range
 *   is C_KZG_BADARGS. c-kzg hashes it.
 * - Arithmetic: a g1_t that is not on the curve counts as infinity, an fr_t that is not below the modulus as
 *   0. c-kzg computes on with what is there.
 * - precompute: tables may take as much memory as c-kzg's take for the same number, which is 96 MiB for 8;
 *   they never need more than 40 MiB.
 * - KZGSettings: `tables` is null and `scratch_size` 0; the points of `x_ext_fft_columns` have the same
 *   values in other coordinates. See below.
 *
 * Points are computed by the best backend of this machine ("ifma" or "blst"); environment variables are not
 * read.
 *
 * As in c-kzg, everything runs on the caller's thread, settings may be used by several threads at once, and
 * nothing is meant for secret data. A mistake inside the library is C_KZG_ERROR and never ends the process.
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

/** The bits of a field element. */
#define BITS_PER_FIELD_ELEMENT 255
/** A field element, in bytes. */
#define BYTES_PER_FIELD_ELEMENT 32
/** A commitment, in bytes. */
#define BYTES_PER_COMMITMENT 48
/** A proof, in bytes. */
#define BYTES_PER_PROOF 48
/** A blob has that many field elements. */
#define FIELD_ELEMENTS_PER_BLOB 4096
/** A blob, in bytes. */
#define BYTES_PER_BLOB (FIELD_ELEMENTS_PER_BLOB * BYTES_PER_FIELD_ELEMENT)
/** An extended blob has 2 to that power times the elements of a blob. */
#define LOG_EXPANSION_FACTOR 1
/** An extended blob has that many field elements. */
#define FIELD_ELEMENTS_PER_EXT_BLOB (FIELD_ELEMENTS_PER_BLOB << LOG_EXPANSION_FACTOR)
/** A cell has that many field elements. */
#define FIELD_ELEMENTS_PER_CELL 64
/** A cell, in bytes. */
#define BYTES_PER_CELL (FIELD_ELEMENTS_PER_CELL * BYTES_PER_FIELD_ELEMENT)
/** The cells that a blob's own elements fill. */
#define CELLS_PER_BLOB (FIELD_ELEMENTS_PER_BLOB / FIELD_ELEMENTS_PER_CELL)
/** The cells of an extended blob. */
#define CELLS_PER_EXT_BLOB (FIELD_ELEMENTS_PER_EXT_BLOB / FIELD_ELEMENTS_PER_CELL)

/* --- Types ----------------------------------------------------------------------- */

/** How a call ended. */
typedef enum {
    /** Done. */
    C_KZG_OK = 0,
    /** An argument is not valid. */
    C_KZG_BADARGS,
    /** A mistake inside the library. */
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
/** What a table is made of. */
typedef struct ckzg_table_t ckzg_table_t;
#endif

/** 32 bytes, perhaps a field element. */
typedef struct {
    uint8_t bytes[32];
} Bytes32;
/** 48 bytes, perhaps a commitment or a proof. */
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
 * The struct may be moved and copied; a copy stands for the same setup, so free only one of them, and use
 * no copy after that. To free a struct twice, or one of zeros, does nothing. A struct that was neither
 * filled nor zeroed, or that a program filled itself, must not be passed to any other function. Fields are to
 * be read only.
 */
typedef struct {
    /** The powers of the root of unity of order 8192; 8193 of them, the first and the last are 1. */
    fr_t *roots_of_unity;
    /** The first 8192 of them, each at the index with the bits in reverse. */
    fr_t *brp_roots_of_unity;
    /** All 8193 of them, from the last to the first. */
    fr_t *reverse_roots_of_unity;
    /** The powers of the secret in G1: 4096 points. */
    g1_t *g1_values_monomial;
    /** The Lagrange polynomials at the secret in G1, each at the index with the bits in reverse: 4096 points.
     */
    g1_t *g1_values_lagrange_brp;
    /** The powers of the secret in G2: 65 points. */
    g2_t *g2_values_monomial;
    /** What FK20 multiplies a polynomial with: 128 arrays of 64 points. */
    g1_t **x_ext_fft_columns;
    /** Always null: this library's tables are of another kind. */
    ckzg_table_t **tables;
    /** `precompute`, as it was given. */
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

/** Frees a setup and leaves zeros. Nothing for null and for zeros. */
void free_trusted_setup(KZGSettings *s);

/* --- EIP-4844 -------------------------------------------------------------------- */

/** Commits to a blob. */
C_KZG_RET blob_to_kzg_commitment(KZGCommitment *out, const Blob *blob, const KZGSettings *s);

/** Evaluates a blob's polynomial at z and proves the value. */
C_KZG_RET compute_kzg_proof(KZGProof *proof_out, Bytes32 *y_out, const Blob *blob, const Bytes32 *z_bytes,
                            const KZGSettings *s);

/** Proves that a commitment is that of a blob. */
C_KZG_RET compute_blob_kzg_proof(KZGProof *out, const Blob *blob, const Bytes48 *commitment_bytes,
                                 const KZGSettings *s);

/** Checks that the polynomial of a commitment has the value y at z. */
C_KZG_RET verify_kzg_proof(bool *ok, const Bytes48 *commitment_bytes, const Bytes32 *z_bytes,
                           const Bytes32 *y_bytes, const Bytes48 *proof_bytes, const KZGSettings *s);

/** Checks that a commitment is that of a blob. */
C_KZG_RET verify_blob_kzg_proof(bool *ok, const Blob *blob, const Bytes48 *commitment_bytes,
                                const Bytes48 *proof_bytes, const KZGSettings *s);

/** Checks n blobs at once; true for none. */
C_KZG_RET verify_blob_kzg_proof_batch(bool *ok, const Blob *blobs, const Bytes48 *commitments_bytes,
                                      const Bytes48 *proofs_bytes, uint64_t n, const KZGSettings *s);

/** The challenge at which a blob's proof is made and checked. */
void compute_challenge(fr_t *eval_challenge_out, const Blob *blob, const g1_t *commitment);

/* --- EIP-7594 -------------------------------------------------------------------- */

/** The 128 cells of a blob, unless `cells` is null, and their proofs, unless `proofs` is; not both may be. */
C_KZG_RET compute_cells_and_kzg_proofs(Cell *cells, KZGProof *proofs, const Blob *blob, const KZGSettings *s);

/** All 128 cells of a blob from at least 64, with ascending indices; and their proofs unless the pointer is
 * null. */
C_KZG_RET recover_cells_and_kzg_proofs(Cell *recovered_cells, KZGProof *recovered_proofs,
                                       const uint64_t *cell_indices, const Cell *cells, uint64_t num_cells,
                                       const KZGSettings *s);

/** Checks cells of one blob or of many, each with its blob's commitment; true for none. */
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
/** The compressed form of a point. */
void bytes_from_g1(Bytes48 *out, const g1_t *point);
/** The canonical form of a field element. */
void bytes_from_bls_field(Bytes32 *out, const fr_t *element);
/** Reads a field element, which must be below the modulus. */
C_KZG_RET bytes_to_bls_field(fr_t *out, const Bytes32 *bytes);
/** Reads a commitment, which must be a point of the group. */
C_KZG_RET bytes_to_kzg_commitment(g1_t *out, const Bytes48 *bytes);
/** Reads a proof, which must be a point of the group. */
C_KZG_RET bytes_to_kzg_proof(g1_t *out, const Bytes48 *bytes);
/** The bytes as an integer, modulo r. */
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
