/*
 * parcrypt.h: KZG commitments of EIP-4844 and EIP-7594, sums of points of BLS12-381, products of
 * polynomials, scrypt, GMAC, VMAC and Rabin-Williams signatures, on the runtime and the threads that the
 * caller chooses.
 *
 *     parcrypt_runtime *rt = NULL;
 *     parcrypt_settings *settings = NULL;
 *     parcrypt_runtime_new("rayon", 0, &rt);
 *     parcrypt_settings_mainnet(NULL, &settings);
 *     parcrypt_status status =
 *         parcrypt_blob_to_kzg_commitment(rt, settings, blob, sizeof blob, commitment);
 *     if (status != PARCRYPT_OK) fprintf(stderr, "%s\n", parcrypt_error_message());
 *
 * Rules for every function:
 *
 * - Arguments come in one order: runtime, settings, inputs, outputs. An input of bytes is a pointer with its
 *   length in bytes, which is checked. Several blobs, cells, commitments or proofs follow one another
 *   without gaps.
 * - No argument ends or corrupts the process, as long as the memory behind the pointers exists: a null
 *   pointer, a wrong length or count, and invalid bytes each have a status. A bug of the library is
 *   PARCRYPT_ERROR_INTERNAL. Only one condition ends the process: that the system refuses a call its working
 *   memory: some MiB for each thread and, in the functions over many items, an amount in proportion to inputs
 *   and outputs. Where there is no memory for what the caller keeps, for the memory of scrypt, or for sums of
 *   many points, the status is PARCRYPT_ERROR_MEMORY.
 * - Outputs are written only on PARCRYPT_OK, except where documented otherwise; they may overlap inputs. A
 *   negative result of a check is not an error: the status is PARCRYPT_OK and the result false. Only
 *   parcrypt_find_wrong_cells() and parcrypt_find_wrong_blobs() return PARCRYPT_ERROR_ITEMS if an item does
 *   not verify.
 * - Every function may be called on any thread, with the same runtime and the same settings on several
 *   threads at once. Free an object only when no call uses it.
 * - The same inputs give the same bytes on every runtime and with every number of threads.
 * - Field elements are 32 bytes, big-endian, below the modulus; commitments and proofs are points of G1 of
 *   BLS12-381 in compressed form. The functions of KZG are not for secret data: the time of a call depends
 *   on its inputs. Those for passwords, keys and messages say what their time depends on.
 */
#ifndef PARCRYPT_H
#define PARCRYPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Sizes ----------------------------------------------------------------------- */

/** The version of this header; parcrypt_version() returns the version of the library. */
#define PARCRYPT_VERSION "0.1.0"

/** The length of a field element, a challenge, an evaluation point or a value, in bytes. */
#define PARCRYPT_BYTES_PER_FIELD_ELEMENT 32
/** The number of field elements of a blob. */
#define PARCRYPT_FIELD_ELEMENTS_PER_BLOB 4096
/** The length of a blob, in bytes. */
#define PARCRYPT_BYTES_PER_BLOB 131072
/** The length of a commitment, in bytes. */
#define PARCRYPT_BYTES_PER_COMMITMENT 48
/** The length of a proof, in bytes. */
#define PARCRYPT_BYTES_PER_PROOF 48
/** The number of field elements of a cell. */
#define PARCRYPT_FIELD_ELEMENTS_PER_CELL 64
/** The length of a cell, in bytes. */
#define PARCRYPT_BYTES_PER_CELL 2048
/** The number of cells of one blob, including its extension. */
#define PARCRYPT_CELLS_PER_EXT_BLOB 128
/** The length of all cells of one blob, in bytes. */
#define PARCRYPT_BYTES_PER_EXT_BLOB 262144
/** The length of the proofs of all cells of one blob, in bytes. */
#define PARCRYPT_BYTES_PER_CELL_PROOFS 6144

/* --- Status ---------------------------------------------------------------------- */

/** The status of a call: one of the constants below. Later versions may have further constants. */
typedef int32_t parcrypt_status;

enum {
    /** Success. */
    PARCRYPT_OK = 0,
    /** A pointer is null, or not aligned for its type. */
    PARCRYPT_ERROR_POINTER = 1,
    /** A length or a count is wrong, or lengths and counts do not match. */
    PARCRYPT_ERROR_LENGTH = 2,
    /** A field element is not below the modulus. */
    PARCRYPT_ERROR_FIELD_ELEMENT = 3,
    /** Bytes are not a point, or the point is outside the subgroup. */
    PARCRYPT_ERROR_POINT = 4,
    /** An index is out of range, or indices are repeated or do not ascend. */
    PARCRYPT_ERROR_INDEX = 5,
    /** Fewer cells than recovery needs. */
    PARCRYPT_ERROR_TOO_FEW_CELLS = 6,
    /** The cells do not lie on one polynomial of a blob's degree. */
    PARCRYPT_ERROR_INCONSISTENT_CELLS = 7,
    /** A trusted setup is damaged or of another kind. */
    PARCRYPT_ERROR_SETUP = 8,
    /** A file cannot be read or written. */
    PARCRYPT_ERROR_FILE = 9,
    /** There is no such runtime, or it cannot have that many threads. */
    PARCRYPT_ERROR_RUNTIME = 10,
    /** Not enough memory. */
    PARCRYPT_ERROR_MEMORY = 11,
    /** Some items of a batch failed; `statuses` has their statuses. */
    PARCRYPT_ERROR_ITEMS = 12,
    /** A bug in the library; please report it with parcrypt_error_message(). */
    PARCRYPT_ERROR_INTERNAL = 13,
    /** There is no such backend, the table has no such row, or this machine cannot run it. */
    PARCRYPT_ERROR_BACKEND = 14,
    /** A parameter is out of its range. */
    PARCRYPT_ERROR_PARAMETER = 15,
    /** A text is not a key of the expected kind. */
    PARCRYPT_ERROR_KEY = 16,
    /** A proof does not verify; only in `statuses`, where a call gives each item a verdict of its own. */
    PARCRYPT_ERROR_PROOF = 20
};

