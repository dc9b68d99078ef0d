/*
 * Calls every function with good and with bad inputs, and prints the result and all outputs of each call. It
 * is compiled with c-kzg's header and run once with each library; both must print the same.
 *
 *     differential SETUP PRECOMPUTE SEED
 */
#include "support.h"

#define CELLS CELLS_PER_EXT_BLOB
#define G1_BYTES ((size_t)4096 * 48)
#define G2_BYTES ((size_t)65 * 96)

/** r - 1, r and r + 1 as bytes. */
static const Bytes32 BELOW_MODULUS = {{0x73, 0xed, 0xa7, 0x53, 0x29, 0x9d, 0x7d, 0x48, 0x33, 0x39, 0xd8,
                                       0x08, 0x09, 0xa1, 0xd8, 0x05, 0x53, 0xbd, 0xa4, 0x02, 0xff, 0xfe,
                                       0x5b, 0xfe, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00}};

static Bytes32 element_plus(uint8_t n) {
    Bytes32 element = BELOW_MODULUS;
    element.bytes[31] = n;
    return element;
}

/** Bytes that are not a point, or points outside the subgroup, with their error. */
typedef struct {
    const char *name;
    Bytes48 bytes;
} Point;

#define BAD_POINTS 8

static void bad_points(Point points[BAD_POINTS], const Bytes48 *good) {
    static const char *const names[BAD_POINTS] = {
        "not compressed",      "infinity with a coordinate",   "infinity with a sign",     "x is not below p",
        "no point has this x", "x is 4, outside the subgroup", "infinity, not compressed", "zeros"};
    memset(points, 0, BAD_POINTS * sizeof(Point));
    for (size_t i = 0; i < BAD_POINTS; i++) {
        points[i].name = names[i];
    }
    points[0].bytes = *good;
    points[0].bytes.bytes[0] &= 0x7f;
    points[1].bytes.bytes[0] = 0xc0;
    points[1].bytes.bytes[47] = 1;
    points[2].bytes.bytes[0] = 0xe0;
    memset(points[3].bytes.bytes, 0xff, 48);
    points[3].bytes.bytes[0] = 0x9f;
    points[4].bytes.bytes[0] = 0x80;
    points[4].bytes.bytes[47] = 1;
    points[5].bytes.bytes[0] = 0x80;
    points[5].bytes.bytes[47] = 4;
    points[6].bytes.bytes[0] = 0x40;
}

/* --- Setup ----------------------------------------------------------------------- */

static void show_emptied(const char *name, C_KZG_RET ret, KZGSettings *s) {
    printf("%s: %d, emptied %d\n", name, (int)ret,
           s->roots_of_unity == NULL && s->brp_roots_of_unity == NULL && s->reverse_roots_of_unity == NULL &&
               s->g1_values_monomial == NULL && s->g1_values_lagrange_brp == NULL &&
               s->g2_values_monomial == NULL && s->x_ext_fft_columns == NULL && s->tables == NULL &&
               s->wbits == 0 && s->scratch_size == 0);
    free_trusted_setup(s);
    free_trusted_setup(s);
}

/** Reads the points of a file in text form. */
static void read_points(const char *path, uint8_t *g1_lagrange, uint8_t *g2_monomial, uint8_t *g1_monomial) {
    FILE *file = fopen(path, "r");
    unsigned first, second;
    if (file == NULL || fscanf(file, "%u %u", &first, &second) != 2)
        exit(2);
    uint8_t *lists[3] = {g1_lagrange, g2_monomial, g1_monomial};
    size_t lengths[3] = {G1_BYTES, G2_BYTES, G1_BYTES};
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < lengths[i]; j++) {
            if (fscanf(file, "%2hhx", &lists[i][j]) != 1)
                exit(2);
        }
    }
    fclose(file);
}

static void show_text(const char *name, const char *text, size_t length) {
    KZGSettings s;
    memset(&s, 0x55, sizeof s);
    FILE *file = tmpfile();
    if (file == NULL || fwrite(text, 1, length, file) != length)
        exit(2);
    rewind(file);
    C_KZG_RET ret = load_trusted_setup_file(&s, file, 0);
    show_emptied(name, ret, &s);
    fclose(file);
}

