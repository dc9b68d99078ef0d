/*
 * The functions of parcrypt.h with good inputs on every runtime, and with every input that must be refused.
 *
 *     api FOLDER     writes files into FOLDER
 */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <parcrypt.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOB PARCRYPT_BYTES_PER_BLOB
#define CELL PARCRYPT_BYTES_PER_CELL
#define CELLS PARCRYPT_CELLS_PER_EXT_BLOB
#define EXT PARCRYPT_BYTES_PER_EXT_BLOB
#define PROOFS PARCRYPT_BYTES_PER_CELL_PROOFS
#define COUNT 3

static int failures = 0;

static void fail(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: %s (%s)\n", file, line, what, parcrypt_error_message());
    failures++;
}

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            fail(__FILE__, __LINE__, #condition);                                                            \
    } while (0)

/** Checks the status of a call, and that there is a message where it is not success. */
#define ENDS(status, call)                                                                                   \
    do {                                                                                                     \
        CHECK((call) == (status));                                                                           \
        CHECK((parcrypt_error_message()[0] == 0) == ((status) == PARCRYPT_OK));                              \
    } while (0)

#define OK(call) ENDS(PARCRYPT_OK, call)
#define NO_POINTER(call) ENDS(PARCRYPT_ERROR_POINTER, call)
#define NO_LENGTH(call) ENDS(PARCRYPT_ERROR_LENGTH, call)

/** Checks that the last message contains this text. */
#define SAYS(text) CHECK(strstr(parcrypt_error_message(), text) != NULL)

/** Inputs, and their results. */
typedef struct {
    uint8_t blobs[COUNT * BLOB];
    uint8_t z[32], y[32], value_proof[48];
    uint8_t commitments[COUNT * 48], proofs[COUNT * 48];
    uint8_t cells[COUNT * EXT], cell_proofs[COUNT * PROOFS];
    uint64_t indices[COUNT * CELLS], rows[COUNT * CELLS];
    size_t per_blob[COUNT];
    uint8_t cell_commitments[COUNT * CELLS * 48];
    parcrypt_status statuses[COUNT];
} Data;

static void *get(size_t size) {
    void *memory = calloc(1, size);
    if (memory == NULL)
        exit(2);
    return memory;
}

static Data *make_data(void) {
    Data *d = get(sizeof(Data));
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof d->blobs; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        /* The first byte of an element is below 0x73. */
        d->blobs[i] = (uint8_t)(i % 32 == 0 ? (state >> 56) % 0x73 : state >> 56);
    }
    memcpy(d->z, d->blobs + 32, 32);
    for (uint64_t i = 0; i < COUNT * CELLS; i++) {
        d->indices[i] = i % CELLS;
        d->rows[i] = i / CELLS;
    }
    for (size_t i = 0; i < COUNT; i++) {
        d->per_blob[i] = CELLS;
    }
    return d;
}

static bool is_filled(const void *memory, size_t length, uint8_t byte) {
    const uint8_t *bytes = memory;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] != byte)
            return false;
    }
    return true;
}

/** Computes the results of all blobs at once. */
static void compute(const parcrypt_runtime *rt, const parcrypt_settings *s, Data *d) {
    for (size_t i = 0; i < COUNT; i++) {
        uint8_t *blob = d->blobs + i * BLOB, *commitment = d->commitments + 48 * i;
        OK(parcrypt_blob_to_kzg_commitment(rt, s, blob, BLOB, commitment));
        OK(parcrypt_compute_blob_kzg_proof(rt, s, blob, BLOB, commitment, 48, d->proofs + 48 * i));
    }
    OK(parcrypt_compute_wanted(rt, s, d->blobs, sizeof d->blobs, NULL, 0, d->cells, sizeof d->cells,
                               d->cell_proofs, sizeof d->cell_proofs, d->statuses, COUNT));
    CHECK(is_filled(d->statuses, sizeof d->statuses, 0));
    OK(parcrypt_compute_kzg_proof(rt, s, d->blobs, BLOB, d->z, 32, d->value_proof, d->y));
    for (size_t i = 0; i < COUNT * CELLS; i++) {
        memcpy(d->cell_commitments + i * 48, d->commitments + i / CELLS * 48, 48);
    }
}

/** Checks all functions with good inputs, one by one and many at once: they have the results of `d`. */
static void agrees(const parcrypt_runtime *rt, const parcrypt_settings *s, const Data *d) {
    bool ok = false;
    Data *r = get(sizeof(Data));
    memset(r, 0xaa, sizeof *r);
    for (size_t i = 0; i < COUNT; i++) {
        const uint8_t *blob = d->blobs + i * BLOB;
        const uint8_t *commitment = d->commitments + 48 * i, *proof = d->proofs + 48 * i;
        OK(parcrypt_blob_to_kzg_commitment(rt, s, blob, BLOB, r->commitments + 48 * i));
        OK(parcrypt_compute_blob_kzg_proof(rt, s, blob, BLOB, commitment, 48, r->proofs + 48 * i));
        OK(parcrypt_verify_blob_kzg_proof(rt, s, blob, BLOB, commitment, 48, proof, 48, &ok));
        CHECK(ok);
        OK(parcrypt_compute_cells(rt, s, blob, BLOB, r->cells + i * EXT));
    }
    CHECK(memcmp(r->commitments, d->commitments, sizeof d->commitments) == 0);
    CHECK(memcmp(r->proofs, d->proofs, sizeof d->proofs) == 0);
    CHECK(memcmp(r->cells, d->cells, sizeof d->cells) == 0);
    OK(parcrypt_compute_cells_and_kzg_proofs(rt, s, d->blobs, BLOB, r->cells, r->cell_proofs));
    CHECK(memcmp(r->cells, d->cells, EXT) == 0 && memcmp(r->cell_proofs, d->cell_proofs, PROOFS) == 0);
    OK(parcrypt_compute_kzg_proof(rt, s, d->blobs, BLOB, d->z, 32, r->value_proof, r->y));
    CHECK(memcmp(r->value_proof, d->value_proof, 48) == 0 && memcmp(r->y, d->y, 32) == 0);
    OK(parcrypt_verify_kzg_proof(rt, s, d->commitments, 48, d->z, 32, d->y, 32, d->value_proof, 48, &ok));
    CHECK(ok);
    OK(parcrypt_verify_kzg_proof(rt, s, d->commitments, 48, d->y, 32, d->z, 32, d->value_proof, 48, &ok));
    CHECK(!ok);

    /* Batches are true for no items, and false where one proof is wrong. */
    for (size_t n = 0; n <= COUNT; n++) {
        ok = false;
        OK(parcrypt_verify_blob_kzg_proof_batch(rt, s, d->blobs, n * BLOB, d->commitments, n * 48, d->proofs,
                                                n * 48, &ok));
        CHECK(ok);
        ok = false;
        OK(parcrypt_verify_cell_kzg_proof_batch(rt, s, d->cell_commitments, n * 48, d->indices, n, d->cells,
                                                n * CELL, d->cell_proofs, n * 48, &ok));
        CHECK(ok);
    }
    OK(parcrypt_verify_blob_kzg_proof_batch(rt, s, d->blobs, 2 * BLOB, d->commitments, 96, d->proofs + 48, 96,
                                            &ok));
    CHECK(!ok);
    OK(parcrypt_verify_cell_kzg_proof_batch(rt, s, d->cell_commitments, 96, d->indices, 2, d->cells, 2 * CELL,
                                            d->cell_proofs + 48, 96, &ok));
    CHECK(!ok);
    OK(parcrypt_verify_cell_kzg_proof_batch(rt, s, d->cell_commitments, sizeof d->cell_commitments,
                                            d->indices, COUNT * CELLS, d->cells, sizeof d->cells,
                                            d->cell_proofs, sizeof d->cell_proofs, &ok));
    CHECK(ok);

    /* Each cell and blob has a verdict of its own. */
    static parcrypt_status each[COUNT * CELLS];
    memcpy(r, d, sizeof *r);
#define WHICH(n)                                                                                             \
    parcrypt_find_wrong_cells(rt, s, r->cell_commitments, (n)*48, r->indices, n, r->cells, (n)*CELL,         \
                              r->cell_proofs, (n)*48, each, n)
    memset(each, 0xaa, sizeof each);
    OK(WHICH(COUNT * CELLS));
    CHECK(is_filled(each, sizeof each, 0));
    OK(WHICH((size_t)0));
    memset(r->cells + 3 * CELL, 0xff, 32);
    r->cells[5 * CELL + 40] ^= 1;
    memset(r->cell_proofs + 7 * 48, 0, 48);
    r->indices[9] = CELLS;
    memset(each, 0xaa, sizeof each);
    CHECK(WHICH((size_t)CELLS) == PARCRYPT_ERROR_ITEMS);
    CHECK(strstr(parcrypt_error_message(), "4 of the items are wrong, the first: cell 3: field element 0") !=
          NULL);
    for (size_t i = 0; i < CELLS; i++) {
        parcrypt_status expected = i == 3   ? PARCRYPT_ERROR_FIELD_ELEMENT
                                   : i == 5 ? PARCRYPT_ERROR_PROOF
                                   : i == 7 ? PARCRYPT_ERROR_POINT
                                   : i == 9 ? PARCRYPT_ERROR_INDEX
                                            : PARCRYPT_OK;
        CHECK(each[i] == expected);
    }
    OK(parcrypt_find_wrong_blobs(rt, s, d->blobs, sizeof d->blobs, d->commitments, sizeof d->commitments,
                                 d->proofs, sizeof d->proofs, each, COUNT));
    CHECK(is_filled(each, COUNT * sizeof each[0], 0));
    CHECK(parcrypt_find_wrong_blobs(rt, s, d->blobs, 2 * BLOB, d->commitments, 96, d->proofs + 48, 96, each,
                                    2) == PARCRYPT_ERROR_ITEMS);
    CHECK(each[0] == PARCRYPT_ERROR_PROOF && each[1] == PARCRYPT_ERROR_PROOF);

    /* Recovery, from halves of different kinds. */
    memset(r, 0xaa, sizeof *r);
    OK(parcrypt_recover_cells_and_kzg_proofs(rt, s, d->indices + 60, 68, d->cells + 60 * CELL, 68 * CELL,
                                             r->cells, r->cell_proofs));
    CHECK(memcmp(r->cells, d->cells, EXT) == 0 && memcmp(r->cell_proofs, d->cell_proofs, PROOFS) == 0);

    /* Many blobs. Cells and proofs of two are many too, and take the time. */
    OK(parcrypt_compute_wanted(rt, s, d->blobs, sizeof d->blobs, NULL, 0, r->cells, sizeof r->cells, NULL, 0,
                               r->statuses, COUNT));
    CHECK(memcmp(r->cells, d->cells, sizeof d->cells) == 0);
    CHECK(is_filled(r->statuses, sizeof r->statuses, 0));
    memset(r, 0xaa, sizeof *r);
    OK(parcrypt_recover_wanted(rt, s, d->per_blob, d->indices, COUNT * CELLS, d->cells, sizeof d->cells, NULL,
                               0, r->cells, sizeof r->cells, NULL, 0, r->statuses, COUNT));
    CHECK(memcmp(r->cells, d->cells, sizeof d->cells) == 0);
    memset(r, 0xaa, sizeof *r);
    OK(parcrypt_recover_wanted(rt, s, d->per_blob, d->indices, 2 * CELLS, d->cells, 2 * EXT, NULL, 0,
                               r->cells, 2 * EXT, r->cell_proofs, 2 * PROOFS, r->statuses, 2));
    CHECK(memcmp(r->cells, d->cells, 2 * EXT) == 0);
    CHECK(memcmp(r->cell_proofs, d->cell_proofs, 2 * PROOFS) == 0);
    free(r);
}