/**
 * Returns the name of a status, such as "PARCRYPT_ERROR_LENGTH"; "unknown status" for any other number.
 * Static; never null.
 */
const char *parcrypt_status_name(parcrypt_status status);

/**
 * Returns the error message of this thread's last call that returns a status: the argument, the expected and
 * the actual value, the index. Empty after PARCRYPT_OK. For PARCRYPT_ERROR_ITEMS it describes the first item
 * that failed.
 *
 * @return UTF-8 with a zero byte at its end; never null. Valid until this thread's next call that returns a
 * status.
 */
const char *parcrypt_error_message(void);

/** Returns the version of the library, such as "0.1.0". Static; never null. */
const char *parcrypt_version(void);

/* --- Runtimes -------------------------------------------------------------------- */

/** A runtime for the work: a kind and a number of threads. */
typedef struct parcrypt_runtime parcrypt_runtime;

/**
 * Creates a runtime. Work that is too small for threads to pay runs on the caller's thread.
 *
 * @param[in]  kind     "serial", "rayon" (a pool of threads of its own) or "openmp" (where this build has it)
 * @param[in]  threads  how many threads work at once, the caller's included, up to 1024; 0: as many as this
 *                      process may
 *                      use, by its affinity and its cgroup's quota (1 for "serial")
 * @param[out] runtime  the runtime, to be freed by parcrypt_runtime_free(); null on an error
 * @return PARCRYPT_OK; PARCRYPT_ERROR_RUNTIME for an unknown kind, one that this build lacks, or threads that
 *         cannot be
 *         had
 */
parcrypt_status parcrypt_runtime_new(const char *kind, size_t threads, parcrypt_runtime **runtime);

/** Frees a runtime and ends its threads. Does nothing for null. */
void parcrypt_runtime_free(parcrypt_runtime *runtime);

/** Returns the number of threads that work at once; 0 for null. */
size_t parcrypt_runtime_threads(const parcrypt_runtime *runtime);

/* --- Settings: the trusted setup ------------------------------------------------- */

/**
 * A trusted setup and the points derived from it. It is created once and then shared.
 *
 * Each function that creates settings takes a request for the backends of their tables of arithmetic: "fp"
 * (points; "blst", "avx2", which adds four points at once, or "avx512" and "ifma" with eight), "fr"
 * (polynomials; "blst", "avx2" and "avx-ifma", four elements at once, or "avx512" and "ifma", eight),
 * "pairing" ("blst", "avx2" or "ifma") and "sha256" (challenges; "sha2", "sha-ni", which hashes two blobs at
 * once, or "avx512", which hashes sixteen). The request is
 *
 *     NULL or ""               the best of each table that this machine can run
 *     "baseline"               the first of each table, which runs on every machine
 *     "ifma"                   this backend in the tables that have it, the best in the others
 *     "fp=blst,sha256=sha2"    one for each table that is named, the best in the others
 *
 * An unknown backend, or one that this machine cannot run, is PARCRYPT_ERROR_BACKEND; there is no fallback.
 * Every backend gives the same bytes.
 * No variable of the environment is read.
 */
typedef struct parcrypt_settings parcrypt_settings;

/**
 * Creates settings of mainnet's setup, which is part of the library, without tables.
 *
 * @param[in]  backends  the request for backends; may be null
 * @param[out] settings  the settings, to be freed by parcrypt_settings_free(); null on an error
 */
parcrypt_status parcrypt_settings_mainnet(const char *backends, parcrypt_settings **settings);

/**
 * Creates settings from a setup in c-kzg's text format, in the JSON format of the consensus specifications,
 * or in Parcrypt's binary format; the first bytes determine the format.
 *
 * Text is checked completely: points, their subgroups, and that they are the powers of one secret in both
 * groups. The binary format has been checked in this way when it was written; its checksum detects damage,
 * and its points are checked to be on their curves. So read it only from a source that you would trust with
 * a program.
 *
 * @param[in]  backends       the request for backends; may be null
 * @param[in]  bytes, length  the contents of the file
 * @param[out] settings       the settings, to be freed by parcrypt_settings_free(); null on an error
 * @return PARCRYPT_OK; PARCRYPT_ERROR_SETUP for other bytes
 */
parcrypt_status parcrypt_settings_from_bytes(const parcrypt_runtime *runtime, const char *backends,
                                             const uint8_t *bytes, size_t length,
                                             parcrypt_settings **settings);

/**
 * Creates settings as parcrypt_settings_from_bytes(), from a file. Outside of Unix, paths are UTF-8 in
 * all functions.
 *
 * @param[in]  backends  the request for backends; may be null
 * @param[in]  path      the path of the file, of at most 16 MiB, with a zero byte at its end
 * @param[out] settings  the settings, to be freed by parcrypt_settings_free(); null on an error
 * @return as parcrypt_settings_from_bytes(); PARCRYPT_ERROR_FILE for a file that cannot be read, or is
 *         not a regular file
 */
parcrypt_status parcrypt_settings_from_file(const parcrypt_runtime *runtime, const char *backends,
                                            const char *path, parcrypt_settings **settings);

/**
 * Returns the backend of each table of the settings, such as "fp=ifma,fr=ifma,pairing=ifma,sha256=avx512",
 * which is also a request; an empty text for null. Valid until the settings are freed; never null.
 */