static void setups(const char *path) {
    KZGSettings s;
    uint8_t *lagrange = get(G1_BYTES, 1), *monomial = get(G1_BYTES, 1), *g2 = get(G2_BYTES, 1);
    read_points(path, lagrange, g2, monomial);
    uint64_t n1 = G1_BYTES, n2 = G2_BYTES;

    memset(&s, 0x55, sizeof s);
    show_emptied("precompute 16", load_trusted_setup(&s, monomial, n1, lagrange, n1, g2, n2, 16), &s);
    show_emptied("precompute 2^64 - 1",
                 load_trusted_setup(&s, monomial, n1, lagrange, n1, g2, n2, UINT64_MAX), &s);
    show_emptied("monomial short", load_trusted_setup(&s, monomial, n1 - 1, lagrange, n1, g2, n2, 0), &s);
    show_emptied("lagrange short", load_trusted_setup(&s, monomial, n1, lagrange, n1 - 48, g2, n2, 0), &s);
    show_emptied("g2 short", load_trusted_setup(&s, monomial, n1, lagrange, n1, g2, n2 - 96, 0), &s);
    show_emptied("nothing", load_trusted_setup(&s, monomial, 0, lagrange, 0, g2, 0, 0), &s);
    show_emptied("the monomial form twice", load_trusted_setup(&s, monomial, n1, monomial, n1, g2, n2, 0),
                 &s);
    lagrange[48 * 77] ^= 0x80;
    show_emptied("a point of lagrange", load_trusted_setup(&s, monomial, n1, lagrange, n1, g2, n2, 0), &s);
    lagrange[48 * 77] ^= 0x80;
    monomial[48 * 4095] ^= 0x80;
    show_emptied("a point of monomial", load_trusted_setup(&s, monomial, n1, lagrange, n1, g2, n2, 0), &s);
    monomial[48 * 4095] ^= 0x80;
    g2[96 * 64] ^= 0x80;
    show_emptied("a point of g2", load_trusted_setup(&s, monomial, n1, lagrange, n1, g2, n2, 0), &s);

    show_text("an empty file", "", 0);
    show_text("another file", "hello, world\n", 13);
    show_text("one number", "4096", 4);
    show_text("another number", "4095 65 ", 8);
    show_text("another number of G2", "4096\n64\n", 8);
    show_text("a number that is too large", "18446744073709551616 65", 23);
    show_text("no points", "4096\n65\n", 8);
    show_text("no digits", "4096\n65\nzz", 10);
    char zeros[4096 + 8];
    memcpy(zeros, "4096 65 ", 8);
    memset(zeros + 8, '0', sizeof zeros - 8);
    show_text("too short", zeros, sizeof zeros);
    free(lagrange);
    free(monomial);
    free(g2);
}

static void fields(const KZGSettings *s, uint64_t precompute) {
    static const size_t roots[] = {0, 1, 2, 4095, 4096, 8191, 8192}, points[] = {0, 1, 2, 2048, 4094, 4095};
    for (size_t i = 0; i < 7; i++) {
        show("root", C_KZG_OK, &s->roots_of_unity[roots[i]], sizeof(fr_t));
        show("reverse root", C_KZG_OK, &s->reverse_roots_of_unity[roots[i]], sizeof(fr_t));
        if (i < 6)
            show("permuted root", C_KZG_OK, &s->brp_roots_of_unity[roots[i]], sizeof(fr_t));
    }
    for (size_t i = 0; i < 6; i++) {
        show("monomial", C_KZG_OK, &s->g1_values_monomial[points[i]], sizeof(g1_t));
        show("lagrange", C_KZG_OK, &s->g1_values_lagrange_brp[points[i]], sizeof(g1_t));
    }
    show("g2", C_KZG_OK, s->g2_values_monomial, 65 * sizeof(g2_t));
    for (size_t row = 0; row < 128; row += 127) {
        for (size_t offset = 0; offset < 64; offset += 21) {
            Bytes48 bytes;
            bytes_from_g1(&bytes, &s->x_ext_fft_columns[row][offset]);
            show("column", C_KZG_OK, &bytes, 48);
        }
    }
    printf("wbits %zu as given %d\n", s->wbits, s->wbits == precompute);
}

