/*
 * Inputs that make c-kzg crash and that libparcrypt_ckzg refuses: null pointers, settings that are not
 * loaded, numbers that exceed the memory. And uses of a struct of settings: moved, copied, freed twice, used
 * by two threads.
 *
 *     refuse SETUP
 */
#include "support.h"

#include <pthread.h>

static int failures = 0;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                  \
            failures++;                                                                                      \
        }                                                                                                    \
    } while (0)

#define REFUSED(call) CHECK((call) == C_KZG_BADARGS)
#define FULL(call) CHECK((call) == C_KZG_MALLOC)

typedef struct {
    Blob blob;
    Cell cells[CELLS_PER_EXT_BLOB];
    KZGProof proofs[CELLS_PER_EXT_BLOB];
    uint64_t indices[CELLS_PER_EXT_BLOB];
    Bytes48 commitment, proof, out48;
    Bytes32 z, y, out32;
    g1_t point;
    fr_t element, polynomial[FIELD_ELEMENTS_PER_BLOB];
    Cell out_cells[CELLS_PER_EXT_BLOB];
    KZGProof out_proofs[CELLS_PER_EXT_BLOB];
    bool ok;
} Data;

static void nulls(Data *d, const KZGSettings *s) {
    REFUSED(blob_to_kzg_commitment(NULL, &d->blob, s));
    REFUSED(blob_to_kzg_commitment(&d->out48, NULL, s));
    REFUSED(blob_to_kzg_commitment(&d->out48, &d->blob, NULL));
    REFUSED(compute_kzg_proof(NULL, &d->out32, &d->blob, &d->z, s));
    REFUSED(compute_kzg_proof(&d->out48, NULL, &d->blob, &d->z, s));
    REFUSED(compute_kzg_proof(&d->out48, &d->out32, NULL, &d->z, s));
    REFUSED(compute_kzg_proof(&d->out48, &d->out32, &d->blob, NULL, s));
    REFUSED(compute_kzg_proof(&d->out48, &d->out32, &d->blob, &d->z, NULL));
    REFUSED(compute_blob_kzg_proof(NULL, &d->blob, &d->commitment, s));
    REFUSED(compute_blob_kzg_proof(&d->out48, NULL, &d->commitment, s));
    REFUSED(compute_blob_kzg_proof(&d->out48, &d->blob, NULL, s));
    REFUSED(compute_blob_kzg_proof(&d->out48, &d->blob, &d->commitment, NULL));
    REFUSED(verify_kzg_proof(NULL, &d->commitment, &d->z, &d->y, &d->proof, s));
    REFUSED(verify_kzg_proof(&d->ok, NULL, &d->z, &d->y, &d->proof, s));
    REFUSED(verify_kzg_proof(&d->ok, &d->commitment, NULL, &d->y, &d->proof, s));
    REFUSED(verify_kzg_proof(&d->ok, &d->commitment, &d->z, NULL, &d->proof, s));
    REFUSED(verify_kzg_proof(&d->ok, &d->commitment, &d->z, &d->y, NULL, s));
    REFUSED(verify_kzg_proof(&d->ok, &d->commitment, &d->z, &d->y, &d->proof, NULL));
    REFUSED(verify_blob_kzg_proof(NULL, &d->blob, &d->commitment, &d->proof, s));
    REFUSED(verify_blob_kzg_proof(&d->ok, NULL, &d->commitment, &d->proof, s));
    REFUSED(verify_blob_kzg_proof(&d->ok, &d->blob, NULL, &d->proof, s));
    REFUSED(verify_blob_kzg_proof(&d->ok, &d->blob, &d->commitment, NULL, s));
    REFUSED(verify_blob_kzg_proof(&d->ok, &d->blob, &d->commitment, &d->proof, NULL));
    REFUSED(verify_blob_kzg_proof_batch(NULL, &d->blob, &d->commitment, &d->proof, 1, s));
    REFUSED(verify_blob_kzg_proof_batch(NULL, &d->blob, &d->commitment, &d->proof, 0, s));
    REFUSED(verify_blob_kzg_proof_batch(&d->ok, NULL, &d->commitment, &d->proof, 1, s));
    REFUSED(verify_blob_kzg_proof_batch(&d->ok, &d->blob, NULL, &d->proof, 1, s));
    REFUSED(verify_blob_kzg_proof_batch(&d->ok, &d->blob, &d->commitment, NULL, 1, s));
    REFUSED(verify_blob_kzg_proof_batch(&d->ok, &d->blob, &d->commitment, &d->proof, 1, NULL));
    REFUSED(compute_cells_and_kzg_proofs(NULL, NULL, &d->blob, s));
    REFUSED(compute_cells_and_kzg_proofs(d->out_cells, d->out_proofs, NULL, s));
    REFUSED(compute_cells_and_kzg_proofs(d->out_cells, NULL, NULL, s));
    REFUSED(compute_cells_and_kzg_proofs(d->out_cells, d->out_proofs, &d->blob, NULL));
    REFUSED(recover_cells_and_kzg_proofs(NULL, d->out_proofs, d->indices, d->cells, 128, s));
    REFUSED(recover_cells_and_kzg_proofs(d->out_cells, d->out_proofs, NULL, d->cells, 128, s));
    REFUSED(recover_cells_and_kzg_proofs(d->out_cells, d->out_proofs, d->indices, NULL, 128, s));
    REFUSED(recover_cells_and_kzg_proofs(d->out_cells, d->out_proofs, d->indices, d->cells, 128, NULL));
    REFUSED(recover_cells_and_kzg_proofs(d->out_cells, d->out_proofs, NULL, NULL, 0, s));
    REFUSED(verify_cell_kzg_proof_batch(NULL, &d->commitment, d->indices, d->cells, d->proofs, 1, s));
    REFUSED(verify_cell_kzg_proof_batch(&d->ok, NULL, d->indices, d->cells, d->proofs, 1, s));
    REFUSED(verify_cell_kzg_proof_batch(&d->ok, &d->commitment, NULL, d->cells, d->proofs, 1, s));
    REFUSED(verify_cell_kzg_proof_batch(&d->ok, &d->commitment, d->indices, NULL, d->proofs, 1, s));
    REFUSED(verify_cell_kzg_proof_batch(&d->ok, &d->commitment, d->indices, d->cells, NULL, 1, s));
    REFUSED(verify_cell_kzg_proof_batch(&d->ok, &d->commitment, d->indices, d->cells, d->proofs, 1, NULL));
    const uint64_t *rows = d->indices;
    REFUSED(compute_verify_cell_kzg_proof_batch_challenge(NULL, &d->commitment, 1, rows, d->indices, d->cells,
                                                          d->proofs, 1));
    REFUSED(compute_verify_cell_kzg_proof_batch_challenge(&d->element, NULL, 1, rows, d->indices, d->cells,
                                                          d->proofs, 1));
    REFUSED(compute_verify_cell_kzg_proof_batch_challenge(&d->element, &d->commitment, 1, NULL, d->indices,
                                                          d->cells, d->proofs, 1));
    REFUSED(compute_verify_cell_kzg_proof_batch_challenge(&d->element, &d->commitment, 1, rows, NULL,
                                                          d->cells, d->proofs, 1));
    REFUSED(compute_verify_cell_kzg_proof_batch_challenge(&d->element, &d->commitment, 1, rows, d->indices,
                                                          NULL, d->proofs, 1));
    REFUSED(compute_verify_cell_kzg_proof_batch_challenge(&d->element, &d->commitment, 1, rows, d->indices,
                                                          d->cells, NULL, 1));
    REFUSED(bytes_to_bls_field(NULL, &d->z));
    REFUSED(bytes_to_bls_field(&d->element, NULL));
    REFUSED(bytes_to_kzg_commitment(NULL, &d->commitment));
    REFUSED(bytes_to_kzg_commitment(&d->point, NULL));
    REFUSED(bytes_to_kzg_proof(NULL, &d->proof));
    REFUSED(bytes_to_kzg_proof(&d->point, NULL));
    REFUSED(blob_to_polynomial(NULL, &d->blob));
    REFUSED(blob_to_polynomial(d->polynomial, NULL));

    /* These have no result to report an error with, and do nothing. */
    fr_t before = d->element;
    compute_challenge(NULL, &d->blob, &d->point);
    compute_challenge(&d->element, NULL, &d->point);
    compute_challenge(&d->element, &d->blob, NULL);
    bytes_from_uint64(NULL, 1);
    bytes_from_g1(NULL, &d->point);
    bytes_from_g1(&d->out48, NULL);
    bytes_from_bls_field(NULL, &d->element);
    bytes_from_bls_field(&d->out32, NULL);
    hash_to_bls_field(NULL, &d->z);
    hash_to_bls_field(&d->element, NULL);
    print_bytes32(NULL);
    print_bytes48(NULL);
    print_blob(NULL);
    print_cell(NULL);
    print_fr(NULL);
    print_g1(NULL);
    CHECK(!fr_equal(NULL, &d->element));
    CHECK(!fr_equal(&d->element, NULL));
    CHECK(!fr_is_one(NULL));
    void (*const of_two[])(fr_t *, const fr_t *, const fr_t *) = {fr_add, fr_sub, fr_mul, fr_div};
    for (size_t i = 0; i < 4; i++) {
        of_two[i](NULL, &d->element, &d->element);
        of_two[i](&d->element, NULL, &d->element);
        of_two[i](&d->element, &d->element, NULL);
    }
    fr_neg(NULL, &d->element);
    fr_neg(&d->element, NULL);
    fr_inv(NULL, &d->element);
    fr_inv(&d->element, NULL);
    fr_pow(NULL, &d->element, 2);
    fr_pow(&d->element, NULL, 2);
    fr_from_uint64(NULL, 2);
    CHECK(memcmp(&before, &d->element, sizeof before) == 0);
    g1_t point = d->point;
    g1_add(NULL, &d->point, &d->point);
    g1_add(&d->point, NULL, &d->point);
    g1_add(&d->point, &d->point, NULL);
    g1_sub(NULL, &d->point, &d->point);
    g1_sub(&d->point, NULL, &d->point);
    g1_sub(&d->point, &d->point, NULL);
    g1_mul(NULL, &d->point, &d->element);
    g1_mul(&d->point, NULL, &d->element);
    g1_mul(&d->point, &d->point, NULL);
    CHECK(memcmp(&point, &d->point, sizeof point) == 0);
}