const char *parcrypt_settings_backends(const parcrypt_settings *settings);

/** The size of tables and the time to build or read them. */
typedef struct {
    /** The memory of those for commitments and proofs of blobs, in bytes. */
    uint64_t lagrange_bytes;
    /** The memory of those for proofs of cells, in bytes. */
    uint64_t fk20_bytes;
    /** The time that it took to make them, in nanoseconds. */
    uint64_t nanoseconds;
} parcrypt_table_report;

/**
 * Builds tables of multiples of the setup's points, which make commitments, proofs, cells with proofs and
 * recovery with proofs faster. The results are unchanged. It replaces existing tables, and waits for calls
 * that use the settings.
 *
 * @param[in,out] settings    the settings
 * @param[in]     budget_mib  the most memory that the tables may take, in MiB: docs/explanation/kzg.md#tables
 *                            has the sizes that they have then
 * @param[out]    report      size and time of the tables; may be null
 */
parcrypt_status parcrypt_settings_build_tables(const parcrypt_runtime *runtime, parcrypt_settings *settings,
                                               size_t budget_mib, parcrypt_table_report *report);

/** Frees settings. Does nothing for null. */
void parcrypt_settings_free(parcrypt_settings *settings);

/* --- EIP-4844 -------------------------------------------------------------------- */

/**
 * Commits to a blob.
 *
 * @param[in]  blob, blob_length  PARCRYPT_BYTES_PER_BLOB bytes
 * @param[out] commitment         PARCRYPT_BYTES_PER_COMMITMENT bytes
 */
parcrypt_status parcrypt_blob_to_kzg_commitment(const parcrypt_runtime *runtime,
                                                const parcrypt_settings *settings, const uint8_t *blob,
                                                size_t blob_length,
                                                uint8_t commitment[PARCRYPT_BYTES_PER_COMMITMENT]);

/**
 * Evaluates a blob's polynomial at z and proves the value.
 *
 * @param[in]  blob, blob_length  PARCRYPT_BYTES_PER_BLOB bytes
 * @param[in]  z, z_length        a field element
 * @param[out] proof              PARCRYPT_BYTES_PER_PROOF bytes
 * @param[out] y                  the value, a field element
 */
parcrypt_status parcrypt_compute_kzg_proof(const parcrypt_runtime *runtime, const parcrypt_settings *settings,
                                           const uint8_t *blob, size_t blob_length, const uint8_t *z,
                                           size_t z_length, uint8_t proof[PARCRYPT_BYTES_PER_PROOF],
                                           uint8_t y[PARCRYPT_BYTES_PER_FIELD_ELEMENT]);

/**
 * Proves that a commitment is the commitment to a blob, which is not checked.
 *
 * @param[in]  blob, blob_length              PARCRYPT_BYTES_PER_BLOB bytes
 * @param[in]  commitment, commitment_length  PARCRYPT_BYTES_PER_COMMITMENT bytes
 * @param[out] proof                          PARCRYPT_BYTES_PER_PROOF bytes
 */
parcrypt_status parcrypt_compute_blob_kzg_proof(const parcrypt_runtime *runtime,
                                                const parcrypt_settings *settings, const uint8_t *blob,
                                                size_t blob_length, const uint8_t *commitment,
                                                size_t commitment_length,
                                                uint8_t proof[PARCRYPT_BYTES_PER_PROOF]);

/**
 * Verifies that the polynomial of a commitment has the value y at z.
 *
 * @param[in]  commitment, commitment_length  PARCRYPT_BYTES_PER_COMMITMENT bytes
 * @param[in]  z, z_length                    a field element
 * @param[in]  y, y_length                    a field element
 * @param[in]  proof, proof_length            PARCRYPT_BYTES_PER_PROOF bytes
 * @param[out] ok                             whether the proof verifies
 */
parcrypt_status parcrypt_verify_kzg_proof(const parcrypt_runtime *runtime, const parcrypt_settings *settings,
                                          const uint8_t *commitment, size_t commitment_length,
                                          const uint8_t *z, size_t z_length, const uint8_t *y,
                                          size_t y_length, const uint8_t *proof, size_t proof_length,
                                          bool *ok);

/**
 * Verifies that a commitment is the commitment to a blob.
 *
 * @param[in]  blob, blob_length              PARCRYPT_BYTES_PER_BLOB bytes
 * @param[in]  commitment, commitment_length  PARCRYPT_BYTES_PER_COMMITMENT bytes
 * @param[in]  proof, proof_length            PARCRYPT_BYTES_PER_PROOF bytes
 * @param[out] ok                             whether the proof verifies
 */
parcrypt_status parcrypt_verify_blob_kzg_proof(const parcrypt_runtime *runtime,
                                               const parcrypt_settings *settings, const uint8_t *blob,
                                               size_t blob_length, const uint8_t *commitment,
                                               size_t commitment_length, const uint8_t *proof,
                                               size_t proof_length, bool *ok);

/**
 * Verifies many blobs as one batch, which costs less than one by one. There is one result for all; it is
 * true for no blobs.
 *
 * @param[in]  blobs, blobs_length              n · PARCRYPT_BYTES_PER_BLOB bytes
 * @param[in]  commitments, commitments_length  n · PARCRYPT_BYTES_PER_COMMITMENT bytes
 * @param[in]  proofs, proofs_length            n · PARCRYPT_BYTES_PER_PROOF bytes
 * @param[out] ok                               whether all proofs verify
 */