/** Passes a null pointer for each argument. A length that belongs to it stays. */
static void nulls(parcrypt_runtime *rt, parcrypt_settings *s, const Data *d) {
    Data *o = get(sizeof(Data));
    parcrypt_runtime *new_rt = rt;
    parcrypt_settings *new_s = s;
    bool ok;
    uint8_t *out = o->blobs;

    NO_POINTER(parcrypt_runtime_new(NULL, 1, &new_rt));
    CHECK(new_rt == NULL);
    NO_POINTER(parcrypt_runtime_new("serial", 1, NULL));
    parcrypt_runtime_free(NULL);
    CHECK(parcrypt_runtime_threads(NULL) == 0);
    NO_POINTER(parcrypt_settings_mainnet(NULL, NULL));
    NO_POINTER(parcrypt_settings_from_bytes(NULL, NULL, d->z, 32, &new_s));
    CHECK(new_s == NULL);
    NO_POINTER(parcrypt_settings_from_bytes(rt, NULL, NULL, 32, &new_s));
    NO_POINTER(parcrypt_settings_from_bytes(rt, NULL, d->z, 32, NULL));
    NO_POINTER(parcrypt_settings_from_file(NULL, NULL, "x", &new_s));
    NO_POINTER(parcrypt_settings_from_file(rt, NULL, NULL, &new_s));
    NO_POINTER(parcrypt_settings_from_file(rt, NULL, "x", NULL));
    NO_POINTER(parcrypt_settings_build_tables(NULL, s, 1, NULL));
    NO_POINTER(parcrypt_settings_build_tables(rt, NULL, 1, NULL));
    parcrypt_settings_free(NULL);

    const uint8_t *blob = d->blobs, *c = d->commitments, *p = d->proofs, *cells = d->cells;
    const uint64_t *indices = d->indices;
    NO_POINTER(parcrypt_blob_to_kzg_commitment(NULL, s, blob, BLOB, out));
    NO_POINTER(parcrypt_blob_to_kzg_commitment(rt, NULL, blob, BLOB, out));
    NO_POINTER(parcrypt_blob_to_kzg_commitment(rt, s, NULL, BLOB, out));
    NO_POINTER(parcrypt_blob_to_kzg_commitment(rt, s, blob, BLOB, NULL));
    NO_POINTER(parcrypt_compute_kzg_proof(NULL, s, blob, BLOB, d->z, 32, out, o->y));
    NO_POINTER(parcrypt_compute_kzg_proof(rt, NULL, blob, BLOB, d->z, 32, out, o->y));
    NO_POINTER(parcrypt_compute_kzg_proof(rt, s, NULL, BLOB, d->z, 32, out, o->y));
    NO_POINTER(parcrypt_compute_kzg_proof(rt, s, blob, BLOB, NULL, 32, out, o->y));
    NO_POINTER(parcrypt_compute_kzg_proof(rt, s, blob, BLOB, d->z, 32, NULL, o->y));
    NO_POINTER(parcrypt_compute_kzg_proof(rt, s, blob, BLOB, d->z, 32, out, NULL));
    NO_POINTER(parcrypt_compute_blob_kzg_proof(NULL, s, blob, BLOB, c, 48, out));
    NO_POINTER(parcrypt_compute_blob_kzg_proof(rt, NULL, blob, BLOB, c, 48, out));
    NO_POINTER(parcrypt_compute_blob_kzg_proof(rt, s, NULL, BLOB, c, 48, out));
    NO_POINTER(parcrypt_compute_blob_kzg_proof(rt, s, blob, BLOB, NULL, 48, out));
    NO_POINTER(parcrypt_compute_blob_kzg_proof(rt, s, blob, BLOB, c, 48, NULL));
    NO_POINTER(parcrypt_verify_kzg_proof(NULL, s, c, 48, d->z, 32, d->y, 32, p, 48, &ok));
    NO_POINTER(parcrypt_verify_kzg_proof(rt, NULL, c, 48, d->z, 32, d->y, 32, p, 48, &ok));
    NO_POINTER(parcrypt_verify_kzg_proof(rt, s, NULL, 48, d->z, 32, d->y, 32, p, 48, &ok));
    NO_POINTER(parcrypt_verify_kzg_proof(rt, s, c, 48, NULL, 32, d->y, 32, p, 48, &ok));
    NO_POINTER(parcrypt_verify_kzg_proof(rt, s, c, 48, d->z, 32, NULL, 32, p, 48, &ok));
    NO_POINTER(parcrypt_verify_kzg_proof(rt, s, c, 48, d->z, 32, d->y, 32, NULL, 48, &ok));
    NO_POINTER(parcrypt_verify_kzg_proof(rt, s, c, 48, d->z, 32, d->y, 32, p, 48, NULL));
    NO_POINTER(parcrypt_verify_blob_kzg_proof(NULL, s, blob, BLOB, c, 48, p, 48, &ok));
    NO_POINTER(parcrypt_verify_blob_kzg_proof(rt, NULL, blob, BLOB, c, 48, p, 48, &ok));
    NO_POINTER(parcrypt_verify_blob_kzg_proof(rt, s, NULL, BLOB, c, 48, p, 48, &ok));
    NO_POINTER(parcrypt_verify_blob_kzg_proof(rt, s, blob, BLOB, NULL, 48, p, 48, &ok));
    NO_POINTER(parcrypt_verify_blob_kzg_proof(rt, s, blob, BLOB, c, 48, NULL, 48, &ok));
    NO_POINTER(parcrypt_verify_blob_kzg_proof(rt, s, blob, BLOB, c, 48, p, 48, NULL));
    NO_POINTER(parcrypt_verify_blob_kzg_proof_batch(NULL, s, blob, BLOB, c, 48, p, 48, &ok));
    NO_POINTER(parcrypt_verify_blob_kzg_proof_batch(rt, NULL, blob, BLOB, c, 48, p, 48, &ok));
    NO_POINTER(parcrypt_verify_blob_kzg_proof_batch(rt, s, NULL, BLOB, c, 48, p, 48, &ok));
    NO_POINTER(parcrypt_verify_blob_kzg_proof_batch(rt, s, blob, BLOB, NULL, 48, p, 48, &ok));
    NO_POINTER(parcrypt_verify_blob_kzg_proof_batch(rt, s, blob, BLOB, c, 48, NULL, 48, &ok));
    NO_POINTER(parcrypt_verify_blob_kzg_proof_batch(rt, s, blob, BLOB, c, 48, p, 48, NULL));
    NO_POINTER(parcrypt_compute_cells(NULL, s, blob, BLOB, o->cells));
    NO_POINTER(parcrypt_compute_cells(rt, NULL, blob, BLOB, o->cells));
    NO_POINTER(parcrypt_compute_cells(rt, s, NULL, BLOB, o->cells));
    NO_POINTER(parcrypt_compute_cells(rt, s, blob, BLOB, NULL));
    NO_POINTER(parcrypt_compute_cells_and_kzg_proofs(NULL, s, blob, BLOB, o->cells, o->cell_proofs));
    NO_POINTER(parcrypt_compute_cells_and_kzg_proofs(rt, NULL, blob, BLOB, o->cells, o->cell_proofs));
    NO_POINTER(parcrypt_compute_cells_and_kzg_proofs(rt, s, NULL, BLOB, o->cells, o->cell_proofs));
    NO_POINTER(parcrypt_compute_cells_and_kzg_proofs(rt, s, blob, BLOB, NULL, o->cell_proofs));
    NO_POINTER(parcrypt_compute_cells_and_kzg_proofs(rt, s, blob, BLOB, o->cells, NULL));
    NO_POINTER(parcrypt_recover_cells_and_kzg_proofs(NULL, s, indices, 64, cells, 64 * CELL, o->cells,
                                                     o->cell_proofs));
    NO_POINTER(parcrypt_recover_cells_and_kzg_proofs(rt, NULL, indices, 64, cells, 64 * CELL, o->cells,
                                                     o->cell_proofs));
    NO_POINTER(
        parcrypt_recover_cells_and_kzg_proofs(rt, s, NULL, 64, cells, 64 * CELL, o->cells, o->cell_proofs));
    NO_POINTER(
        parcrypt_recover_cells_and_kzg_proofs(rt, s, indices, 64, NULL, 64 * CELL, o->cells, o->cell_proofs));
    NO_POINTER(
        parcrypt_recover_cells_and_kzg_proofs(rt, s, indices, 64, cells, 64 * CELL, NULL, o->cell_proofs));
    NO_POINTER(parcrypt_recover_cells_and_kzg_proofs(rt, s, indices, 64, cells, 64 * CELL, o->cells, NULL));
    NO_POINTER(parcrypt_verify_cell_kzg_proof_batch(NULL, s, c, 48, indices, 1, cells, CELL, d->cell_proofs,
                                                    48, &ok));
    NO_POINTER(parcrypt_verify_cell_kzg_proof_batch(rt, NULL, c, 48, indices, 1, cells, CELL, d->cell_proofs,
                                                    48, &ok));
    NO_POINTER(parcrypt_verify_cell_kzg_proof_batch(rt, s, NULL, 48, indices, 1, cells, CELL, d->cell_proofs,
                                                    48, &ok));
    NO_POINTER(
        parcrypt_verify_cell_kzg_proof_batch(rt, s, c, 48, NULL, 1, cells, CELL, d->cell_proofs, 48, &ok));
    NO_POINTER(
        parcrypt_verify_cell_kzg_proof_batch(rt, s, c, 48, indices, 1, NULL, CELL, d->cell_proofs, 48, &ok));
    NO_POINTER(parcrypt_verify_cell_kzg_proof_batch(rt, s, c, 48, indices, 1, cells, CELL, NULL, 48, &ok));
    NO_POINTER(parcrypt_verify_cell_kzg_proof_batch(rt, s, c, 48, indices, 1, cells, CELL, d->cell_proofs, 48,
                                                    NULL));
    parcrypt_status one;
#define WHICH_CELLS parcrypt_find_wrong_cells
    NO_POINTER(WHICH_CELLS(NULL, s, c, 48, indices, 1, cells, CELL, d->cell_proofs, 48, &one, 1));
    NO_POINTER(WHICH_CELLS(rt, NULL, c, 48, indices, 1, cells, CELL, d->cell_proofs, 48, &one, 1));
    NO_POINTER(WHICH_CELLS(rt, s, NULL, 48, indices, 1, cells, CELL, d->cell_proofs, 48, &one, 1));
    NO_POINTER(WHICH_CELLS(rt, s, c, 48, NULL, 1, cells, CELL, d->cell_proofs, 48, &one, 1));
    NO_POINTER(WHICH_CELLS(rt, s, c, 48, indices, 1, NULL, CELL, d->cell_proofs, 48, &one, 1));
    NO_POINTER(WHICH_CELLS(rt, s, c, 48, indices, 1, cells, CELL, NULL, 48, &one, 1));
    NO_POINTER(WHICH_CELLS(rt, s, c, 48, indices, 1, cells, CELL, d->cell_proofs, 48, NULL, 1));
    CHECK(WHICH_CELLS(rt, s, c, 48, indices, 0, cells, CELL, d->cell_proofs, 48, &one, 1) ==
          PARCRYPT_ERROR_LENGTH);
    CHECK(WHICH_CELLS(rt, s, c, 48, indices, 1, cells, CELL, d->cell_proofs, 48, &one, 2) ==
          PARCRYPT_ERROR_LENGTH);
#define WHICH_BLOBS parcrypt_find_wrong_blobs
    NO_POINTER(WHICH_BLOBS(NULL, s, blob, BLOB, c, 48, p, 48, &one, 1));
    NO_POINTER(WHICH_BLOBS(rt, NULL, blob, BLOB, c, 48, p, 48, &one, 1));
    NO_POINTER(WHICH_BLOBS(rt, s, NULL, BLOB, c, 48, p, 48, &one, 1));
    NO_POINTER(WHICH_BLOBS(rt, s, blob, BLOB, NULL, 48, p, 48, &one, 1));
    NO_POINTER(WHICH_BLOBS(rt, s, blob, BLOB, c, 48, NULL, 48, &one, 1));
    NO_POINTER(WHICH_BLOBS(rt, s, blob, BLOB, c, 48, p, 48, NULL, 1));
    CHECK(WHICH_BLOBS(rt, s, blob, BLOB - 1, c, 48, p, 48, &one, 1) == PARCRYPT_ERROR_LENGTH);

    parcrypt_status *st = o->statuses;
#define COMPUTE(rt, s, blob, cells, proofs, st)                                                              \
    parcrypt_compute_wanted(rt, s, blob, BLOB, indices, CELLS, cells, EXT, proofs, PROOFS, st, 1)
    NO_POINTER(COMPUTE(NULL, s, blob, o->cells, o->cell_proofs, st));
    NO_POINTER(COMPUTE(rt, NULL, blob, o->cells, o->cell_proofs, st));
    NO_POINTER(COMPUTE(rt, s, NULL, o->cells, o->cell_proofs, st));
    NO_POINTER(COMPUTE(rt, s, blob, NULL, o->cell_proofs, st));
    NO_POINTER(COMPUTE(rt, s, blob, o->cells, NULL, st));
    NO_POINTER(COMPUTE(rt, s, blob, o->cells, o->cell_proofs, NULL));
    NO_POINTER(parcrypt_compute_wanted(rt, s, blob, BLOB, NULL, 1, o->cells, CELL, NULL, 0, st, 1));
#define RECOVER(rt, s, per_blob, indices, cells, out, proofs, st)                                            \
    parcrypt_recover_wanted(rt, s, per_blob, indices, CELLS, cells, EXT, NULL, 0, out, EXT, proofs, PROOFS,  \
                            st, 1)
    const size_t *per = d->per_blob;
    NO_POINTER(RECOVER(NULL, s, per, indices, cells, o->cells, o->cell_proofs, st));
    NO_POINTER(RECOVER(rt, NULL, per, indices, cells, o->cells, o->cell_proofs, st));
    NO_POINTER(RECOVER(rt, s, NULL, indices, cells, o->cells, o->cell_proofs, st));
    NO_POINTER(RECOVER(rt, s, per, NULL, cells, o->cells, o->cell_proofs, st));
    NO_POINTER(RECOVER(rt, s, per, indices, NULL, o->cells, o->cell_proofs, st));
    NO_POINTER(RECOVER(rt, s, per, indices, cells, NULL, o->cell_proofs, st));
    NO_POINTER(RECOVER(rt, s, per, indices, cells, o->cells, NULL, st));
    NO_POINTER(RECOVER(rt, s, per, indices, cells, o->cells, o->cell_proofs, NULL));

    /* A pointer that is not aligned for the type. */
    const uint64_t *odd = (const uint64_t *)(const void *)(d->blobs + 1);
    if ((uintptr_t)odd % sizeof(uint64_t) != 0) {
        NO_POINTER(parcrypt_recover_cells_and_kzg_proofs(rt, s, odd, 64, cells, 64 * CELL, o->cells,
                                                         o->cell_proofs));
    }
    CHECK(is_filled(o, sizeof *o, 0));
    free(o);
}