/* --- Arithmetic ------------------------------------------------------------------ */

static void show_fr(const char *name, const fr_t *x) {
    Bytes32 bytes;
    bytes_from_bls_field(&bytes, x);
    show(name, C_KZG_OK, x, sizeof *x);
    show(name, C_KZG_OK, &bytes, 32);
}

static void show_g1(const char *name, const g1_t *p) {
    Bytes48 bytes;
    bytes_from_g1(&bytes, p);
    show(name, C_KZG_OK, &bytes, 48);
}

static void arithmetic(uint64_t *state) {
    uint8_t eight[8];
    bytes_from_uint64(eight, 0x0123456789abcdef);
    show("bytes_from_uint64", C_KZG_OK, eight, 8);

    fr_t elements[6], out;
    fr_from_uint64(&elements[0], 0);
    fr_from_uint64(&elements[1], 1);
    fr_from_uint64(&elements[2], UINT64_MAX);
    Bytes32 bytes = BELOW_MODULUS;
    show("bytes_to_bls_field, r - 1", bytes_to_bls_field(&elements[3], &bytes), &elements[3], sizeof(fr_t));
    for (uint8_t n = 1; n < 3; n++) {
        bytes = element_plus(n);
        memset(&out, 0xaa, sizeof out);
        show("bytes_to_bls_field, too large", bytes_to_bls_field(&out, &bytes), &out, sizeof out);
        hash_to_bls_field(&out, &bytes);
        show_fr("hash_to_bls_field", &out);
    }
    memset(&bytes, 0xff, sizeof bytes);
    hash_to_bls_field(&elements[4], &bytes);
    random_element(bytes.bytes, state);
    show("bytes_to_bls_field", bytes_to_bls_field(&elements[5], &bytes), &elements[5], sizeof(fr_t));

    for (size_t i = 0; i < 6; i++) {
        show_fr("element", &elements[i]);
        fr_neg(&out, &elements[i]);
        show_fr("fr_neg", &out);
        fr_inv(&out, &elements[i]);
        show_fr("fr_inv", &out);
        static const uint64_t powers[] = {0, 1, 2, 4096, UINT64_MAX};
        for (size_t j = 0; j < 5; j++) {
            fr_pow(&out, &elements[i], powers[j]);
            show_fr("fr_pow", &out);
        }
        printf("fr_is_one %d\n", fr_is_one(&elements[i]));
        for (size_t j = 0; j < 6; j++) {
            printf("fr_equal %d\n", fr_equal(&elements[i], &elements[j]));
            fr_add(&out, &elements[i], &elements[j]);
            show_fr("fr_add", &out);
            fr_sub(&out, &elements[i], &elements[j]);
            show_fr("fr_sub", &out);
            fr_mul(&out, &elements[i], &elements[j]);
            show_fr("fr_mul", &out);
            fr_div(&out, &elements[i], &elements[j]);
            show_fr("fr_div", &out);
        }
        print_fr(&elements[i]);
    }
    out = elements[5];
    fr_mul(&out, &out, &out);
    show_fr("in place", &out);
    fr_sub(&out, &elements[4], &out);
    show_fr("in place of the second operand", &out);
    fr_div(&out, &out, &elements[4]);
    show_fr("in place of the first operand", &out);
}