parcrypt_status parcrypt_verify_blob_kzg_proof_batch(const parcrypt_runtime *runtime,
                                                     const parcrypt_settings *settings, const uint8_t *blobs,
                                                     size_t blobs_length, const uint8_t *commitments,
                                                     size_t commitments_length, const uint8_t *proofs,
                                                     size_t proofs_length, bool *ok);

/* --- EIP-7594 -------------------------------------------------------------------- */

/**
 * Computes the cells of a blob, without proofs.
 *
 * @param[in]  blob, blob_length  PARCRYPT_BYTES_PER_BLOB bytes
 * @param[out] cells              PARCRYPT_BYTES_PER_EXT_BLOB bytes
 */
parcrypt_status parcrypt_compute_cells(const parcrypt_runtime *runtime, const parcrypt_settings *settings,
                                       const uint8_t *blob, size_t blob_length,
                                       uint8_t cells[PARCRYPT_BYTES_PER_EXT_BLOB]);

/**
 * Computes the cells of a blob and a proof for each.
 *
 * @param[in]  blob, blob_length  PARCRYPT_BYTES_PER_BLOB bytes
 * @param[out] cells              PARCRYPT_BYTES_PER_EXT_BLOB bytes
 * @param[out] proofs             PARCRYPT_BYTES_PER_CELL_PROOFS bytes
 */
parcrypt_status parcrypt_compute_cells_and_kzg_proofs(const parcrypt_runtime *runtime,
                                                      const parcrypt_settings *settings, const uint8_t *blob,
                                                      size_t blob_length,
                                                      uint8_t cells[PARCRYPT_BYTES_PER_EXT_BLOB],
                                                      uint8_t proofs[PARCRYPT_BYTES_PER_CELL_PROOFS]);

/**
 * Recovers all cells of a blob from at least half of them, and computes a proof for each.
 *
 * @param[in]  cell_indices, cell_indices_count  the indices of the cells, ascending; a count, not a length in
 *                                               bytes
 * @param[in]  cells, cells_length               cell_indices_count · PARCRYPT_BYTES_PER_CELL bytes
 * @param[out] recovered_cells                   PARCRYPT_BYTES_PER_EXT_BLOB bytes
 * @param[out] recovered_proofs                  PARCRYPT_BYTES_PER_CELL_PROOFS bytes
 */
parcrypt_status
parcrypt_recover_cells_and_kzg_proofs(const parcrypt_runtime *runtime, const parcrypt_settings *settings,
                                      const uint64_t *cell_indices, size_t cell_indices_count,
                                      const uint8_t *cells, size_t cells_length,
                                      uint8_t recovered_cells[PARCRYPT_BYTES_PER_EXT_BLOB],
                                      uint8_t recovered_proofs[PARCRYPT_BYTES_PER_CELL_PROOFS]);

/**
 * Verifies cells of one blob or of several. There is one result for all; it is true for no cells.
 *
 * @param[in]  commitments, commitments_length   n · PARCRYPT_BYTES_PER_COMMITMENT bytes: of each cell its
 *                                               blob's
 * @param[in]  cell_indices, cell_indices_count  n indices; a count, not a length in bytes
 * @param[in]  cells, cells_length               n · PARCRYPT_BYTES_PER_CELL bytes
 * @param[in]  proofs, proofs_length             n · PARCRYPT_BYTES_PER_PROOF bytes
 * @param[out] ok                                whether all proofs verify
 */
parcrypt_status parcrypt_verify_cell_kzg_proof_batch(const parcrypt_runtime *runtime,
                                                     const parcrypt_settings *settings,
                                                     const uint8_t *commitments, size_t commitments_length,
                                                     const uint64_t *cell_indices, size_t cell_indices_count,
                                                     const uint8_t *cells, size_t cells_length,
                                                     const uint8_t *proofs, size_t proofs_length, bool *ok);

/**
 * Verifies cells and finds those that are wrong: each cell has the verdict that it has in a call of its own.
 * Malformed cells do not affect the others. If all are right, a call takes as long as
 * parcrypt_verify_cell_kzg_proof_batch(); one wrong cell of hundreds is found in 3 to 4 times that.
 *
 * @param[in]  commitments, commitments_length   count · PARCRYPT_BYTES_PER_COMMITMENT bytes: of each cell its
 *                                               blob's
 * @param[in]  cell_indices, cell_indices_count  count indices
 * @param[in]  cells, cells_length               count · PARCRYPT_BYTES_PER_CELL bytes
 * @param[in]  proofs, proofs_length             count · PARCRYPT_BYTES_PER_PROOF bytes
 * @param[out] statuses, count                   of each cell PARCRYPT_OK, PARCRYPT_ERROR_PROOF if its proof
 *                                               does not verify, or the error of its bytes; written also with
 *                                               PARCRYPT_ERROR_ITEMS
 * @return PARCRYPT_OK if all proofs verify; PARCRYPT_ERROR_ITEMS if a cell is wrong
 */
parcrypt_status parcrypt_find_wrong_cells(const parcrypt_runtime *runtime, const parcrypt_settings *settings,
                                          const uint8_t *commitments, size_t commitments_length,
                                          const uint64_t *cell_indices, size_t cell_indices_count,
                                          const uint8_t *cells, size_t cells_length, const uint8_t *proofs,
                                          size_t proofs_length, parcrypt_status *statuses, size_t count);

/**
 * Verifies blobs and finds those that are wrong, as parcrypt_find_wrong_cells() does for
 * cells.
 *
 * @param[in]  blobs, blobs_length              count · PARCRYPT_BYTES_PER_BLOB bytes
 * @param[in]  commitments, commitments_length  count · PARCRYPT_BYTES_PER_COMMITMENT bytes
 * @param[in]  proofs, proofs_length            count · PARCRYPT_BYTES_PER_PROOF bytes
 * @param[out] statuses, count                  of each blob, as for cells
 * @return PARCRYPT_OK if all proofs verify; PARCRYPT_ERROR_ITEMS if a blob is wrong
 */