/** Lengths and counts: none, one too few, one too many, and those that do not match. */
static void lengths(parcrypt_runtime *rt, parcrypt_settings *s, const Data *d) {
    Data *o = get(sizeof(Data));
    bool ok = false;
    uint8_t *out = o->blobs;
    const uint8_t *blob = d->blobs, *c = d->commitments, *p = d->proofs, *cells = d->cells;
    const uint64_t *indices = d->indices;
    parcrypt_status *st = o->statuses;
    static const size_t wrong[] = {0, 1, BLOB - 1, BLOB + 1, 3 * BLOB, 48, 32, 47, 49, 31, 33};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        size_t n = wrong[i];
        NO_LENGTH(parcrypt_blob_to_kzg_commitment(rt, s, blob, n, out));
        NO_LENGTH(parcrypt_compute_kzg_proof(rt, s, blob, n, d->z, 32, out, o->y));
        NO_LENGTH(parcrypt_compute_blob_kzg_proof(rt, s, blob, n, c, 48, out));
        NO_LENGTH(parcrypt_verify_blob_kzg_proof(rt, s, blob, n, c, 48, p, 48, &ok));
        NO_LENGTH(parcrypt_compute_cells(rt, s, blob, n, o->cells));
        NO_LENGTH(parcrypt_compute_cells_and_kzg_proofs(rt, s, blob, n, o->cells, o->cell_proofs));
        NO_LENGTH(parcrypt_verify_blob_kzg_proof_batch(rt, s, blob, n, c, 48, p, 48, &ok));
        if (n != 48) {
            NO_LENGTH(parcrypt_compute_blob_kzg_proof(rt, s, blob, BLOB, c, n, out));
            NO_LENGTH(parcrypt_verify_kzg_proof(rt, s, c, n, d->z, 32, d->y, 32, p, 48, &ok));
            NO_LENGTH(parcrypt_verify_kzg_proof(rt, s, c, 48, d->z, 32, d->y, 32, p, n, &ok));
            NO_LENGTH(parcrypt_verify_blob_kzg_proof(rt, s, blob, BLOB, c, n, p, 48, &ok));
            NO_LENGTH(parcrypt_verify_blob_kzg_proof(rt, s, blob, BLOB, c, 48, p, n, &ok));
            NO_LENGTH(parcrypt_verify_blob_kzg_proof_batch(rt, s, blob, BLOB, c, n, p, 48, &ok));
            NO_LENGTH(parcrypt_verify_blob_kzg_proof_batch(rt, s, blob, BLOB, c, 48, p, n, &ok));
            NO_LENGTH(parcrypt_verify_cell_kzg_proof_batch(rt, s, c, n, indices, 1, cells, CELL, p, 48, &ok));
            NO_LENGTH(parcrypt_verify_cell_kzg_proof_batch(rt, s, c, 48, indices, 1, cells, CELL, p, n, &ok));
        }
        if (n != 32) {
            NO_LENGTH(parcrypt_compute_kzg_proof(rt, s, blob, BLOB, blob, n, out, o->y));
            NO_LENGTH(parcrypt_verify_kzg_proof(rt, s, c, 48, blob, n, d->y, 32, p, 48, &ok));
            NO_LENGTH(parcrypt_verify_kzg_proof(rt, s, c, 48, d->z, 32, blob, n, p, 48, &ok));
        }
        NO_LENGTH(
            parcrypt_recover_cells_and_kzg_proofs(rt, s, indices, 64, cells, n, o->cells, o->cell_proofs));
        NO_LENGTH(parcrypt_compute_wanted(rt, s, blob, n, NULL, 0, o->cells, EXT, NULL, 0, st, 1));
        NO_LENGTH(parcrypt_compute_wanted(rt, s, blob, BLOB, NULL, 0, o->cells, n, o->proofs, 1, st, 1));
        NO_LENGTH(parcrypt_compute_wanted(rt, s, blob, BLOB, NULL, 0, o->cells, EXT, o->proofs, n, st, 1));
        NO_LENGTH(parcrypt_recover_wanted(rt, s, d->per_blob, indices, CELLS, cells, n, NULL, 0, o->cells,
                                          EXT, NULL, 0, st, 1));
        NO_LENGTH(parcrypt_recover_wanted(rt, s, d->per_blob, indices, CELLS, cells, EXT, NULL, 0, o->cells,
                                          n, o->proofs, 1, st, 1));
        NO_LENGTH(parcrypt_verify_cell_kzg_proof_batch(rt, s, c, 48, indices, 1, cells, n, p, 48, &ok));
    }
    /* The contents of the message. */
    NO_LENGTH(parcrypt_blob_to_kzg_commitment(rt, s, blob, 7, out));
    SAYS("blob");
    SAYS(" 7 ");
    SAYS("131072");

    /* Counts. */
    NO_LENGTH(parcrypt_recover_cells_and_kzg_proofs(rt, s, indices, 65, cells, 64 * CELL, o->cells,
                                                    o->cell_proofs));
    NO_LENGTH(parcrypt_recover_cells_and_kzg_proofs(rt, s, indices, 63, cells, 64 * CELL, o->cells,
                                                    o->cell_proofs));
    NO_LENGTH(parcrypt_verify_cell_kzg_proof_batch(rt, s, c, 48, indices, 2, cells, CELL, p, 48, &ok));
    NO_LENGTH(parcrypt_verify_cell_kzg_proof_batch(rt, s, c, 96, indices, 1, cells, CELL, p, 48, &ok));
    NO_LENGTH(parcrypt_verify_cell_kzg_proof_batch(rt, s, c, 48, indices, 0, cells, CELL, p, 48, &ok));
    NO_LENGTH(parcrypt_verify_blob_kzg_proof_batch(rt, s, blob, 2 * BLOB, c, 48, p, 96, &ok));
    NO_LENGTH(parcrypt_verify_blob_kzg_proof_batch(rt, s, blob, 0, c, 48, p, 48, &ok));