/** Numbers that exceed the memory, and bytes that are not elements or points. */
static void nonsense(Data *d, const KZGSettings *s) {
    uint64_t numbers[] = {UINT64_MAX, (uint64_t)1 << 63, (uint64_t)1 << 60};
    for (size_t i = 0; i < 3; i++) {
        uint64_t n = numbers[i];
        FULL(verify_blob_kzg_proof_batch(&d->ok, &d->blob, &d->commitment, &d->proof, n, s));
        FULL(verify_cell_kzg_proof_batch(&d->ok, &d->commitment, d->indices, d->cells, d->proofs, n, s));
        FULL(compute_verify_cell_kzg_proof_batch_challenge(&d->element, &d->commitment, n, d->indices,
                                                           d->indices, d->cells, d->proofs, 1));
        REFUSED(recover_cells_and_kzg_proofs(d->out_cells, NULL, d->indices, d->cells, n, s));
    }
    fr_t element, out;
    memset(&element, 0xff, sizeof element);
    fr_mul(&out, &element, &element);
    CHECK(fr_equal(&out, &FR_ZERO));
    g1_t point, sum;
    memset(&point, 0xff, sizeof point);
    g1_add(&sum, &point, &d->point);
    bytes_from_g1(&d->out48, &sum);
    CHECK(memcmp(&d->out48, &d->commitment, 48) == 0);
}