parcrypt_status parcrypt_find_wrong_blobs(const parcrypt_runtime *runtime, const parcrypt_settings *settings,
                                          const uint8_t *blobs, size_t blobs_length,
                                          const uint8_t *commitments, size_t commitments_length,
                                          const uint8_t *proofs, size_t proofs_length,
                                          parcrypt_status *statuses, size_t count);

/* --- Cells as they come ----------------------------------------------------------- */

/**
 * The commitments of some blobs, which are read once, to verify cells of these blobs as they come. It keeps
 * no cells. All functions may be called on several threads at once, with the same verifier. Free a verifier
 * only when no call uses it.
 */
typedef struct parcrypt_cell_verifier parcrypt_cell_verifier;

/**
 * Creates a verifier, and reads the commitments.
 *
 * @param[in]  commitments, commitments_length  m · PARCRYPT_BYTES_PER_COMMITMENT bytes
 * @param[out] verifier  the verifier, to be freed by parcrypt_cell_verifier_free(); null on an error
 * @return PARCRYPT_OK; PARCRYPT_ERROR_POINT for bytes that are not a commitment
 */
parcrypt_status parcrypt_cell_verifier_new(const parcrypt_runtime *runtime, const parcrypt_settings *settings,
                                           const uint8_t *commitments, size_t commitments_length,
                                           parcrypt_cell_verifier **verifier);

/**
 * Verifies cells as one batch. Cells of one column take least time.
 *
 * @param[in]  settings             settings of the setup with which the verifier was created
 * @param[in]  commitment_indices   count indices, each below m
 * @param[in]  cell_indices         count indices
 * @param[in]  cells, cells_length  count · PARCRYPT_BYTES_PER_CELL bytes
 * @param[in]  proofs, proofs_length  count · PARCRYPT_BYTES_PER_PROOF bytes
 * @param[in]  count                the number of cells
 * @param[out] ok                   whether all are right; true for a count of 0
 * @return PARCRYPT_OK; PARCRYPT_ERROR_SETUP for settings of another setup
 */
parcrypt_status
parcrypt_cell_verifier_verify(const parcrypt_runtime *runtime, const parcrypt_settings *settings,
                              const parcrypt_cell_verifier *verifier, const uint64_t *commitment_indices,
                              const uint64_t *cell_indices, const uint8_t *cells, size_t cells_length,
                              const uint8_t *proofs, size_t proofs_length, size_t count, bool *ok);

/** Frees a verifier. Does nothing for null. */
void parcrypt_cell_verifier_free(parcrypt_cell_verifier *verifier);

/* --- Many blobs, and some cells --------------------------------------------------- */

/*
 * The work is divided among the blobs, and inside a blob where sizes allow. `count` is the number of blobs;
 * all lengths must match it. Each blob has a status of its own in `statuses`, and an invalid blob does not
 * affect the others: the outputs of failed blobs are zeros. The call returns PARCRYPT_OK if all blobs
 * succeed, PARCRYPT_ERROR_ITEMS if some fail; with any other status nothing is written. With a count of 0
 * nothing is done and pointers may be null.
 *
 * `columns` are the indices of the cells that are computed of each blob: they ascend and are below 128, else
 * the status is PARCRYPT_ERROR_INDEX. For a null pointer with a count of 0 they are all 128. With k columns,
 * `cells` has count · k · PARCRYPT_BYTES_PER_CELL bytes and `proofs` count · k · PARCRYPT_BYTES_PER_PROOF,
 * blob after blob; a null pointer with a length of 0 leaves them out, which takes less time.
 */

/**
 * Computes cells of each of `count` blobs, their proofs, or both.
 *
 * @param[in]  blobs, blobs_length     count · PARCRYPT_BYTES_PER_BLOB bytes
 * @param[in]  columns, columns_count  the indices of the cells; a count, not a length in bytes
 * @param[out] cells, cells_length     the cells
 * @param[out] proofs, proofs_length   their proofs
 * @param[out] statuses, count         the status of each blob
 */
parcrypt_status parcrypt_compute_wanted(const parcrypt_runtime *runtime, const parcrypt_settings *settings,
                                        const uint8_t *blobs, size_t blobs_length, const uint64_t *columns,
                                        size_t columns_count, uint8_t *cells, size_t cells_length,
                                        uint8_t *proofs, size_t proofs_length, parcrypt_status *statuses,
                                        size_t count);

/**
 * Recovers cells of each of `count` blobs, their proofs, or both, from at least half of all cells.
 *
 * @param[in]  cells_per_blob                    the number of given cells of each blob; `count` numbers, n
 *                                               their sum
 * @param[in]  cell_indices, cell_indices_count  n indices, blob after blob, ascending in each
 * @param[in]  given_cells, given_cells_length   n · PARCRYPT_BYTES_PER_CELL bytes, in the order of the
 *                                               indices
 * @param[in]  columns, columns_count            the indices of the cells to recover of each blob
 * @param[out] cells, cells_length               the cells
 * @param[out] proofs, proofs_length             their proofs
 * @param[out] statuses, count                   the status of each blob
 */
parcrypt_status parcrypt_recover_wanted(const parcrypt_runtime *runtime, const parcrypt_settings *settings,
                                        const size_t *cells_per_blob, const uint64_t *cell_indices,
                                        size_t cell_indices_count, const uint8_t *given_cells,
                                        size_t given_cells_length, const uint64_t *columns,
                                        size_t columns_count, uint8_t *cells, size_t cells_length,
                                        uint8_t *proofs, size_t proofs_length, parcrypt_status *statuses,
                                        size_t count);