#define WANTED(length, count)                                                                                \
    parcrypt_compute_wanted(rt, s, blob, BLOB, NULL, 0, out, length, NULL, 0, st, count)
    NO_LENGTH(WANTED(EXT, 2));
    NO_LENGTH(WANTED(EXT, SIZE_MAX));
    NO_LENGTH(WANTED(EXT, SIZE_MAX / BLOB + 2));
    NO_LENGTH(WANTED(EXT, 0));
    NO_LENGTH(parcrypt_compute_wanted(rt, s, blob, BLOB, indices, SIZE_MAX / 8, out, EXT, NULL, 0, st, 1));
    size_t per[2] = {64, 63};
    NO_LENGTH(parcrypt_recover_wanted(rt, s, per, indices, CELLS, cells, EXT, NULL, 0, o->cells, 2 * EXT,
                                      NULL, 0, st, 2));
    per[0] = SIZE_MAX;
    per[1] = CELLS + 1;
    NO_LENGTH(parcrypt_recover_wanted(rt, s, per, indices, CELLS, cells, EXT, NULL, 0, o->cells, 2 * EXT,
                                      NULL, 0, st, 2));
    SAYS("cells_per_blob");
    /* More than fits in memory. */
    NO_LENGTH(parcrypt_blob_to_kzg_commitment(rt, s, blob, SIZE_MAX, out));
    NO_LENGTH(parcrypt_recover_cells_and_kzg_proofs(rt, s, indices, SIZE_MAX / 8, cells, 64 * CELL, o->cells,
                                                    o->cell_proofs));
    CHECK(is_filled(o->commitments, sizeof o->commitments, 0) && is_filled(out, 48, 0));

    /* A count of 0 is valid, and then pointers may be null. */
    OK(parcrypt_verify_blob_kzg_proof_batch(rt, s, NULL, 0, NULL, 0, NULL, 0, &ok));
    CHECK(ok);
    ok = false;
    OK(parcrypt_verify_cell_kzg_proof_batch(rt, s, NULL, 0, NULL, 0, NULL, 0, NULL, 0, &ok));
    CHECK(ok);
    OK(parcrypt_compute_wanted(rt, s, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0));
    OK(parcrypt_recover_wanted(rt, s, NULL, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0));
    ENDS(PARCRYPT_ERROR_TOO_FEW_CELLS,
         parcrypt_recover_cells_and_kzg_proofs(rt, s, NULL, 0, NULL, 0, o->cells, o->cell_proofs));
    free(o);
}

/** Bytes of the right length that are invalid. */
static void nonsense(parcrypt_runtime *rt, parcrypt_settings *s, Data *d) {
    Data *o = get(sizeof(Data));
    bool ok = false;
    uint8_t *out = o->blobs, large[32], no_point[48] = {0}, outside[48] = {0x80};
    memset(large, 0xff, sizeof large);
    outside[47] = 4;
    const uint8_t *c = d->commitments, *p = d->proofs;

    uint8_t *blob = d->blobs + BLOB, saved[32];
    memcpy(saved, blob + 32 * 4095, 32);
    memcpy(blob + 32 * 4095, large, 32);
    ENDS(PARCRYPT_ERROR_FIELD_ELEMENT, parcrypt_blob_to_kzg_commitment(rt, s, blob, BLOB, out));
    SAYS("4095");
    ENDS(PARCRYPT_ERROR_FIELD_ELEMENT, parcrypt_compute_cells(rt, s, blob, BLOB, o->cells));
    ENDS(PARCRYPT_ERROR_FIELD_ELEMENT, parcrypt_verify_blob_kzg_proof(rt, s, blob, BLOB, c, 48, p, 48, &ok));

    /* One of three is bad, and only that one. */
    memset(o, 0xaa, sizeof *o);
    ENDS(PARCRYPT_ERROR_ITEMS,
         parcrypt_compute_wanted(rt, s, d->blobs, sizeof d->blobs, NULL, 0, o->cells, sizeof o->cells,
                                 o->cell_proofs, sizeof o->cell_proofs, o->statuses, COUNT));
    SAYS("number 1");
    SAYS("4095");
    CHECK(o->statuses[0] == PARCRYPT_OK && o->statuses[2] == PARCRYPT_OK);
    CHECK(o->statuses[1] == PARCRYPT_ERROR_FIELD_ELEMENT);
    CHECK(memcmp(o->cells + 2 * EXT, d->cells + 2 * EXT, EXT) == 0);
    CHECK(is_filled(o->cells + EXT, EXT, 0) && is_filled(o->cell_proofs + PROOFS, PROOFS, 0));
    memset(o, 0xaa, sizeof *o);
    ENDS(PARCRYPT_ERROR_ITEMS, parcrypt_compute_wanted(rt, s, d->blobs, sizeof d->blobs, NULL, 0, o->cells,
                                                       sizeof o->cells, NULL, 0, o->statuses, COUNT));
    CHECK(o->statuses[1] == PARCRYPT_ERROR_FIELD_ELEMENT && is_filled(o->cells + EXT, EXT, 0));
    memcpy(blob + 32 * 4095, saved, 32);

    ENDS(PARCRYPT_ERROR_FIELD_ELEMENT,
         parcrypt_compute_kzg_proof(rt, s, d->blobs, BLOB, large, 32, out, o->y));
    ENDS(PARCRYPT_ERROR_FIELD_ELEMENT,
         parcrypt_verify_kzg_proof(rt, s, c, 48, large, 32, d->y, 32, p, 48, &ok));
    ENDS(PARCRYPT_ERROR_FIELD_ELEMENT,
         parcrypt_verify_kzg_proof(rt, s, c, 48, d->z, 32, large, 32, p, 48, &ok));
    SAYS("y");
    const uint8_t *bad[] = {no_point, outside};
    for (size_t i = 0; i < 2; i++) {
        const uint8_t *b = bad[i];
        ENDS(PARCRYPT_ERROR_POINT, parcrypt_verify_kzg_proof(rt, s, b, 48, d->z, 32, d->y, 32, p, 48, &ok));
        ENDS(PARCRYPT_ERROR_POINT, parcrypt_verify_kzg_proof(rt, s, c, 48, d->z, 32, d->y, 32, b, 48, &ok));
        SAYS("proof");
        ENDS(PARCRYPT_ERROR_POINT, parcrypt_compute_blob_kzg_proof(rt, s, d->blobs, BLOB, b, 48, out));
        ENDS(PARCRYPT_ERROR_POINT, parcrypt_verify_cell_kzg_proof_batch(rt, s, b, 48, d->indices, 1, d->cells,
                                                                        CELL, d->cell_proofs, 48, &ok));
        ENDS(PARCRYPT_ERROR_POINT,
             parcrypt_verify_cell_kzg_proof_batch(rt, s, c, 48, d->indices, 1, d->cells, CELL, b, 48, &ok));
    }

    uint64_t indices[65];
    memcpy(indices, d->indices, sizeof indices);
    indices[63] = 128;
    ENDS(PARCRYPT_ERROR_INDEX, parcrypt_recover_cells_and_kzg_proofs(rt, s, indices, 64, d->cells, 64 * CELL,
                                                                     o->cells, o->cell_proofs));
    ENDS(PARCRYPT_ERROR_INDEX, parcrypt_verify_cell_kzg_proof_batch(rt, s, c, 48, indices + 63, 1, d->cells,
                                                                    CELL, d->cell_proofs, 48, &ok));
    indices[63] = 62;
    ENDS(PARCRYPT_ERROR_INDEX, parcrypt_recover_cells_and_kzg_proofs(rt, s, indices, 64, d->cells, 64 * CELL,
                                                                     o->cells, o->cell_proofs));
    indices[63] = 61;
    ENDS(PARCRYPT_ERROR_INDEX, parcrypt_recover_cells_and_kzg_proofs(rt, s, indices, 64, d->cells, 64 * CELL,
                                                                     o->cells, o->cell_proofs));
    ENDS(PARCRYPT_ERROR_TOO_FEW_CELLS,
         parcrypt_recover_cells_and_kzg_proofs(rt, s, d->indices, 63, d->cells, 63 * CELL, o->cells,
                                               o->cell_proofs));
    SAYS("63");
    d->cells[0] ^= 1;
    ENDS(PARCRYPT_ERROR_INCONSISTENT_CELLS,
         parcrypt_recover_cells_and_kzg_proofs(rt, s, d->indices, 65, d->cells, 65 * CELL, o->cells,
                                               o->cell_proofs));
    memset(o, 0xaa, sizeof *o);
    size_t per_blob[COUNT] = {65, 63, 128};
    memcpy(o->indices, d->indices, 65 * 8);
    memcpy(o->indices + 65, d->indices + 65, 63 * 8);
    memcpy(o->indices + 128, d->indices, 128 * 8);
    ENDS(PARCRYPT_ERROR_ITEMS,
         parcrypt_recover_wanted(rt, s, per_blob, o->indices, 256, d->cells, 256 * CELL, NULL, 0, o->cells,
                                 sizeof o->cells, NULL, 0, o->statuses, COUNT));
    CHECK(o->statuses[0] == PARCRYPT_ERROR_INCONSISTENT_CELLS);
    CHECK(o->statuses[1] == PARCRYPT_ERROR_TOO_FEW_CELLS);
    CHECK(o->statuses[2] == PARCRYPT_OK && memcmp(o->cells + 2 * EXT, d->cells + EXT, EXT) == 0);
    CHECK(is_filled(o->cells, 2 * EXT, 0));
    d->cells[0] ^= 1;
    free(o);
}