static void settings_that_are_not_loaded(Data *d, const KZGSettings *s) {
    REFUSED(blob_to_kzg_commitment(&d->out48, &d->blob, s));
    REFUSED(compute_kzg_proof(&d->out48, &d->out32, &d->blob, &d->z, s));
    REFUSED(compute_blob_kzg_proof(&d->out48, &d->blob, &d->commitment, s));
    REFUSED(verify_kzg_proof(&d->ok, &d->commitment, &d->z, &d->y, &d->proof, s));
    REFUSED(verify_blob_kzg_proof(&d->ok, &d->blob, &d->commitment, &d->proof, s));
    REFUSED(verify_blob_kzg_proof_batch(&d->ok, &d->blob, &d->commitment, &d->proof, 1, s));
    REFUSED(compute_cells_and_kzg_proofs(d->out_cells, d->out_proofs, &d->blob, s));
    REFUSED(recover_cells_and_kzg_proofs(d->out_cells, d->out_proofs, d->indices, d->cells, 128, s));
    REFUSED(verify_cell_kzg_proof_batch(&d->ok, &d->commitment, d->indices, d->cells, d->proofs, 1, s));
}

static void loading(const char *path) {
    FILE *file = fopen(path, "r");
    KZGSettings s;
    uint8_t byte = 0;
    CHECK(file != NULL);
    REFUSED(load_trusted_setup_file(NULL, file, 0));
    REFUSED(load_trusted_setup_file(&s, NULL, 0));
    CHECK(s.roots_of_unity == NULL);
    CHECK(ftell(file) == 0);
    fclose(file);
    REFUSED(load_trusted_setup(NULL, &byte, 1, &byte, 1, &byte, 1, 0));
    REFUSED(load_trusted_setup(&s, NULL, 4096 * 48, &byte, 1, &byte, 1, 0));
    REFUSED(load_trusted_setup(&s, &byte, 1, NULL, 4096 * 48, &byte, 1, 0));
    REFUSED(load_trusted_setup(&s, &byte, 1, &byte, 1, NULL, 65 * 96, 0));
    REFUSED(load_trusted_setup(&s, NULL, 0, NULL, 0, NULL, 0, 0));
    FULL(load_trusted_setup(&s, &byte, UINT64_MAX, &byte, 1, &byte, 1, 0));
    free_trusted_setup(NULL);

    /* The file's position is after the last point: the line end is still to be read. */
    file = fopen(path, "r");
    CHECK(load_trusted_setup_file(&s, file, 0) == C_KZG_OK);
    CHECK(getc(file) == '\n' && getc(file) == EOF);
    fclose(file);
    free_trusted_setup(&s);
}