/* --- scrypt ---------------------------------------------------------------------- */

/**
 * Derives a key from a password (RFC 7914). The lanes run on the threads of the runtime and in vectors, as
 * many at once as the memory allows. The places in memory that it reads depend on the password, as the RFC
 * has it.
 *
 * @param[in]  n, r, p                    the cost, a power of two below 2^(16 r); the size of blocks; the
 *                                        number of lanes
 * @param[in]  max_memory                 the most memory in bytes; a lane takes 128 · n · r
 * @param[in]  password, password_length  the password; may be empty
 * @param[in]  salt, salt_length          the salt; may be empty
 * @param[out] key, key_length            the key, of at least 1 byte; unchanged on an error
 * @return PARCRYPT_OK; PARCRYPT_ERROR_PARAMETER for n, r or p out of range; PARCRYPT_ERROR_MEMORY if a lane
 *         needs more than max_memory, or the system does not give it; PARCRYPT_ERROR_LENGTH for a key of 0
 *         bytes
 */
parcrypt_status parcrypt_scrypt(const parcrypt_runtime *runtime, uint64_t n, uint32_t r, uint32_t p,
                                uint64_t max_memory, const uint8_t *password, size_t password_length,
                                const uint8_t *salt, size_t salt_length, uint8_t *key, size_t key_length);

/**
 * Derives a key like parcrypt_scrypt(), and accepts an n of 2^(16 r) and above, which RFC 7914 excludes. Some
 * files have such an n, for example the test vector of Ethereum's key files: n = 2^18 with r = 1.
 *
 * @return as parcrypt_scrypt()
 */
parcrypt_status parcrypt_scrypt_allow_n_beyond_rfc(const parcrypt_runtime *runtime, uint64_t n, uint32_t r,
                                                   uint32_t p, uint64_t max_memory, const uint8_t *password,
                                                   size_t password_length, const uint8_t *salt,
                                                   size_t salt_length, uint8_t *key, size_t key_length);

/* --- GMAC and VMAC --------------------------------------------------------------- */

/*
 * A nonce must be used once under a key. The time of a call depends on the lengths of its inputs alone.
 */

/** The length of a tag of GMAC, in bytes. */
#define PARCRYPT_BYTES_PER_GMAC 16

/**
 * Computes the GMAC of a message (NIST SP 800-38D).
 *
 * @param[in]  key, key_length          16, 24 or 32 bytes
 * @param[in]  nonce, nonce_length      at least 1 byte, usually 12
 * @param[in]  message, message_length  the message; may be empty
 * @param[out] tag                      PARCRYPT_BYTES_PER_GMAC bytes
 * @return PARCRYPT_OK; PARCRYPT_ERROR_LENGTH for another length of the key or the nonce
 */
parcrypt_status parcrypt_gmac(const parcrypt_runtime *runtime, const uint8_t *key, size_t key_length,
                              const uint8_t *nonce, size_t nonce_length, const uint8_t *message,
                              size_t message_length, uint8_t tag[PARCRYPT_BYTES_PER_GMAC]);

/**
 * Verifies the GMAC of a message, in a time that does not depend on where tags differ.
 *
 * @param[in]  key, key_length, nonce, nonce_length, message, message_length  as of parcrypt_gmac()
 * @param[in]  tag, tag_length  PARCRYPT_BYTES_PER_GMAC bytes
 * @param[out] ok               whether it is the tag of the message
 */
parcrypt_status parcrypt_verify_gmac(const parcrypt_runtime *runtime, const uint8_t *key, size_t key_length,
                                     const uint8_t *nonce, size_t nonce_length, const uint8_t *message,
                                     size_t message_length, const uint8_t *tag, size_t tag_length, bool *ok);

/**
 * Computes the VMAC of a message (draft-krovetz-vmac-01).
 *
 * @param[in]  key, key_length          16, 24 or 32 bytes
 * @param[in]  nonce, nonce_length      1 to 16 bytes; with 16 the first bit must be 0
 * @param[in]  message, message_length  the message; may be empty
 * @param[out] tag, tag_length          8 or 16 bytes
 * @return PARCRYPT_OK; PARCRYPT_ERROR_LENGTH for another length; PARCRYPT_ERROR_PARAMETER for a nonce of 16
 *         bytes whose first bit is 1
 */
parcrypt_status parcrypt_vmac(const parcrypt_runtime *runtime, const uint8_t *key, size_t key_length,
                              const uint8_t *nonce, size_t nonce_length, const uint8_t *message,
                              size_t message_length, uint8_t *tag, size_t tag_length);

/**
 * Verifies the VMAC of a message, in a time that does not depend on where tags differ.
 *
 * @param[in]  key, key_length, nonce, nonce_length, message, message_length  as of parcrypt_vmac()
 * @param[in]  tag, tag_length  8 or 16 bytes
 * @param[out] ok               whether it is the tag of the message
 */
parcrypt_status parcrypt_verify_vmac(const parcrypt_runtime *runtime, const uint8_t *key, size_t key_length,
                                     const uint8_t *nonce, size_t nonce_length, const uint8_t *message,
                                     size_t message_length, const uint8_t *tag, size_t tag_length, bool *ok);

/* --- Sums of points -------------------------------------------------------------- */

/** Points of G1 of BLS12-381 whose multiples are added again and again. */
typedef struct parcrypt_points parcrypt_points;