/** Cells of two columns as they come: verdicts, and every input that is refused. */
static void cells_as_they_come(parcrypt_runtime *rt, parcrypt_settings *s, Data *d) {
    enum { N = 2 * COUNT };
    parcrypt_cell_verifier *v = NULL;
    uint64_t rows[N], columns[N];
    uint8_t *cells = get(N * CELL), *proofs = get(N * 48);
    bool ok = false;
    for (size_t k = 0; k < N; k++) {
        rows[k] = k % COUNT;
        columns[k] = k < COUNT ? 127 : 4;
        memcpy(cells + k * CELL, d->cells + rows[k] * EXT + columns[k] * CELL, CELL);
        memcpy(proofs + k * 48, d->cell_proofs + rows[k] * PROOFS + columns[k] * 48, 48);
    }
    uint8_t saved = d->commitments[48];
    d->commitments[48] = 0;
    ENDS(PARCRYPT_ERROR_POINT, parcrypt_cell_verifier_new(rt, s, d->commitments, COUNT * 48, &v));
    SAYS("commitment 1");
    CHECK(v == NULL);
    d->commitments[48] = saved;
    NO_LENGTH(parcrypt_cell_verifier_new(rt, s, d->commitments, COUNT * 48 - 1, &v));
    NO_POINTER(parcrypt_cell_verifier_new(NULL, s, d->commitments, COUNT * 48, &v));
    NO_POINTER(parcrypt_cell_verifier_new(rt, NULL, d->commitments, COUNT * 48, &v));
    NO_POINTER(parcrypt_cell_verifier_new(rt, s, NULL, COUNT * 48, &v));
    NO_POINTER(parcrypt_cell_verifier_new(rt, s, d->commitments, COUNT * 48, NULL));
    OK(parcrypt_cell_verifier_new(rt, s, d->commitments, COUNT * 48, &v));

#define VERIFY(first, n)                                                                                     \
    parcrypt_cell_verifier_verify(rt, s, v, rows + (first), columns + (first), cells + (first)*CELL,         \
                                  (n)*CELL, proofs + (first)*48, (n)*48, n, &ok)
    OK(parcrypt_cell_verifier_verify(rt, s, v, NULL, NULL, NULL, 0, NULL, 0, 0, &ok));
    CHECK(ok);
    for (size_t n = 1; n <= N; n++) {
        ok = false;
        OK(VERIFY(N - n, n));
        CHECK(ok);
    }
    /* A wrong cell, of another commitment or column, malformed. */
    cells[N * CELL - 1] ^= 1;
    OK(VERIFY(0, (size_t)N));
    CHECK(!ok);
    OK(VERIFY(0, (size_t)(N - 1)));
    CHECK(ok);
    rows[0] = 1;
    OK(VERIFY(0, (size_t)1));
    CHECK(!ok);
    rows[0] = COUNT;
    ENDS(PARCRYPT_ERROR_INDEX, VERIFY(0, (size_t)2));
    rows[0] = 0;
    columns[1] = 128;
    ENDS(PARCRYPT_ERROR_INDEX, VERIFY(0, (size_t)2));
    SAYS("cell index 1");
    columns[1] = 127;
    memset(cells + CELL, 0xff, 32);
    ENDS(PARCRYPT_ERROR_FIELD_ELEMENT, VERIFY(0, (size_t)2));

#define ONE(rt, s, v, rows, columns, cells, proofs, ok)                                                      \
    parcrypt_cell_verifier_verify(rt, s, v, rows, columns, cells, CELL, proofs, 48, 1, ok)
    NO_POINTER(ONE(NULL, s, v, rows, columns, cells, proofs, &ok));
    NO_POINTER(ONE(rt, NULL, v, rows, columns, cells, proofs, &ok));
    NO_POINTER(ONE(rt, s, NULL, rows, columns, cells, proofs, &ok));
    NO_POINTER(ONE(rt, s, v, NULL, columns, cells, proofs, &ok));
    NO_POINTER(ONE(rt, s, v, rows, NULL, cells, proofs, &ok));
    NO_POINTER(ONE(rt, s, v, rows, columns, NULL, proofs, &ok));
    NO_POINTER(ONE(rt, s, v, rows, columns, cells, NULL, &ok));
    NO_POINTER(ONE(rt, s, v, rows, columns, cells, proofs, NULL));
    NO_LENGTH(parcrypt_cell_verifier_verify(rt, s, v, rows, columns, cells, CELL - 1, proofs, 48, 1, &ok));
    NO_LENGTH(parcrypt_cell_verifier_verify(rt, s, v, rows, columns, cells, CELL, proofs, 96, 1, &ok));
    NO_LENGTH(parcrypt_cell_verifier_verify(rt, s, v, rows, columns, cells, CELL, proofs, 48, 2, &ok));
    NO_LENGTH(parcrypt_cell_verifier_verify(rt, s, v, rows, columns, cells, CELL, proofs, 48, SIZE_MAX, &ok));
    parcrypt_cell_verifier_free(v);
    parcrypt_cell_verifier_free(NULL);
    free(cells);
    free(proofs);
}

static void runtimes(void) {
    parcrypt_runtime *rt = NULL;
    ENDS(PARCRYPT_ERROR_RUNTIME, parcrypt_runtime_new("thread", 1, &rt));
    SAYS("thread");
    ENDS(PARCRYPT_ERROR_RUNTIME, parcrypt_runtime_new("", 1, &rt));
    ENDS(PARCRYPT_ERROR_RUNTIME, parcrypt_runtime_new("ra\xffyon", 1, &rt));
    ENDS(PARCRYPT_ERROR_RUNTIME, parcrypt_runtime_new("serial", 2, &rt));
    ENDS(PARCRYPT_ERROR_RUNTIME, parcrypt_runtime_new("rayon", 1025, &rt));
    ENDS(PARCRYPT_ERROR_RUNTIME, parcrypt_runtime_new("rayon", SIZE_MAX, &rt));
    CHECK(rt == NULL);
    OK(parcrypt_runtime_new("serial", 0, &rt));
    CHECK(parcrypt_runtime_threads(rt) == 1);
    parcrypt_runtime_free(rt);
    OK(parcrypt_runtime_new("rayon", 0, &rt));
    CHECK(parcrypt_runtime_threads(rt) >= 1);
    parcrypt_runtime_free(rt);
    OK(parcrypt_runtime_new("rayon", 1, &rt));
    CHECK(parcrypt_runtime_threads(rt) == 1);
    parcrypt_runtime_free(rt);
    CHECK(strcmp(parcrypt_version(), PARCRYPT_VERSION) == 0);
    CHECK(strcmp(parcrypt_status_name(PARCRYPT_ERROR_LENGTH), "PARCRYPT_ERROR_LENGTH") == 0);
    CHECK(strcmp(parcrypt_status_name(PARCRYPT_ERROR_INTERNAL), "PARCRYPT_ERROR_INTERNAL") == 0);
    CHECK(strcmp(parcrypt_status_name(-1), "unknown status") == 0);
}

/** Checks that settings have the requested backends, or are not created; the environment is not read. `best`
 * has the best ones. The names of requests are tested where they are read, in crates/kernels/cpu. */
static void backends(parcrypt_runtime *rt, const parcrypt_settings *best) {
    parcrypt_settings *s = NULL;
    static const struct {
        const char *request, *says;
    } wrong[] = {{"sse9", "sse9"},        {"rvv", "rvv"},       {"fp=rvv", "rvv"},
                 {"g1=blst", "g1"},       {"fp=blst,", "pair"}, {"fp=blst,fp=blst", "two requests"},
                 {"sha256=blst", "blst"}, {"auto", "auto"}};
    uint8_t infinity[48] = {0xc0}, zero[32] = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ENDS(PARCRYPT_ERROR_BACKEND, parcrypt_settings_mainnet(wrong[i].request, &s));
        SAYS(wrong[i].says);
        CHECK(s == NULL);
        ENDS(PARCRYPT_ERROR_BACKEND, parcrypt_settings_from_bytes(rt, wrong[i].request, zero, 32, &s));
        ENDS(PARCRYPT_ERROR_BACKEND, parcrypt_settings_from_file(rt, wrong[i].request, "x", &s));
    }
    setenv("PARCRYPT_BACKEND", "sse9", 1);
    static const char baseline[] = "fp=blst,fr=blst,pairing=blst,sha256=sha2";
    static const char *const requests[] = {"blst", baseline};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        OK(parcrypt_settings_mainnet(requests[i], &s));
        CHECK(strcmp(parcrypt_settings_backends(s), baseline) == 0);
        bool ok = false;
        OK(parcrypt_verify_kzg_proof(rt, s, infinity, 48, zero, 32, zero, 32, infinity, 48, &ok));
        CHECK(ok);
        parcrypt_settings_free(s);
    }
    unsetenv("PARCRYPT_BACKEND");

    /* The text of the best settings is a request for the same ones. */
    parcrypt_settings *same = NULL;
    OK(parcrypt_settings_mainnet(parcrypt_settings_backends(best), &same));
    CHECK(strcmp(parcrypt_settings_backends(best), parcrypt_settings_backends(same)) == 0);
    parcrypt_settings_free(same);
    CHECK(strcmp(parcrypt_settings_backends(NULL), "") == 0);
}

static void write_file(const char *path, const void *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, length, file) != length || fclose(file) != 0)
        exit(2);
}

/** Setups from bytes and from files, and tables; `mainnet` has none before and after. */
static void setups(parcrypt_runtime *rt, parcrypt_settings *mainnet, const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/setup", folder);
    parcrypt_settings *s = NULL;
    static const char *const wrong[] = {"",        "hello",     "4096\n65\n", "{\"g1_monomial\": []}",
                                        "\x89KZG", "4095\n65\n"};
    for (size_t i = 0; i < 6; i++) {
        const uint8_t *bytes = (const uint8_t *)wrong[i];
        ENDS(PARCRYPT_ERROR_SETUP, parcrypt_settings_from_bytes(rt, NULL, bytes, strlen(wrong[i]), &s));
        write_file(path, bytes, strlen(wrong[i]));
        ENDS(PARCRYPT_ERROR_SETUP, parcrypt_settings_from_file(rt, NULL, path, &s));
        SAYS(path);
        CHECK(s == NULL);
    }
    remove(path);
    ENDS(PARCRYPT_ERROR_FILE, parcrypt_settings_from_file(rt, NULL, path, &s));
    SAYS(path);
    ENDS(PARCRYPT_ERROR_FILE, parcrypt_settings_from_file(rt, NULL, folder, &s));

    uint8_t blob[BLOB] = {[31] = 7}, commitment[48], again[48];
    OK(parcrypt_blob_to_kzg_commitment(rt, mainnet, blob, BLOB, commitment));
    /* Tables change only the time. */
    parcrypt_table_report report = {0, 0, 0}, none = {1, 1, 1};
    OK(parcrypt_settings_build_tables(rt, mainnet, 8, &report));
    CHECK(report.lagrange_bytes > 0 && report.fk20_bytes > 0 && report.nanoseconds > 0);
    CHECK(report.lagrange_bytes + report.fk20_bytes <= (uint64_t)8 << 20);
    OK(parcrypt_blob_to_kzg_commitment(rt, mainnet, blob, BLOB, again));
    CHECK(memcmp(again, commitment, 48) == 0);
    OK(parcrypt_settings_build_tables(rt, mainnet, 0, NULL));
    OK(parcrypt_settings_build_tables(rt, mainnet, 0, &none));
    CHECK(none.lagrange_bytes < report.lagrange_bytes && none.fk20_bytes < report.fk20_bytes);
}

/** The calls of one of two threads with the same runtime and the same settings. */
typedef struct {
    parcrypt_runtime *rt;
    parcrypt_settings *settings;
    const Data *data;
    bool builds;
} Work;

static void *work(void *argument) {
    const Work *w = argument;
    const Data *d = w->data;
    uint8_t out[48];
    bool ok = false;
    for (int i = 0; i < 2; i++) {
        OK(parcrypt_blob_to_kzg_commitment(w->rt, w->settings, d->blobs, BLOB, out));
        CHECK(memcmp(out, d->commitments, 48) == 0);
        /* Messages belong to a thread: one thread does not see the other's. */
        if (w->builds) {
            OK(parcrypt_settings_build_tables(w->rt, w->settings, (size_t)(4 + i), NULL));
            CHECK(parcrypt_error_message()[0] == 0);
        } else {
            NO_LENGTH(parcrypt_blob_to_kzg_commitment(w->rt, w->settings, d->blobs, 1, out));
            SAYS("131072");
        }
        OK(parcrypt_verify_blob_kzg_proof(w->rt, w->settings, d->blobs, BLOB, d->commitments, 48, d->proofs,
                                          48, &ok));
        CHECK(ok);
    }
    return NULL;
}