static void points(const KZGSettings *s, const fr_t *scalar) {
    g1_t all[4], out;
    all[0] = G1_IDENTITY;
    all[1] = s->g1_values_monomial[1];
    g1_mul(&all[2], &all[1], scalar);
    g1_sub(&all[3], &all[0], &all[2]);
    for (size_t i = 0; i < 4; i++) {
        show_g1("point", &all[i]);
        print_g1(&all[i]);
        g1_mul(&out, &all[i], scalar);
        show_g1("g1_mul", &out);
        g1_mul(&out, &all[i], &FR_ZERO);
        show_g1("g1_mul, 0", &out);
        for (size_t j = 0; j < 4; j++) {
            g1_add(&out, &all[i], &all[j]);
            show_g1("g1_add", &out);
            g1_sub(&out, &all[i], &all[j]);
            show_g1("g1_sub", &out);
        }
    }
    Bytes48 good;
    bytes_from_g1(&good, &all[2]);
    print_bytes48(&good);
    C_KZG_RET ret = bytes_to_kzg_commitment(&out, &good);
    show("bytes_to_kzg_commitment", ret, &out, sizeof out);
    ret = bytes_to_kzg_proof(&out, &good);
    show("bytes_to_kzg_proof", ret, &out, sizeof out);
    Point bad[BAD_POINTS];
    bad_points(bad, &good);
    for (size_t i = 0; i < BAD_POINTS; i++) {
        memset(&out, 0xaa, sizeof out);
        ret = bytes_to_kzg_commitment(&out, &bad[i].bytes);
        printf("%s: %d\n", bad[i].name, (int)ret);
        printf("%s: %d\n", bad[i].name, (int)bytes_to_kzg_proof(&out, &bad[i].bytes));
    }
}

/* --- EIP-4844 -------------------------------------------------------------------- */

#define BLOBS 5

typedef struct {
    Blob *blobs;
    Bytes48 commitments[BLOBS];
    Bytes48 proofs[BLOBS];
} Blobs;

/** Two random blobs, one of zeros, a constant one, and one of r - 1. */
static void make_blobs(Blobs *b, const KZGSettings *s, uint64_t *state) {
    b->blobs = get(BLOBS, sizeof(Blob));
    random_blob(&b->blobs[0], state);
    random_blob(&b->blobs[1], state);
    for (size_t i = 0; i < FIELD_ELEMENTS_PER_BLOB; i++) {
        b->blobs[3].bytes[32 * i + 31] = 7;
        memcpy(&b->blobs[4].bytes[32 * i], BELOW_MODULUS.bytes, 32);
    }
    for (size_t i = 0; i < BLOBS; i++) {
        C_KZG_RET ret = blob_to_kzg_commitment(&b->commitments[i], &b->blobs[i], s);
        show("blob_to_kzg_commitment", ret, &b->commitments[i], 48);
        ret = compute_blob_kzg_proof(&b->proofs[i], &b->blobs[i], &b->commitments[i], s);
        show("compute_blob_kzg_proof", ret, &b->proofs[i], 48);
    }
}