/**
 * Reads points for parcrypt_points_msm().
 *
 * @param[in]  points, points_length  the points in compressed form, PARCRYPT_BYTES_PER_COMMITMENT bytes each;
 *                                    may be none, and may be equal or the point at infinity
 * @param[in]  tables_mib             the most memory in MiB for multiples of the points, with which sums take
 *                                    less time, but at least 144 bytes a point are taken; 0 for none
 * @param[out] out                    the points, to be freed by parcrypt_points_free(); null on an error
 * @return PARCRYPT_OK; PARCRYPT_ERROR_LENGTH; PARCRYPT_ERROR_POINT for bytes that are not a point of the
 *         subgroup of order r, with its index in the message; PARCRYPT_ERROR_MEMORY where the system has none
 * for the points or their multiples
 */
parcrypt_status parcrypt_points_new(const parcrypt_runtime *runtime, const uint8_t *points,
                                    size_t points_length, size_t tables_mib, parcrypt_points **out);

/** Frees points. Does nothing for null. */
void parcrypt_points_free(parcrypt_points *points);

/**
 * Computes the sum of multiples of points (multi-scalar multiplication). Not for secret scalars: the time of
 * the call depends on them.
 *
 * @param[in]  scalars, scalars_length  a field element for each point
 * @param[out] sum                      PARCRYPT_BYTES_PER_COMMITMENT bytes, compressed
 * @return PARCRYPT_OK; PARCRYPT_ERROR_LENGTH for another number of scalars; PARCRYPT_ERROR_FIELD_ELEMENT for
 *         one that is not below the modulus, with its index in the message; PARCRYPT_ERROR_MEMORY where the
 *         system has none for digits of the scalars, some 300 bytes each
 */
parcrypt_status parcrypt_points_msm(const parcrypt_runtime *runtime, const parcrypt_points *points,
                                    const uint8_t *scalars, size_t scalars_length,
                                    uint8_t sum[PARCRYPT_BYTES_PER_COMMITMENT]);

/* --- Products of polynomials ------------------------------------------------------ */

/**
 * A ring of polynomials of n coefficients modulo a prime q, where X^n is 1 or -1. The rings of ML-KEM (3329,
 * 256, negacyclic) and ML-DSA (8380417, 256, negacyclic) have kernels of their own.
 */
typedef struct parcrypt_ring parcrypt_ring;

/**
 * Creates a ring.
 *
 * @param[in]  modulus     the prime q, below 2^31; q - 1 must have enough factors of 2 for a transform
 * @param[in]  n           the number of coefficients, a power of two, at most 65536
 * @param[in]  negacyclic  whether X^n is -1; otherwise it is 1
 * @param[out] ring        the ring, to be freed by parcrypt_ring_free(); null on an error
 * @return PARCRYPT_OK; PARCRYPT_ERROR_PARAMETER for a modulus or a number that does not fit
 */
parcrypt_status parcrypt_ring_new(uint32_t modulus, size_t n, bool negacyclic, parcrypt_ring **ring);

/** Frees a ring. Does nothing for null. */
void parcrypt_ring_free(parcrypt_ring *ring);

/**
 * Computes products of polynomials by the number-theoretic transform. Its time does not depend on the
 * coefficients.
 *
 * @param[in]  a, b      count polynomials each, of n coefficients below the modulus, from the lowest power
 * on, one polynomial after another
 * @param[out] products  count polynomials: those of a times those of b; may be a or b
 * @param[in]  count     the number of products
 * @return PARCRYPT_OK; PARCRYPT_ERROR_FIELD_ELEMENT for a coefficient that is not below the modulus
 */
parcrypt_status parcrypt_ring_products(const parcrypt_runtime *runtime, const parcrypt_ring *ring,
                                       const uint32_t *a, const uint32_t *b, uint32_t *products,
                                       size_t count);

/**
 * A matrix of polynomials in the ring of ML-KEM or of ML-DSA, which is kept transformed for products by many
 * vectors. Its memory is not overwritten when it is freed.
 */
typedef struct parcrypt_matrix parcrypt_matrix;

/**
 * Creates a matrix.
 *
 * @param[in]  ring           the ring of ML-KEM or of ML-DSA, which is not needed afterwards
 * @param[in]  rows, columns  the shape
 * @param[in]  transformed    whether the entries are transforms, in the order of FIPS 203, algorithm 9, or
 *                            FIPS 204, algorithm 41, such as those that both schemes sample from a seed;
 *                            otherwise they are polynomials
 * @param[in]  entries        rows times columns entries, one row after another, each of 256 numbers below the
 *                            modulus
 * @param[out] matrix         the matrix, to be freed by parcrypt_matrix_free(); null on an error
 * @return PARCRYPT_OK; PARCRYPT_ERROR_PARAMETER for another ring; PARCRYPT_ERROR_FIELD_ELEMENT for a number
 *         that is not below the modulus; PARCRYPT_ERROR_LENGTH for more entries than memory has room for;
 *         PARCRYPT_ERROR_MEMORY where the system has none
 */
parcrypt_status parcrypt_matrix_new(const parcrypt_ring *ring, size_t rows, size_t columns, bool transformed,
                                    const uint32_t *entries, parcrypt_matrix **matrix);

/** Frees a matrix. Does nothing for null. */
void parcrypt_matrix_free(parcrypt_matrix *matrix);

/**
 * Computes the product of a matrix by a vector. Its time does not depend on the coefficients.
 *
 * @param[in]  vector   a polynomial for each column, of 256 coefficients below the modulus, from the lowest
 *                      power on, one polynomial after another
 * @param[out] product  a polynomial for each row; may be the vector, in memory with room for both
 * @return PARCRYPT_OK; PARCRYPT_ERROR_FIELD_ELEMENT for a coefficient that is not below the modulus;
 *         PARCRYPT_ERROR_LENGTH if the vector or the product does not fit memory, as a matrix without entries
 *         may ask; PARCRYPT_ERROR_MEMORY where the system has none
 */