typedef struct {
    const Data *data;
    const KZGSettings *settings;
    int failures;
} Work;

static void *work(void *argument) {
    Work *w = argument;
    const Data *d = w->data;
    for (int i = 0; i < 4; i++) {
        KZGCommitment commitment;
        bool ok = false;
        w->failures += blob_to_kzg_commitment(&commitment, &d->blob, w->settings) != C_KZG_OK;
        w->failures += memcmp(&commitment, &d->commitment, 48) != 0;
        w->failures +=
            verify_blob_kzg_proof(&ok, &d->blob, &d->commitment, &d->proof, w->settings) != C_KZG_OK || !ok;
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: refuse SETUP\n");
        return 2;
    }
    loading(argv[1]);
    KZGSettings s;
    load(&s, argv[1], 0);
    Data *d = get(1, sizeof(Data));
    uint64_t state = 1;
    random_blob(&d->blob, &state);
    random_element(d->z.bytes, &state);
    CHECK(blob_to_kzg_commitment(&d->commitment, &d->blob, &s) == C_KZG_OK);
    CHECK(compute_blob_kzg_proof(&d->proof, &d->blob, &d->commitment, &s) == C_KZG_OK);
    CHECK(compute_cells_and_kzg_proofs(d->cells, d->proofs, &d->blob, &s) == C_KZG_OK);
    CHECK(bytes_to_kzg_commitment(&d->point, &d->commitment) == C_KZG_OK);
    for (uint64_t i = 0; i < CELLS_PER_EXT_BLOB; i++) {
        d->indices[i] = i;
    }
    nulls(d, &s);
    nonsense(d, &s);

    /* Cells that do not lie on one polynomial. */
    d->cells[0].bytes[31] ^= 1;
    REFUSED(recover_cells_and_kzg_proofs(d->out_cells, NULL, d->indices, d->cells, 65, &s));
    REFUSED(recover_cells_and_kzg_proofs(d->out_cells, d->out_proofs, d->indices, d->cells, 127, &s));
    d->cells[0].bytes[31] ^= 1;

    /* The output may be the input. */
    Cell *cells = get(CELLS_PER_EXT_BLOB, sizeof(Cell));
    memcpy(cells, d->cells, CELLS_PER_EXT_BLOB * sizeof(Cell));
    memset(cells + 64, 0, 64 * sizeof(Cell));
    CHECK(recover_cells_and_kzg_proofs(cells, NULL, d->indices, cells, 64, &s) == C_KZG_OK);
    CHECK(memcmp(cells, d->cells, CELLS_PER_EXT_BLOB * sizeof(Cell)) == 0);
    free(cells);

    /* A copy works like the struct. */
    KZGSettings *copy = get(1, sizeof(KZGSettings));
    *copy = s;
    memset(&s, 0, sizeof s);
    settings_that_are_not_loaded(d, &s);
    free_trusted_setup(&s);
    pthread_t threads[2];
    Work works[2] = {{d, copy, 0}, {d, copy, 0}};
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_create(&threads[i], NULL, work, &works[i]) == 0);
    }
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(works[i].failures == 0);
    }
    free_trusted_setup(copy);
    CHECK(copy->roots_of_unity == NULL && copy->wbits == 0);
    settings_that_are_not_loaded(d, copy);
    free_trusted_setup(copy);
    free(copy);
    free(d);
    printf("refuse: %d failures\n", failures);
    return failures != 0;
}