static void eip4844(const Blobs *b, const KZGSettings *s, uint64_t *state) {
    C_KZG_RET ret;
    KZGProof proof;
    Bytes32 y;
    bool ok;

    /* Blobs with an element that is not below the modulus. */
    static const size_t places[] = {0, 1, 2047, 4095};
    Blob *bad = get(1, sizeof(Blob));
    fr_t *polynomial = get(FIELD_ELEMENTS_PER_BLOB, sizeof(fr_t));
    ret = blob_to_polynomial(polynomial, &b->blobs[0]);
    show("blob_to_polynomial", ret, polynomial, FIELD_ELEMENTS_PER_BLOB * sizeof(fr_t));
    for (size_t i = 0; i < 4; i++) {
        *bad = b->blobs[0];
        memcpy(&bad->bytes[32 * places[i]], element_plus(1).bytes, 32);
        memset(&proof, 0xaa, sizeof proof);
        memset(&y, 0xaa, sizeof y);
        memset(polynomial, 0xaa, FIELD_ELEMENTS_PER_BLOB * sizeof(fr_t));
        ret = blob_to_polynomial(polynomial, bad);
        show("bad blob, blob_to_polynomial", ret, polynomial, FIELD_ELEMENTS_PER_BLOB * sizeof(fr_t));
        show("bad blob, blob_to_kzg_commitment", blob_to_kzg_commitment(&proof, bad, s), &proof, 48);
        ret = compute_kzg_proof(&proof, &y, bad, &BELOW_MODULUS, s);
        show("bad blob, compute_kzg_proof", ret, &proof, 48);
        show("bad blob, compute_kzg_proof", ret, &y, 32);
        ret = compute_blob_kzg_proof(&proof, bad, &b->commitments[0], s);
        show("bad blob, compute_blob_kzg_proof", ret, &proof, 48);
        ok = true;
        ret = verify_blob_kzg_proof(&ok, bad, &b->commitments[0], &b->proofs[0], s);
        show_bool("bad blob, verify_blob_kzg_proof", ret, ok);
        fr_t challenge;
        g1_t point;
        ret = bytes_to_kzg_commitment(&point, &b->commitments[0]);
        compute_challenge(&challenge, bad, &point);
        show("bad blob, compute_challenge", ret, &challenge, sizeof challenge);
    }
    free(polynomial);

    /* Evaluation points: random ones, points of the domain, and the ends of the field. */
    Bytes32 z[6];
    memset(z, 0, sizeof z);
    random_element(z[0].bytes, state);
    z[2].bytes[31] = 1;
    bytes_from_bls_field(&z[3], &s->brp_roots_of_unity[1234]);
    bytes_from_bls_field(&z[4], &s->brp_roots_of_unity[5000]);
    z[5] = BELOW_MODULUS;
    for (size_t i = 0; i < BLOBS; i++) {
        for (size_t j = 0; j < 6; j++) {
            if (i > 1 && j > 3)
                continue;
            ret = compute_kzg_proof(&proof, &y, &b->blobs[i], &z[j], s);
            show("compute_kzg_proof, proof", ret, &proof, 48);
            show("compute_kzg_proof, y", ret, &y, 32);
            ret = verify_kzg_proof(&ok, &b->commitments[i], &z[j], &y, &proof, s);
            show_bool("verify_kzg_proof", ret, ok);
            y.bytes[31] ^= 1;
            ret = verify_kzg_proof(&ok, &b->commitments[i], &z[j], &y, &proof, s);
            show_bool("verify_kzg_proof, another y", ret, ok);
        }
    }
    Bytes32 modulus = element_plus(1);
    memset(&proof, 0xaa, sizeof proof);
    memset(&y, 0xaa, sizeof y);
    ret = compute_kzg_proof(&proof, &y, &b->blobs[0], &modulus, s);
    show("z = r", ret, &proof, 48);
    show("z = r", ret, &y, 32);
    ok = true;
    show_bool("z = r", verify_kzg_proof(&ok, &b->commitments[0], &modulus, &z[0], &b->proofs[0], s), ok);
    ok = true;
    show_bool("y = r", verify_kzg_proof(&ok, &b->commitments[0], &z[0], &modulus, &b->proofs[0], s), ok);

    /* Bytes that are not points. */
    Point points[BAD_POINTS];
    bad_points(points, &b->commitments[0]);
    for (size_t i = 0; i < BAD_POINTS; i++) {
        const Bytes48 *p = &points[i].bytes;
        memset(&proof, 0xaa, sizeof proof);
        ret = compute_blob_kzg_proof(&proof, &b->blobs[0], p, s);
        show(points[i].name, ret, &proof, 48);
        ok = true;
        ret = verify_kzg_proof(&ok, p, &z[0], &z[1], &b->proofs[0], s);
        show_bool(points[i].name, ret, ok);
        ok = true;
        ret = verify_kzg_proof(&ok, &b->commitments[0], &z[0], &z[1], p, s);
        show_bool(points[i].name, ret, ok);
        ok = true;
        ret = verify_blob_kzg_proof(&ok, &b->blobs[0], p, &b->proofs[0], s);
        show_bool(points[i].name, ret, ok);
        ok = true;
        ret = verify_blob_kzg_proof(&ok, &b->blobs[0], &b->commitments[0], p, s);
        show_bool(points[i].name, ret, ok);
    }

    /* Valid points that are the wrong ones. */
    ret = compute_blob_kzg_proof(&proof, &b->blobs[0], &b->commitments[1], s);
    show("the proof with another commitment", ret, &proof, 48);
    for (size_t i = 0; i < BLOBS; i++) {
        ret = verify_blob_kzg_proof(&ok, &b->blobs[i], &b->commitments[i], &b->proofs[i], s);
        show_bool("verify_blob_kzg_proof", ret, ok);
        ret = verify_blob_kzg_proof(&ok, &b->blobs[i], &b->commitments[1], &b->proofs[i], s);
        show_bool("verify_blob_kzg_proof, the commitment of 1", ret, ok);
        ret = verify_blob_kzg_proof(&ok, &b->blobs[i], &b->commitments[i], &b->proofs[0], s);
        show_bool("verify_blob_kzg_proof, the proof of 0", ret, ok);
    }

    /* Batches. c-kzg leaves the result unchanged where it refuses two or more, so it is set to false before.
     */
    for (uint64_t n = 0; n <= BLOBS; n++) {
        ok = false;
        ret = verify_blob_kzg_proof_batch(&ok, b->blobs, b->commitments, b->proofs, n, s);
        show_bool("verify_blob_kzg_proof_batch", ret, ok);
        Bytes48 changed[BLOBS];
        memcpy(changed, b->proofs, sizeof changed);
        if (n == 0)
            continue;
        changed[n - 1] = b->commitments[0];
        ok = false;
        ret = verify_blob_kzg_proof_batch(&ok, b->blobs, b->commitments, changed, n, s);
        show_bool("verify_blob_kzg_proof_batch, another proof", ret, ok);
        changed[n - 1] = points[5].bytes;
        ok = false;
        ret = verify_blob_kzg_proof_batch(&ok, b->blobs, b->commitments, changed, n, s);
        show_bool("verify_blob_kzg_proof_batch, no proof", ret, ok);
        ok = false;
        ret = verify_blob_kzg_proof_batch(&ok, b->blobs, changed, b->proofs, n, s);
        show_bool("verify_blob_kzg_proof_batch, no commitment", ret, ok);
        Blob *blobs = get(BLOBS, sizeof(Blob));
        memcpy(blobs, b->blobs, BLOBS * sizeof(Blob));
        blobs[n - 1] = *bad;
        ok = false;
        ret = verify_blob_kzg_proof_batch(&ok, blobs, b->commitments, b->proofs, n, s);
        show_bool("verify_blob_kzg_proof_batch, no blob", ret, ok);
        free(blobs);
    }
    ok = false;
    show_bool("verify_blob_kzg_proof_batch, none", verify_blob_kzg_proof_batch(&ok, NULL, NULL, NULL, 0, s),
              ok);
    free(bad);
}