/** Exchanges the tables of settings while they are used. */
static void two_threads(parcrypt_runtime *rt, parcrypt_settings *s, const Data *d) {
    Work works[2] = {{rt, s, d, true}, {rt, s, d, false}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        if (pthread_create(&threads[i], NULL, work, &works[i]) != 0)
            exit(2);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
}

/** The test vector of RFC 7914 with N = 16, known answers of GMAC and VMAC, and what must be refused. */
static void secrets(parcrypt_runtime *rt) {
    static const uint8_t rfc[8] = {0x77, 0xd6, 0x57, 0x62, 0x38, 0x65, 0x7b, 0x20};
    static const uint8_t gcm[4] = {0x58, 0xe2, 0xfc, 0xce}, krovetz[4] = {0x25, 0x76, 0xbe, 0x1c};
    static const uint8_t key[16] = "abcdefghijklmnop", nonce[16] = "bcdefghi", zeros[16] = {0};
    uint8_t out[64] = {0}, tag[16], vmac[8], high[16] = {0x80}, wide[17] = {0};
    bool ok = false;
    OK(parcrypt_scrypt(rt, 16, 1, 1, 1 << 20, NULL, 0, NULL, 0, out, 64));
    CHECK(memcmp(out, rfc, sizeof rfc) == 0);
    /* The test vector of Ethereum's key files, whose N is above the bound of RFC 7914 for r = 1. */
    static const uint8_t salt[32] = {0xab, 0x0c, 0x78, 0x76, 0x05, 0x26, 0x00, 0xdd, 0x70, 0x35, 0x18,
                                     0xd6, 0xfc, 0x3f, 0xe8, 0x98, 0x45, 0x92, 0x14, 0x5b, 0x59, 0x1f,
                                     0xc8, 0xfb, 0x5c, 0x6d, 0x43, 0x19, 0x03, 0x34, 0xba, 0x19};
    static const uint8_t word[] = "testpassword",
                         beyond[8] = {0xfa, 0xc1, 0x92, 0xce, 0xb5, 0xfd, 0x77, 0x29};
    ENDS(PARCRYPT_ERROR_PARAMETER,
         parcrypt_scrypt(rt, 1 << 18, 1, 8, 1 << 26, word, sizeof word - 1, salt, sizeof salt, out, 32));
    SAYS("allow_n_beyond_rfc");
    OK(parcrypt_scrypt_allow_n_beyond_rfc(rt, 1 << 18, 1, 8, 1 << 26, word, sizeof word - 1, salt,
                                          sizeof salt, out, 32));
    CHECK(memcmp(out, beyond, sizeof beyond) == 0);
    OK(parcrypt_scrypt_allow_n_beyond_rfc(rt, 16, 1, 1, 1 << 20, NULL, 0, NULL, 0, out, 64));
    CHECK(memcmp(out, rfc, sizeof rfc) == 0);
    ENDS(PARCRYPT_ERROR_PARAMETER, parcrypt_scrypt(rt, 15, 1, 1, 1 << 20, NULL, 0, NULL, 0, out, 64));
    ENDS(PARCRYPT_ERROR_PARAMETER, parcrypt_scrypt(rt, 16, 0, 1, 1 << 20, NULL, 0, NULL, 0, out, 64));
    ENDS(PARCRYPT_ERROR_MEMORY, parcrypt_scrypt(rt, 1 << 20, 8, 1, 1 << 20, NULL, 0, NULL, 0, out, 64));
    ENDS(PARCRYPT_ERROR_MEMORY,
         parcrypt_scrypt(rt, (uint64_t)1 << 62, 8, 1, UINT64_MAX, NULL, 0, NULL, 0, out, 64));
    NO_LENGTH(parcrypt_scrypt(rt, 16, 1, 1, 1 << 20, NULL, 0, NULL, 0, out, SIZE_MAX));
    NO_LENGTH(parcrypt_scrypt(rt, 16, 1, 1, 1 << 20, NULL, 0, NULL, 0, NULL, 0));
    NO_POINTER(parcrypt_scrypt(NULL, 16, 1, 1, 1 << 20, NULL, 0, NULL, 0, out, 64));
    NO_POINTER(parcrypt_scrypt(rt, 16, 1, 1, 1 << 20, NULL, 1, NULL, 0, out, 64));
    NO_POINTER(parcrypt_scrypt(rt, 16, 1, 1, 1 << 20, NULL, 0, NULL, 1, out, 64));
    NO_POINTER(parcrypt_scrypt(rt, 16, 1, 1, 1 << 20, NULL, 0, NULL, 0, NULL, 64));
    CHECK(memcmp(out, rfc, sizeof rfc) == 0);

    OK(parcrypt_gmac(rt, zeros, 16, zeros, 12, NULL, 0, tag));
    CHECK(memcmp(tag, gcm, sizeof gcm) == 0);
    OK(parcrypt_verify_gmac(rt, zeros, 16, zeros, 12, NULL, 0, tag, 16, &ok));
    CHECK(ok);
    OK(parcrypt_verify_gmac(rt, zeros, 16, zeros, 12, zeros, 1, tag, 16, &ok));
    CHECK(!ok);
    NO_LENGTH(parcrypt_gmac(rt, zeros, 15, zeros, 12, NULL, 0, tag));
    SAYS("a key of 15 bytes");
    NO_LENGTH(parcrypt_gmac(rt, zeros, 16, NULL, 0, NULL, 0, tag));
    NO_LENGTH(parcrypt_verify_gmac(rt, zeros, 16, zeros, 12, NULL, 0, tag, 15, &ok));
    NO_POINTER(parcrypt_gmac(rt, NULL, 16, zeros, 12, NULL, 0, tag));
    NO_POINTER(parcrypt_gmac(rt, zeros, 16, NULL, 12, NULL, 0, tag));
    NO_POINTER(parcrypt_gmac(rt, zeros, 16, zeros, 12, NULL, 1, tag));
    NO_POINTER(parcrypt_gmac(rt, zeros, 16, zeros, 12, NULL, 0, NULL));
    NO_POINTER(parcrypt_gmac(NULL, zeros, 16, zeros, 12, NULL, 0, tag));
    NO_POINTER(parcrypt_verify_gmac(rt, zeros, 16, zeros, 12, NULL, 0, NULL, 16, &ok));
    NO_POINTER(parcrypt_verify_gmac(rt, zeros, 16, zeros, 12, NULL, 0, tag, 16, NULL));

    for (size_t length = 8; length <= 16; length += 8) {
        OK(parcrypt_vmac(rt, key, 16, nonce, 8, NULL, 0, tag, length));
        OK(parcrypt_verify_vmac(rt, key, 16, nonce, 8, NULL, 0, tag, length, &ok));
        CHECK(ok);
        tag[length - 1] ^= 1;
        OK(parcrypt_verify_vmac(rt, key, 16, nonce, 8, NULL, 0, tag, length, &ok));
        CHECK(!ok);
    }
    OK(parcrypt_vmac(rt, key, 16, nonce, 8, NULL, 0, vmac, 8));
    CHECK(memcmp(vmac, krovetz, sizeof krovetz) == 0);
    NO_LENGTH(parcrypt_vmac(rt, key, 16, nonce, 8, NULL, 0, tag, 12));
    SAYS("tags of 8 and of 16");
    NO_LENGTH(parcrypt_verify_vmac(rt, key, 16, nonce, 8, NULL, 0, tag, 0, &ok));
    NO_LENGTH(parcrypt_vmac(rt, key, 16, wide, 17, NULL, 0, tag, 8));
    ENDS(PARCRYPT_ERROR_PARAMETER, parcrypt_vmac(rt, key, 16, high, 16, NULL, 0, tag, 8));
    NO_POINTER(parcrypt_vmac(rt, key, 16, nonce, 8, NULL, 0, NULL, 8));
    NO_POINTER(parcrypt_verify_vmac(rt, key, 16, nonce, 8, NULL, 0, tag, 8, NULL));
}

/** Sums of points whose values are known, and what must be refused. */
static void points(parcrypt_runtime *rt, const Data *d) {
    static const uint8_t order[32] = {0x73, 0xed, 0xa7, 0x53, 0x29, 0x9d, 0x7d, 0x48, 0x33, 0x39, 0xd8,
                                      0x08, 0x09, 0xa1, 0xd8, 0x05, 0x53, 0xbd, 0xa4, 0x02, 0xff, 0xfe,
                                      0x5b, 0xfe, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01};
    uint8_t scalars[COUNT * 32] = {0}, minus[64] = {0}, sum[48], other[48], wrong[48] = {0};
    for (size_t tables = 0; tables <= 1; tables++) {
        parcrypt_points *p = NULL;
        OK(parcrypt_points_new(rt, d->commitments, COUNT * 48, tables, &p));
        /* One of them, and none of them: the point at infinity. */
        scalars[32 + 31] = 1;
        OK(parcrypt_points_msm(rt, p, scalars, sizeof scalars, sum));
        CHECK(memcmp(sum, d->commitments + 48, 48) == 0);
        scalars[32 + 31] = 0;
        OK(parcrypt_points_msm(rt, p, scalars, sizeof scalars, sum));
        CHECK(sum[0] == 0xc0);
        memcpy(scalars + 64, order, 32);
        ENDS(PARCRYPT_ERROR_FIELD_ELEMENT, parcrypt_points_msm(rt, p, scalars, sizeof scalars, sum));
        SAYS("scalar 2: ");
        memset(scalars, 0, sizeof scalars);
        NO_LENGTH(parcrypt_points_msm(rt, p, scalars, sizeof scalars - 32, sum));
        NO_LENGTH(parcrypt_points_msm(rt, p, scalars, SIZE_MAX, sum));
        NO_POINTER(parcrypt_points_msm(rt, p, NULL, sizeof scalars, sum));
        NO_POINTER(parcrypt_points_msm(rt, p, scalars, sizeof scalars, NULL));
        NO_POINTER(parcrypt_points_msm(rt, NULL, scalars, sizeof scalars, sum));
        NO_POINTER(parcrypt_points_msm(NULL, p, scalars, sizeof scalars, sum));
        parcrypt_points_free(p);
        /* The same point twice: 1 P + (r - 1) P is the point at infinity, 2 P is not P. */
        uint8_t twice[96];
        memcpy(twice, d->commitments, 48);
        memcpy(twice + 48, d->commitments, 48);
        OK(parcrypt_points_new(rt, twice, sizeof twice, tables, &p));
        memcpy(minus, order, 32);
        minus[31] = 0;
        minus[63] = 1;
        OK(parcrypt_points_msm(rt, p, minus, sizeof minus, sum));
        CHECK(sum[0] == 0xc0);
        memset(minus, 0, 32);
        minus[31] = 1;
        OK(parcrypt_points_msm(rt, p, minus, sizeof minus, other));
        CHECK(other[0] != 0xc0 && memcmp(other, d->commitments, 48) != 0);
        parcrypt_points_free(p);
        OK(parcrypt_points_new(rt, NULL, 0, tables, &p));
        OK(parcrypt_points_msm(rt, p, NULL, 0, sum));
        CHECK(sum[0] == 0xc0);
        parcrypt_points_free(p);
    }
    parcrypt_points *p = (parcrypt_points *)&p;
    ENDS(PARCRYPT_ERROR_POINT, parcrypt_points_new(rt, wrong, 48, 0, &p));
    SAYS("point 0: ");
    CHECK(p == NULL);
    NO_LENGTH(parcrypt_points_new(rt, d->commitments, 49, 0, &p));
    NO_POINTER(parcrypt_points_new(rt, NULL, 48, 0, &p));
    NO_POINTER(parcrypt_points_new(rt, d->commitments, 48, 0, NULL));
    NO_POINTER(parcrypt_points_new(NULL, d->commitments, 48, 0, &p));
    parcrypt_points_free(NULL);
}

/** A product of a matrix whose values are known, and what must be refused. */
static void matrices(parcrypt_runtime *rt) {
    enum { N = 256 };
    static const uint32_t moduli[] = {3329, 8380417};
    for (size_t i = 0; i < 2; i++) {
        const uint32_t q = moduli[i];
        uint32_t *entries = get(6 * N * sizeof *entries), *vector = get(3 * N * sizeof *vector);
        uint32_t product[2 * N];
        parcrypt_ring *ring = NULL, *other = NULL;
        parcrypt_matrix *matrix = NULL;
        OK(parcrypt_ring_new(q, N, true, &ring));
        /* The constants 1 to 6 in two rows, by X^255 in each column; 0 transforms to 0. */
        for (size_t j = 0; j < 6; j++)
            entries[j * N] = (uint32_t)j + 1;
        for (size_t j = 0; j < 3; j++)
            vector[j * N + 255] = 1;
        OK(parcrypt_matrix_new(ring, 2, 3, false, entries, &matrix));
        OK(parcrypt_matrix_product(rt, matrix, vector, product));
        CHECK(product[255] == 1 + 2 + 3 && product[N + 255] == 4 + 5 + 6);
        CHECK(product[0] == 0 && product[254] == 0 && product[N] == 0);
        OK(parcrypt_matrix_product(rt, matrix, vector, vector));
        CHECK(memcmp(vector, product, sizeof product) == 0);
        vector[N + 7] = q;
        ENDS(PARCRYPT_ERROR_FIELD_ELEMENT, parcrypt_matrix_product(rt, matrix, vector, product));
        vector[N + 7] = 65536; /* 0 in 16 bits */
        parcrypt_status wide = parcrypt_matrix_product(rt, matrix, vector, product);
        CHECK(wide == (q < 65536 ? PARCRYPT_ERROR_FIELD_ELEMENT : PARCRYPT_OK));
        NO_POINTER(parcrypt_matrix_product(rt, matrix, NULL, product));
        NO_POINTER(parcrypt_matrix_product(rt, matrix, vector, NULL));
        NO_POINTER(parcrypt_matrix_product(rt, NULL, vector, product));
        NO_POINTER(parcrypt_matrix_product(NULL, matrix, vector, product));
        parcrypt_matrix_free(matrix);
        /* The transform of 1: a 1 in each slot, of two coefficients for ML-KEM. */
        for (size_t j = 0; j < N; j++)
            entries[j] = q == 3329 ? 1 - j % 2 : 1;
        memset(vector, 0, N * sizeof *vector);
        vector[3] = q - 1;
        OK(parcrypt_matrix_new(ring, 1, 1, true, entries, &matrix));
        OK(parcrypt_matrix_product(rt, matrix, vector, product));
        CHECK(memcmp(vector, product, N * sizeof *product) == 0);
        parcrypt_matrix_free(matrix);
        OK(parcrypt_matrix_new(ring, 1, 0, false, NULL, &matrix));
        OK(parcrypt_matrix_product(rt, matrix, NULL, product));
        CHECK(product[3] == 0);
        parcrypt_matrix_free(matrix);
        entries[5 * N] = UINT32_MAX;
        ENDS(PARCRYPT_ERROR_FIELD_ELEMENT, parcrypt_matrix_new(ring, 2, 3, false, entries, &matrix));
        CHECK(matrix == NULL);
        NO_LENGTH(parcrypt_matrix_new(ring, SIZE_MAX, 2, false, entries, &matrix));
        NO_LENGTH(parcrypt_matrix_new(ring, 1, SIZE_MAX, false, entries, &matrix));
        NO_POINTER(parcrypt_matrix_new(NULL, 2, 3, false, entries, &matrix));
        NO_POINTER(parcrypt_matrix_new(ring, 2, 3, false, NULL, &matrix));
        NO_POINTER(parcrypt_matrix_new(ring, 2, 3, false, entries, NULL));
        OK(parcrypt_ring_new(q, N, false, &other));
        ENDS(PARCRYPT_ERROR_PARAMETER, parcrypt_matrix_new(other, 1, 1, false, entries, &matrix));
        parcrypt_ring_free(other);
        parcrypt_ring_free(ring);
        free(entries);
        free(vector);
    }
    parcrypt_matrix_free(NULL);
}

/** Products whose values are known, and what must be refused. */
static void polynomials(parcrypt_runtime *rt) {
    static const struct {
        uint32_t modulus;
        size_t n;
    } rings[] = {{3329, 256}, {8380417, 256}, {3329, 128}, {998244353, 4}};
    for (size_t i = 0; i < 4; i++) {
        for (int negacyclic = 0; negacyclic <= 1; negacyclic++) {
            parcrypt_ring *ring = NULL;
            const size_t n = rings[i].n;
            uint32_t *a = get(2 * n * sizeof *a), *b = get(2 * n * sizeof *b), *c = get(2 * n * sizeof *c);
            OK(parcrypt_ring_new(rings[i].modulus, n, negacyclic != 0, &ring));
            /* X^(n-1) times 5 X^2 is 5 X, or -5 X; 1 times 7 is 7. */
            a[n - 1] = a[n] = 1;
            b[2] = 5;
            b[n] = 7;
            OK(parcrypt_ring_products(rt, ring, a, b, c, 2));
            CHECK(c[0] == 0 && c[1] == (negacyclic ? rings[i].modulus - 5 : 5) && c[2] == 0 && c[n] == 7);
            OK(parcrypt_ring_products(rt, ring, a, b, b, 2));
            CHECK(memcmp(b, c, 2 * n * sizeof *b) == 0);
            OK(parcrypt_ring_products(rt, ring, NULL, NULL, NULL, 0));
            b[n + 3] = rings[i].modulus;
            ENDS(PARCRYPT_ERROR_FIELD_ELEMENT, parcrypt_ring_products(rt, ring, a, b, c, 2));
            CHECK(c[n] == 7);
            NO_LENGTH(parcrypt_ring_products(rt, ring, a, b, c, SIZE_MAX));
            NO_LENGTH(parcrypt_ring_products(rt, ring, a, b, c, SIZE_MAX / n / 4));
            NO_POINTER(parcrypt_ring_products(rt, ring, NULL, b, c, 1));
            NO_POINTER(parcrypt_ring_products(rt, ring, a, NULL, c, 1));
            NO_POINTER(parcrypt_ring_products(rt, ring, a, b, NULL, 1));
            NO_POINTER(parcrypt_ring_products(rt, ring, a, (const uint32_t *)((const char *)b + 1), c, 1));
            NO_POINTER(parcrypt_ring_products(rt, NULL, a, b, c, 1));
            NO_POINTER(parcrypt_ring_products(NULL, ring, a, b, c, 1));
            parcrypt_ring_free(ring);
            free(a);
            free(b);
            free(c);
        }
    }
    matrices(rt);
    parcrypt_ring *ring = (parcrypt_ring *)&ring;
    ENDS(PARCRYPT_ERROR_PARAMETER, parcrypt_ring_new(3330, 256, true, &ring));
    CHECK(ring == NULL);
    ENDS(PARCRYPT_ERROR_PARAMETER, parcrypt_ring_new(3329, 4096, true, &ring));
    ENDS(PARCRYPT_ERROR_PARAMETER, parcrypt_ring_new(3329, 255, true, &ring));
    ENDS(PARCRYPT_ERROR_PARAMETER, parcrypt_ring_new(3329, 0, true, &ring));
    ENDS(PARCRYPT_ERROR_PARAMETER, parcrypt_ring_new(3329, SIZE_MAX, true, &ring));
    ENDS(PARCRYPT_ERROR_PARAMETER, parcrypt_ring_new(UINT32_MAX, 256, false, &ring));
    NO_POINTER(parcrypt_ring_new(3329, 256, true, NULL));
    parcrypt_ring_free(NULL);
}

/** Keys, signatures of messages of several lengths, and what must be refused. */
static void signatures(parcrypt_runtime *rt) {
    static const uint8_t messages[] = "onethree";
    static const size_t lengths[3] = {3, 0, 5}, more[3] = {3, 0, 6}, huge[3] = {SIZE_MAX, 3, 6};
    parcrypt_rw_secret_key *secret = NULL, *again = NULL;
    parcrypt_rw_public_key *public = NULL, *read = NULL;
    char pem[4096], *end;
    size_t size = 0;
    bool ok[3] = {false};
    uint8_t signed_once[3 * 129], signed_again[3 * 129];
    OK(parcrypt_rw_generate(rt, 1024, &secret));
    OK(parcrypt_rw_public_key_of(secret, &public));
    CHECK(parcrypt_rw_signature_length(public) == 129 && parcrypt_rw_signature_length(NULL) == 0);
    OK(parcrypt_rw_sign_many(rt, secret, messages, 8, lengths, signed_once, sizeof signed_once, 3));
    OK(parcrypt_rw_verify_many(rt, public, messages, 8, lengths, signed_once, sizeof signed_once, ok, 3));
    CHECK(ok[0] && ok[1] && ok[2]);
    OK(parcrypt_rw_sign_many(rt, secret, messages, 3, lengths, signed_again, 129, 1));
    CHECK(memcmp(signed_once, signed_again, 129) == 0);
    signed_once[129 + 50] ^= 1;
    OK(parcrypt_rw_verify_many(rt, public, messages, 8, lengths, signed_once, sizeof signed_once, ok, 3));
    CHECK(ok[0] && !ok[1] && ok[2]);
    signed_once[129 + 50] ^= 1;

    /* Through PEM and back. */
    NO_LENGTH(parcrypt_rw_secret_key_to_pem(secret, NULL, 0, &size));
    CHECK(size > 100 && size <= sizeof pem);
    NO_LENGTH(parcrypt_rw_secret_key_to_pem(secret, pem, size - 1, &size));
    OK(parcrypt_rw_secret_key_to_pem(secret, pem, size, &size));
    CHECK(strlen(pem) + 1 == size && strstr(pem, "RABIN WILLIAMS PRIVATE KEY") != NULL);
    OK(parcrypt_rw_secret_key_from_pem(rt, pem, &again));
    OK(parcrypt_rw_sign_many(rt, again, messages, 8, lengths, signed_again, sizeof signed_again, 3));
    CHECK(memcmp(signed_once, signed_again, sizeof signed_once) == 0);
    parcrypt_rw_secret_key_free(again);
    ENDS(PARCRYPT_ERROR_KEY, parcrypt_rw_public_key_from_pem(pem, &read));
    CHECK(read == NULL);
    end = strchr(pem, '\n');
    if (end != NULL) {
        end[20] = end[20] == 'A' ? 'B' : 'A';
    }
    ENDS(PARCRYPT_ERROR_KEY, parcrypt_rw_secret_key_from_pem(rt, pem, &again));
    ENDS(PARCRYPT_ERROR_KEY, parcrypt_rw_secret_key_from_pem(rt, "", &again));
    ENDS(PARCRYPT_ERROR_KEY, parcrypt_rw_secret_key_from_pem(rt, "\xff", &again));
    CHECK(again == NULL);
    OK(parcrypt_rw_public_key_to_pem(public, pem, sizeof pem, &size));
    OK(parcrypt_rw_public_key_from_pem(pem, &read));
    OK(parcrypt_rw_verify_many(rt, read, messages, 8, lengths, signed_once, sizeof signed_once, ok, 3));
    CHECK(ok[0] && ok[1] && ok[2]);
    parcrypt_rw_public_key_free(read);
    ENDS(PARCRYPT_ERROR_KEY, parcrypt_rw_public_key_from_pem("-----BEGIN NONE-----", &read));

    OK(parcrypt_rw_sign_many(rt, secret, NULL, 0, NULL, NULL, 0, 0));
    OK(parcrypt_rw_verify_many(rt, public, NULL, 0, NULL, NULL, 0, NULL, 0));
    NO_LENGTH(parcrypt_rw_sign_many(rt, secret, messages, 8, more, signed_once, sizeof signed_once, 3));
    SAYS("before message 2");
    NO_LENGTH(parcrypt_rw_sign_many(rt, secret, messages, 8, huge, signed_once, sizeof signed_once, 3));
    NO_LENGTH(parcrypt_rw_sign_many(rt, secret, messages, 9, lengths, signed_once, sizeof signed_once, 3));
    SAYS("1 bytes follow");
    NO_LENGTH(parcrypt_rw_sign_many(rt, secret, messages, 8, lengths, signed_once, 3 * 128, 3));
    NO_LENGTH(parcrypt_rw_sign_many(rt, secret, messages, 8, lengths, signed_once, 0, SIZE_MAX));
    NO_LENGTH(parcrypt_rw_verify_many(rt, public, messages, 8, lengths, signed_once, 3 * 128, ok, 3));
    NO_LENGTH(parcrypt_rw_verify_many(rt, public, messages, 7, lengths, signed_once, 3 * 129, ok, 3));
    NO_POINTER(parcrypt_rw_sign_many(rt, secret, NULL, 8, lengths, signed_once, 3 * 129, 3));
    NO_POINTER(parcrypt_rw_sign_many(rt, secret, messages, 8, NULL, signed_once, 3 * 129, 3));
    NO_POINTER(parcrypt_rw_sign_many(rt, secret, messages, 8, lengths, NULL, 3 * 129, 3));
    NO_POINTER(parcrypt_rw_sign_many(rt, NULL, messages, 8, lengths, signed_once, 3 * 129, 3));
    NO_POINTER(parcrypt_rw_sign_many(NULL, secret, messages, 8, lengths, signed_once, 3 * 129, 3));
    NO_POINTER(parcrypt_rw_verify_many(rt, public, messages, 8, lengths, NULL, 3 * 129, ok, 3));
    NO_POINTER(parcrypt_rw_verify_many(rt, public, messages, 8, lengths, signed_once, 3 * 129, NULL, 3));
    NO_POINTER(parcrypt_rw_verify_many(rt, NULL, messages, 8, lengths, signed_once, 3 * 129, ok, 3));
    NO_POINTER(parcrypt_rw_verify_many(NULL, public, messages, 8, lengths, signed_once, 3 * 129, ok, 3));
    ENDS(PARCRYPT_ERROR_PARAMETER, parcrypt_rw_generate(rt, 1000, &again));
    ENDS(PARCRYPT_ERROR_PARAMETER, parcrypt_rw_generate(rt, SIZE_MAX, &again));
    NO_POINTER(parcrypt_rw_generate(NULL, 1024, &again));
    NO_POINTER(parcrypt_rw_generate(rt, 1024, NULL));
    NO_POINTER(parcrypt_rw_public_key_of(NULL, &read));
    NO_POINTER(parcrypt_rw_public_key_of(secret, NULL));
    NO_POINTER(parcrypt_rw_secret_key_from_pem(rt, NULL, &again));
    NO_POINTER(parcrypt_rw_secret_key_from_pem(NULL, pem, &again));
    NO_POINTER(parcrypt_rw_public_key_from_pem(NULL, &read));
    NO_POINTER(parcrypt_rw_public_key_from_pem(pem, NULL));
    NO_POINTER(parcrypt_rw_public_key_to_pem(NULL, pem, sizeof pem, &size));
    size = 7;
    NO_POINTER(parcrypt_rw_public_key_to_pem(public, NULL, sizeof pem, &size));
    NO_POINTER(parcrypt_rw_secret_key_to_pem(secret, NULL, sizeof pem, &size));
    CHECK(size == 7);
    NO_POINTER(parcrypt_rw_public_key_to_pem(public, pem, sizeof pem, NULL));
    NO_POINTER(parcrypt_rw_secret_key_to_pem(NULL, pem, sizeof pem, &size));
    parcrypt_rw_secret_key_free(secret);
    parcrypt_rw_public_key_free(public);
    parcrypt_rw_secret_key_free(NULL);
    parcrypt_rw_public_key_free(NULL);
}

/** Some cells, from blobs and from other cells: the results of `d`, and every refusal. */
static void some_cells(const parcrypt_runtime *rt, const parcrypt_settings *s, const Data *d) {
    static const uint64_t wanted[3] = {5, 64, 127}, bad[2] = {7, 7}, large[1] = {128};
    static const size_t per_blob[2] = {64, 64};
    Data *r = get(sizeof(Data));
    uint8_t *expected = get(6 * CELL), proofs[3 * 48];
    for (size_t i = 0; i < 3; i++) {
        memcpy(expected + i * CELL, d->cells + wanted[i] * CELL, CELL);
        memcpy(expected + (3 + i) * CELL, d->cells + EXT + wanted[i] * CELL, CELL);
        memcpy(proofs + 48 * i, d->cell_proofs + 48 * wanted[i], 48);
    }
#define SOME(columns, n, cells, c, proofs, p)                                                                \
    parcrypt_compute_wanted(rt, s, d->blobs, BLOB, columns, n, cells, c, proofs, p, r->statuses, 1)
    OK(SOME(wanted, 3, r->cells, 3 * CELL, r->cell_proofs, 3 * 48));
    CHECK(memcmp(r->cells, expected, 3 * CELL) == 0 && memcmp(r->cell_proofs, proofs, 144) == 0);
    memset(r, 0xaa, sizeof *r);
    OK(SOME(wanted, 3, NULL, 0, r->cell_proofs, 3 * 48));
    CHECK(memcmp(r->cell_proofs, proofs, 144) == 0 && is_filled(r->cell_proofs + 144, 48, 0xaa));
    OK(SOME(wanted, 0, r->cells, 0, r->cell_proofs, 0));
    OK(SOME(wanted, 3, NULL, 0, NULL, 0));
    ENDS(PARCRYPT_ERROR_INDEX, SOME(bad, 2, r->cells, 2 * CELL, r->cell_proofs, 96));
    ENDS(PARCRYPT_ERROR_INDEX, SOME(large, 1, r->cells, CELL, NULL, 0));
    NO_LENGTH(SOME(wanted, 3, r->cells, 2 * CELL, NULL, 0));
    NO_LENGTH(SOME(wanted, 3, NULL, 0, r->cell_proofs, 96));
    NO_POINTER(SOME(NULL, 3, r->cells, 3 * CELL, NULL, 0));
    NO_POINTER(SOME(wanted, 3, NULL, 3 * CELL, NULL, 0));
    NO_POINTER(SOME(wanted, 3, NULL, 0, NULL, 144));
    memset(r, 0xaa, sizeof *r);
    OK(parcrypt_compute_wanted(rt, s, d->blobs, 2 * BLOB, wanted, 3, r->cells, 6 * CELL, NULL, 0, r->statuses,
                               2));
    CHECK(memcmp(r->cells, expected, 6 * CELL) == 0 && is_filled(r->statuses, 2 * sizeof(int32_t), 0));
    NO_LENGTH(parcrypt_compute_wanted(rt, s, d->blobs, 2 * BLOB, wanted, 3, r->cells, 5 * CELL, NULL, 0,
                                      r->statuses, 2));
    memset(r, 0xaa, sizeof *r);
    memcpy(r->blobs, d->cells, 64 * CELL);
    memcpy(r->blobs + 64 * CELL, d->cells + EXT + 64 * CELL, 64 * CELL);
    OK(parcrypt_recover_wanted(rt, s, per_blob, d->indices, CELLS, r->blobs, 128 * CELL, wanted, 3, r->cells,
                               6 * CELL, NULL, 0, r->statuses, 2));
    CHECK(memcmp(r->cells, expected, 6 * CELL) == 0);
    static const size_t few[1] = {63};
    ENDS(PARCRYPT_ERROR_ITEMS,
         parcrypt_recover_wanted(rt, s, few, d->indices, 63, d->cells, 63 * CELL, wanted, 3, r->cells,
                                 3 * CELL, NULL, 0, r->statuses, 1));
    CHECK(r->statuses[0] == PARCRYPT_ERROR_TOO_FEW_CELLS);
    free(expected);
    free(r);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: api FOLDER\n");
        return 2;
    }
    runtimes();
    parcrypt_settings *s = NULL, *exchanged = NULL;
    OK(parcrypt_settings_mainnet(NULL, &s));
    OK(parcrypt_settings_mainnet("", &exchanged));
    CHECK(strcmp(parcrypt_settings_backends(s), parcrypt_settings_backends(exchanged)) == 0);
    static const struct {
        const char *kind;
        size_t threads;
    } all[] = {{"serial", 1}, {"rayon", 3}, {"openmp", 2}};
    Data *d = NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        parcrypt_runtime *rt = NULL;
        if (parcrypt_runtime_new(all[i].kind, all[i].threads, &rt) != PARCRYPT_OK) {
            fprintf(stderr, "SKIP capi %s %s\n", all[i].kind, parcrypt_error_message());
            continue;
        }
        CHECK(parcrypt_runtime_threads(rt) == all[i].threads);
        if (d == NULL) {
            d = make_data();
            compute(rt, s, d);
            nulls(rt, s, d);
            lengths(rt, s, d);
            nonsense(rt, s, d);
            cells_as_they_come(rt, s, d);
            backends(rt, s);
            setups(rt, exchanged, argv[1]);
        }
        agrees(rt, s, d);
        some_cells(rt, s, d);
        secrets(rt);
        points(rt, d);
        polynomials(rt);
        signatures(rt);
        two_threads(rt, exchanged, d);
        parcrypt_runtime_free(rt);
    }
    free(d);
    parcrypt_settings_free(s);
    parcrypt_settings_free(exchanged);
    printf("api: %d failures\n", failures);
    return failures != 0;
}