parcrypt_status parcrypt_matrix_product(const parcrypt_runtime *runtime, const parcrypt_matrix *matrix,
                                        const uint32_t *vector, uint32_t *product);

/* --- Rabin-Williams signatures ---------------------------------------------------- */

/** A key that signs. Its memory is overwritten when it is freed. */
typedef struct parcrypt_rw_secret_key parcrypt_rw_secret_key;

/** A key that verifies. */
typedef struct parcrypt_rw_public_key parcrypt_rw_public_key;

/**
 * Creates a key with random bytes of the system. 2048 bits take some 50 ms, 4096 half a second.
 *
 * @param[in]  bits  the bits of the modulus: 1024 (too few for security) to 16384, a multiple of 128
 * @param[out] key   the key, to be freed by parcrypt_rw_secret_key_free(); null on an error
 * @return PARCRYPT_OK; PARCRYPT_ERROR_PARAMETER for other bits
 */
parcrypt_status parcrypt_rw_generate(const parcrypt_runtime *runtime, size_t bits,
                                     parcrypt_rw_secret_key **key);

/**
 * Reads a key that signs from PEM, and checks that it is one.
 *
 * @param[in]  pem  the text of parcrypt_rw_secret_key_to_pem()
 * @param[out] key  the key, to be freed by parcrypt_rw_secret_key_free(); null on an error
 * @return PARCRYPT_OK; PARCRYPT_ERROR_KEY for another text
 */
parcrypt_status parcrypt_rw_secret_key_from_pem(const parcrypt_runtime *runtime, const char *pem,
                                                parcrypt_rw_secret_key **key);

/**
 * Writes a key that signs in PEM, with the label RABIN WILLIAMS PRIVATE KEY. It is not encrypted.
 *
 * @param[out] pem       the text, with a zero byte at its end; may be null where capacity is too small, as 0
 * is
 * @param[in]  capacity  the bytes that pem has room for
 * @param[out] size      the bytes of the text and its zero byte; also set on PARCRYPT_ERROR_LENGTH
 * @return PARCRYPT_OK; PARCRYPT_ERROR_LENGTH for a capacity that is too small
 */
parcrypt_status parcrypt_rw_secret_key_to_pem(const parcrypt_rw_secret_key *key, char *pem, size_t capacity,
                                              size_t *size);

/** Overwrites and frees a key. Does nothing for null. */
void parcrypt_rw_secret_key_free(parcrypt_rw_secret_key *key);

/**
 * Creates the key that verifies the signatures of another.
 *
 * @param[out] key  the key, to be freed by parcrypt_rw_public_key_free(); null on an error
 */
parcrypt_status parcrypt_rw_public_key_of(const parcrypt_rw_secret_key *secret, parcrypt_rw_public_key **key);

/**
 * Reads a key that verifies from PEM.
 *
 * @param[in]  pem  the text of parcrypt_rw_public_key_to_pem()
 * @param[out] key  the key, to be freed by parcrypt_rw_public_key_free(); null on an error
 * @return PARCRYPT_OK; PARCRYPT_ERROR_KEY for another text
 */
parcrypt_status parcrypt_rw_public_key_from_pem(const char *pem, parcrypt_rw_public_key **key);

/**
 * Writes a key that verifies in PEM, with the label RABIN WILLIAMS PUBLIC KEY; arguments and errors are those
 * of parcrypt_rw_secret_key_to_pem().
 */
parcrypt_status parcrypt_rw_public_key_to_pem(const parcrypt_rw_public_key *key, char *pem, size_t capacity,
                                              size_t *size);

/** Frees a key. Does nothing for null. */
void parcrypt_rw_public_key_free(parcrypt_rw_public_key *key);

/** Returns the length of a signature in bytes, one more than the modulus has; 0 for null. */
size_t parcrypt_rw_signature_length(const parcrypt_rw_public_key *key);

/**
 * Signs messages, each of which has one signature under a key. One message is signed on two threads where
 * that pays, several each on one.
 *
 * @param[in]  messages_bytes, messages_length  the messages, one after another
 * @param[in]  message_lengths                  the length of each; they add up to messages_length
 * @param[out] signatures, signatures_length    count signatures, one after another
 * @param[in]  count                            the number of messages
 * @return PARCRYPT_OK; PARCRYPT_ERROR_LENGTH for lengths that do not match
 */
parcrypt_status parcrypt_rw_sign_many(const parcrypt_runtime *runtime, const parcrypt_rw_secret_key *key,
                                      const uint8_t *messages_bytes, size_t messages_length,
                                      const size_t *message_lengths, uint8_t *signatures,
                                      size_t signatures_length, size_t count);

/**
 * Verifies signatures.
 *
 * @param[in]  messages_bytes, messages_length, message_lengths  as of parcrypt_rw_sign_many()
 * @param[in]  signatures, signatures_length                     count signatures, one after another
 * @param[out] ok                                                for each whether it is the signature of its
 *                                                               message
 * @param[in]  count                                             the number of messages
 * @return PARCRYPT_OK; PARCRYPT_ERROR_LENGTH for lengths that do not match
 */
parcrypt_status parcrypt_rw_verify_many(const parcrypt_runtime *runtime, const parcrypt_rw_public_key *key,
                                        const uint8_t *messages_bytes, size_t messages_length,
                                        const size_t *message_lengths, const uint8_t *signatures,
                                        size_t signatures_length, bool *ok, size_t count);

#ifdef __cplusplus
}
#endif

#endif