/* --- EIP-7594 -------------------------------------------------------------------- */

typedef struct {
    Cell cells[CELLS];
    KZGProof proofs[CELLS];
} Cells;

static void make_cells(Cells *c, const Blobs *b, const KZGSettings *s) {
    Cells *part = get(1, sizeof(Cells));
    for (size_t i = 0; i < BLOBS; i++) {
        C_KZG_RET ret = compute_cells_and_kzg_proofs(c[i].cells, c[i].proofs, &b->blobs[i], s);
        show("cells", ret, c[i].cells, sizeof c[i].cells);
        show("proofs", ret, c[i].proofs, sizeof c[i].proofs);
    }
    C_KZG_RET ret = compute_cells_and_kzg_proofs(part->cells, NULL, &b->blobs[1], s);
    show("cells alone", ret, part->cells, sizeof part->cells);
    ret = compute_cells_and_kzg_proofs(NULL, part->proofs, &b->blobs[1], s);
    show("proofs alone", ret, part->proofs, sizeof part->proofs);
    ret = compute_cells_and_kzg_proofs(NULL, NULL, &b->blobs[1], s);
    printf("neither: %d\n", (int)ret);
    Blob *bad = get(1, sizeof(Blob));
    memset(bad, 0xff, sizeof(Blob));
    memset(part, 0xaa, sizeof(Cells));
    ret = compute_cells_and_kzg_proofs(part->cells, part->proofs, bad, s);
    show("cells of no blob", ret, part, sizeof(Cells));
    free(bad);
    free(part);
}

