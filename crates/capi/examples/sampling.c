/*
 * A blob is extended to 128 cells with proofs; half of the cells are lost; a sampler with the other half
 * verifies them and recovers the blob. Then the same for twelve blobs at once, on all cores.
 *
 *     cc sampling.c $(pkg-config --cflags --libs parcrypt) -o sampling && ./sampling
 */
#include <parcrypt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOBS 12
#define HALF (PARCRYPT_CELLS_PER_EXT_BLOB / 2)

static int check(parcrypt_status status) {
    if (status != PARCRYPT_OK) {
        fprintf(stderr, "%s: %s\n", parcrypt_status_name(status), parcrypt_error_message());
    }
    return status == PARCRYPT_OK;
}

/** The producer's output, and the half of it that the sampler has: the cells with odd indices. */
typedef struct {
    uint8_t blobs[BLOBS][PARCRYPT_BYTES_PER_BLOB];
    uint8_t commitments[BLOBS][PARCRYPT_BYTES_PER_COMMITMENT];
    uint8_t cells[BLOBS][PARCRYPT_CELLS_PER_EXT_BLOB][PARCRYPT_BYTES_PER_CELL];
    uint8_t proofs[BLOBS][PARCRYPT_CELLS_PER_EXT_BLOB][PARCRYPT_BYTES_PER_PROOF];
    parcrypt_status statuses[BLOBS];

    size_t left[BLOBS];
    uint64_t indices[BLOBS][HALF];
    uint8_t left_commitments[BLOBS][HALF][PARCRYPT_BYTES_PER_COMMITMENT];
    uint8_t left_cells[BLOBS][HALF][PARCRYPT_BYTES_PER_CELL];
    uint8_t left_proofs[BLOBS][HALF][PARCRYPT_BYTES_PER_PROOF];
    uint8_t recovered[BLOBS][PARCRYPT_CELLS_PER_EXT_BLOB][PARCRYPT_BYTES_PER_CELL];
} Data;

static int produce(const parcrypt_runtime *rt, const parcrypt_settings *settings, Data *d) {
    /* The first byte of each field element stays 0, so that it is below the modulus. */
    for (size_t i = 0; i < BLOBS; i++) {
        for (size_t j = 0; j < PARCRYPT_BYTES_PER_BLOB; j++) {
            d->blobs[i][j] = (uint8_t)(j % 32 == 0 ? 0 : i + 7 * j);
        }
    }
    for (size_t i = 0; i < BLOBS; i++) {
        if (!check(parcrypt_blob_to_kzg_commitment(rt, settings, d->blobs[i], sizeof d->blobs[i],
                                                   d->commitments[i])))
            return 0;
    }
    /* All 128 columns, cells and proofs. */
    return check(parcrypt_compute_wanted(rt, settings, d->blobs[0], sizeof d->blobs, NULL, 0, d->cells[0][0],
                                         sizeof d->cells, d->proofs[0][0], sizeof d->proofs, d->statuses,
                                         BLOBS));
}

static void lose(Data *d) {
    for (size_t i = 0; i < BLOBS; i++) {
        d->left[i] = HALF;
        for (size_t j = 0; j < HALF; j++) {
            d->indices[i][j] = 2 * j + 1;
            memcpy(d->left_commitments[i][j], d->commitments[i], PARCRYPT_BYTES_PER_COMMITMENT);
            memcpy(d->left_cells[i][j], d->cells[i][2 * j + 1], PARCRYPT_BYTES_PER_CELL);
            memcpy(d->left_proofs[i][j], d->proofs[i][2 * j + 1], PARCRYPT_BYTES_PER_PROOF);
        }
    }
}

static int sample(const parcrypt_runtime *rt, const parcrypt_settings *settings, Data *d) {
    bool ok = false;
    return check(parcrypt_verify_cell_kzg_proof_batch(rt, settings, d->left_commitments[0][0],
                                                      sizeof d->left_commitments, d->indices[0], BLOBS * HALF,
                                                      d->left_cells[0][0], sizeof d->left_cells,
                                                      d->left_proofs[0][0], sizeof d->left_proofs, &ok)) &&
           ok &&
           check(parcrypt_recover_wanted(
               rt, settings, d->left, d->indices[0], BLOBS * HALF, d->left_cells[0][0], sizeof d->left_cells,
               NULL, 0, d->recovered[0][0], sizeof d->recovered, NULL, 0, d->statuses, BLOBS));
}

int main(void) {
    int result = EXIT_FAILURE;
    parcrypt_runtime *rt = NULL;
    parcrypt_settings *settings = NULL;
    Data *d = calloc(1, sizeof *d);
    if (d == NULL || !check(parcrypt_runtime_new("rayon", 0, &rt)) ||
        !check(parcrypt_settings_mainnet(NULL, &settings)))
        goto out;
    if (!produce(rt, settings, d))
        goto out;
    lose(d);
    if (!sample(rt, settings, d))
        goto out;
    /* The first half of the cells is the blob. */
    for (size_t i = 0; i < BLOBS; i++) {
        if (memcmp(d->recovered[i], d->blobs[i], PARCRYPT_BYTES_PER_BLOB) != 0)
            goto out;
    }
    printf("%d blobs recovered from half of their cells, on %zu threads\n", BLOBS,
           parcrypt_runtime_threads(rt));
    result = EXIT_SUCCESS;

out:
    parcrypt_settings_free(settings);
    parcrypt_runtime_free(rt);
    free(d);
    return result;
}
