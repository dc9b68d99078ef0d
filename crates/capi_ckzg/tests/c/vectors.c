/*
 * Runs the official vectors. Reads lines `FUNCTION CASE INPUT...`, each input in hexadecimal digits, items of
 * a list one after another, numbers as 8 bytes; prints `FUNCTION CASE OUTPUT`, null where the call refused.
 *
 *     vectors SETUP PRECOMPUTE < CASES
 */
#define _POSIX_C_SOURCE 200809L

#include "support.h"

#include <sys/types.h>

#define CELLS CELLS_PER_EXT_BLOB
#define MAX_INPUTS 5

/** An input: some items of a known size. */
typedef struct {
    uint8_t *bytes;
    size_t length;
} Input;

static unsigned digit(char c) { return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10); }

static Input decode(const char *text) {
    Input input = {get(strlen(text) / 2 + 1, 1), 0};
    for (; text[0] != 0 && text[1] != 0; text += 2) {
        input.bytes[input.length++] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
    }
    return input;
}

/** Reads numbers of 8 bytes, most significant first. */
static uint64_t *numbers(Input input) {
    uint64_t *values = get(input.length / 8 + 1, sizeof(uint64_t));
    for (size_t i = 0; i < input.length; i++) {
        values[i / 8] = values[i / 8] << 8 | input.bytes[i];
    }
    return values;
}

static void answer(C_KZG_RET ret, const void *first, size_t first_length, const void *second,
                   size_t second_length) {
    if (ret == C_KZG_BADARGS) {
        printf("null");
    } else if (ret != C_KZG_OK) {
        printf("error %d", (int)ret);
    } else {
        print_hex(first, first_length);
        print_hex(second, second_length);
    }
}

static void answer_bool(C_KZG_RET ret, bool ok) {
    printf("%s", ret == C_KZG_BADARGS ? "null" : ret != C_KZG_OK ? "error" : ok ? "true" : "false");
}

static void answer_fr(C_KZG_RET ret, const fr_t *element) {
    Bytes32 bytes;
    if (ret == C_KZG_OK)
        bytes_from_bls_field(&bytes, element);
    answer(ret, &bytes, ret == C_KZG_OK ? 32 : 0, NULL, 0);
}

static void run(const char *function, Input in[MAX_INPUTS], const KZGSettings *s) {
    /* The function's name determines the meaning of the inputs. */
    const Blob *blob = (const Blob *)in[0].bytes;
    const Bytes48 *points[MAX_INPUTS];
    const Bytes32 *elements[MAX_INPUTS];
    for (size_t i = 0; i < MAX_INPUTS; i++) {
        points[i] = (const Bytes48 *)in[i].bytes;
        elements[i] = (const Bytes32 *)in[i].bytes;
    }
    KZGProof proof;
    Bytes32 y;
    bool ok = false;
    C_KZG_RET ret;
    if (strcmp(function, "blob_to_kzg_commitment") == 0) {
        ret = blob_to_kzg_commitment(&proof, blob, s);
        answer(ret, &proof, 48, NULL, 0);
    } else if (strcmp(function, "compute_kzg_proof") == 0) {
        ret = compute_kzg_proof(&proof, &y, blob, elements[1], s);
        answer(ret, &proof, 48, &y, 32);
    } else if (strcmp(function, "compute_blob_kzg_proof") == 0) {
        ret = compute_blob_kzg_proof(&proof, blob, points[1], s);
        answer(ret, &proof, 48, NULL, 0);
    } else if (strcmp(function, "verify_kzg_proof") == 0) {
        ret = verify_kzg_proof(&ok, points[0], elements[1], elements[2], points[3], s);
        answer_bool(ret, ok);
    } else if (strcmp(function, "verify_blob_kzg_proof") == 0) {
        ret = verify_blob_kzg_proof(&ok, blob, points[1], points[2], s);
        answer_bool(ret, ok);
    } else if (strcmp(function, "verify_blob_kzg_proof_batch") == 0) {
        ret = verify_blob_kzg_proof_batch(&ok, blob, points[1], points[2], in[0].length / sizeof(Blob), s);
        answer_bool(ret, ok);
    } else if (strcmp(function, "compute_challenge") == 0) {
        g1_t commitment;
        fr_t challenge;
        ret = bytes_to_kzg_commitment(&commitment, points[1]);
        if (ret == C_KZG_OK)
            compute_challenge(&challenge, blob, &commitment);
        answer_fr(ret, &challenge);
    } else if (strcmp(function, "compute_cells") == 0 ||
               strcmp(function, "compute_cells_and_kzg_proofs") == 0) {
        bool alone = strcmp(function, "compute_cells") == 0;
        Cell *cells = get(CELLS, sizeof(Cell));
        KZGProof *proofs = get(CELLS, sizeof(KZGProof));
        ret = compute_cells_and_kzg_proofs(cells, alone ? NULL : proofs, blob, s);
        answer(ret, cells, CELLS * sizeof(Cell), proofs, alone ? 0 : CELLS * sizeof(KZGProof));
        free(cells);
        free(proofs);
    } else if (strcmp(function, "recover_cells_and_kzg_proofs") == 0) {
        uint64_t *indices = numbers(in[0]);
        Cell *cells = get(CELLS, sizeof(Cell));
        KZGProof *proofs = get(CELLS, sizeof(KZGProof));
        ret = recover_cells_and_kzg_proofs(cells, proofs, indices, (const Cell *)in[1].bytes,
                                           in[0].length / 8, s);
        answer(ret, cells, CELLS * sizeof(Cell), proofs, CELLS * sizeof(KZGProof));
        free(indices);
        free(cells);
        free(proofs);
    } else if (strcmp(function, "verify_cell_kzg_proof_batch") == 0) {
        uint64_t *indices = numbers(in[1]);
        ret = verify_cell_kzg_proof_batch(&ok, points[0], indices, (const Cell *)in[2].bytes, points[3],
                                          in[1].length / 8, s);
        answer_bool(ret, ok);
        free(indices);
    } else if (strcmp(function, "compute_verify_cell_kzg_proof_batch_challenge") == 0) {
        uint64_t *rows = numbers(in[1]), *columns = numbers(in[2]);
        fr_t challenge;
        ret = compute_verify_cell_kzg_proof_batch_challenge(&challenge, points[0], in[0].length / 48, rows,
                                                            columns, (const Cell *)in[3].bytes, points[4],
                                                            in[1].length / 8);
        answer_fr(ret, &challenge);
        free(rows);
        free(columns);
    } else {
        printf("unknown");
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: vectors SETUP PRECOMPUTE < CASES\n");
        return 2;
    }
    KZGSettings settings;
    load(&settings, argv[1], strtoull(argv[2], NULL, 10));
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        const char *function = strtok(line, " \n"), *name = strtok(NULL, " \n");
        Input inputs[MAX_INPUTS] = {{NULL, 0}};
        for (size_t i = 0; i < MAX_INPUTS; i++) {
            const char *word = strtok(NULL, " \n");
            inputs[i] = decode(word == NULL || strcmp(word, "-") == 0 ? "" : word);
        }
        if (function == NULL || name == NULL)
            return 2;
        printf("%s %s ", function, name);
        run(function, inputs, &settings);
        printf("\n");
        for (size_t i = 0; i < MAX_INPUTS; i++) {
            free(inputs[i].bytes);
        }
    }
    free(line);
    free_trusted_setup(&settings);
    return 0;
}