/** Recovers from cells with these indices, with proofs and without. */
static void recover(const char *name, const Cells *c, const uint64_t *indices, uint64_t n, bool proofs,
                    const KZGSettings *s) {
    Cells *recovered = get(1, sizeof(Cells));
    Cell *cells = get(CELLS + 1, sizeof(Cell));
    for (uint64_t i = 0; i < n; i++) {
        cells[i] = c->cells[indices[i] % CELLS];
    }
    memset(recovered, 0xaa, sizeof *recovered);
    C_KZG_RET ret = recover_cells_and_kzg_proofs(recovered->cells, proofs ? recovered->proofs : NULL, indices,
                                                 cells, n, s);
    show(name, ret, recovered, sizeof *recovered);
    if (n > 0) {
        memset(&cells[n - 1].bytes[32 * 63], 0xff, 32);
        memset(recovered, 0xaa, sizeof *recovered);
        ret = recover_cells_and_kzg_proofs(recovered->cells, NULL, indices, cells, n, s);
        printf("%s, and an element that is too large\n", name);
        show(name, ret, recovered, sizeof *recovered);
    }
    free(cells);
    free(recovered);
}

static void recoveries(const Cells *c, const KZGSettings *s, uint64_t *state) {
    uint64_t indices[CELLS + 1];
    for (uint64_t i = 0; i <= CELLS; i++) {
        indices[i] = i;
    }
    recover("all", c, indices, CELLS, true, s);
    recover("the first half", c, indices, CELLS / 2, true, s);
    recover("the second half", c, indices + CELLS / 2, CELLS / 2, false, s);
    recover("all but one", &c[1], indices + 1, CELLS - 1, false, s);
    recover("the first half, zeros", &c[2], indices, CELLS / 2, true, s);
    recover("the first half, constant", &c[3], indices, CELLS / 2, false, s);
    recover("less than half", c, indices, CELLS / 2 - 1, true, s);
    recover("one too many", c, indices, CELLS + 1, true, s);
    recover("none", c, indices, 0, true, s);

    uint64_t odd[CELLS / 2];
    for (uint64_t i = 0; i < CELLS / 2; i++) {
        odd[i] = 2 * i + 1;
    }
    recover("each second one", &c[1], odd, CELLS / 2, true, s);
    uint64_t some[CELLS];
    uint64_t n = 0, needed = 70;
    for (uint64_t i = 0; i < CELLS; i++) {
        if (next_random(state) % (CELLS - i) < needed - n)
            some[n++] = i;
    }
    recover("some", &c[1], some, n, false, s);

    odd[63] = 128;
    recover("an index out of range", c, odd, CELLS / 2, true, s);
    odd[63] = UINT64_MAX;
    recover("a large index", c, odd, CELLS / 2, true, s);
    odd[63] = 125;
    recover("an index twice", c, odd, CELLS / 2, true, s);
    odd[63] = 127;
    odd[0] = 3;
    odd[1] = 1;
    recover("indices out of order", c, odd, CELLS / 2, true, s);
}

#define BATCH 6

/** Cells of several blobs, with one blob repeated. */
typedef struct {
    Bytes48 commitments[BATCH];
    uint64_t indices[BATCH];
    Cell cells[BATCH];
    Bytes48 proofs[BATCH];
} Batch;

static void verify_batch(const char *name, const Batch *batch, uint64_t n, const KZGSettings *s) {
    bool ok = n > 0;
    C_KZG_RET ret = verify_cell_kzg_proof_batch(&ok, batch->commitments, batch->indices, batch->cells,
                                                batch->proofs, n, s);
    show_bool(name, ret, ok);
}

static void batches(const Blobs *b, const Cells *c, const KZGSettings *s) {
    static const size_t rows[BATCH] = {0, 1, 0, 2, 4, 0}, columns[BATCH] = {0, 127, 64, 3, 3, 0};
    Batch *good = get(1, sizeof(Batch)), *batch = get(1, sizeof(Batch));
    for (size_t i = 0; i < BATCH; i++) {
        good->commitments[i] = b->commitments[rows[i]];
        good->indices[i] = columns[i];
        good->cells[i] = c[rows[i]].cells[columns[i]];
        good->proofs[i] = c[rows[i]].proofs[columns[i]];
    }
    for (uint64_t n = 0; n <= BATCH; n++) {
        verify_batch("verify_cell_kzg_proof_batch", good, n, s);
    }
    bool ok = false;
    C_KZG_RET ret = verify_cell_kzg_proof_batch(&ok, NULL, NULL, NULL, NULL, 0, s);
    show_bool("verify_cell_kzg_proof_batch, none", ret, ok);
    for (size_t i = 0; i < BATCH; i++) {
        *batch = *good;
        batch->commitments[i] = b->commitments[3];
        verify_batch("another commitment", batch, BATCH, s);
        *batch = *good;
        batch->indices[i] ^= 1;
        verify_batch("another index", batch, BATCH, s);
        *batch = *good;
        batch->cells[i].bytes[31] ^= 1;
        verify_batch("another cell", batch, BATCH, s);
        *batch = *good;
        batch->proofs[i] = b->proofs[0];
        verify_batch("another proof", batch, BATCH, s);
        *batch = *good;
        batch->indices[i] = 128;
        verify_batch("an index out of range", batch, BATCH, s);
        *batch = *good;
        memset(&batch->cells[i].bytes[2016], 0xff, 32);
        verify_batch("an element that is too large", batch, BATCH, s);
        Point points[BAD_POINTS];
        bad_points(points, &b->commitments[0]);
        for (size_t j = 0; j < BAD_POINTS; j++) {
            *batch = *good;
            batch->commitments[i] = points[j].bytes;
            verify_batch(points[j].name, batch, BATCH, s);
            *batch = *good;
            batch->proofs[i] = points[j].bytes;
            verify_batch(points[j].name, batch, BATCH, s);
        }
    }
    /* All cells of a blob. */
    Bytes48 *commitments = get(CELLS, sizeof(Bytes48));
    uint64_t indices[CELLS];
    for (uint64_t i = 0; i < CELLS; i++) {
        commitments[i] = b->commitments[1];
        indices[i] = i;
    }
    ret = verify_cell_kzg_proof_batch(&ok, commitments, indices, c[1].cells, c[1].proofs, CELLS, s);
    show_bool("all cells of a blob", ret, ok);

    fr_t challenge;
    uint64_t unique[BATCH];
    for (size_t i = 0; i < BATCH; i++) {
        unique[i] = rows[i];
    }
    for (uint64_t n = 0; n <= BATCH; n++) {
        ret = compute_verify_cell_kzg_proof_batch_challenge(&challenge, b->commitments, BLOBS, unique,
                                                            good->indices, good->cells, good->proofs, n);
        show("challenge", ret, &challenge, sizeof challenge);
    }
    print_cell(&good->cells[1]);
    free(commitments);
    free(good);
    free(batch);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: differential SETUP PRECOMPUTE SEED\n");
        return 2;
    }
    uint64_t precompute = strtoull(argv[2], NULL, 10), state = strtoull(argv[3], NULL, 10);
    KZGSettings settings;
    if (precompute == 0)
        setups(argv[1]);
    load(&settings, argv[1], precompute);
    fields(&settings, precompute);
    arithmetic(&state);
    fr_t scalar;
    Bytes32 bytes;
    random_element(bytes.bytes, &state);
    print_bytes32(&bytes);
    hash_to_bls_field(&scalar, &bytes);
    points(&settings, &scalar);

    Blobs blobs;
    make_blobs(&blobs, &settings, &state);
    print_blob(&blobs.blobs[0]);
    Cells *cells = get(BLOBS, sizeof(Cells));
    make_cells(cells, &blobs, &settings);
    eip4844(&blobs, &settings, &state);
    recoveries(cells, &settings, &state);
    batches(&blobs, cells, &settings);
    free(cells);
    free(blobs.blobs);
    free_trusted_setup(&settings);
    return 0;
}
