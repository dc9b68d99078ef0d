/*
 * The sum of multiples of points of BLS12-381: 2 G + 3 G is 5 G, without tables and with them.
 *
 *     cc points.c $(pkg-config --cflags --libs parcrypt) -o points && ./points
 */
#include <parcrypt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINT PARCRYPT_BYTES_PER_COMMITMENT
#define SCALAR PARCRYPT_BYTES_PER_FIELD_ELEMENT

/* The generator of G1, compressed. */
static const uint8_t generator[POINT] = {
    0x97, 0xf1, 0xd3, 0xa7, 0x31, 0x97, 0xd7, 0x94, 0x26, 0x95, 0x63, 0x8c, 0x4f, 0xa9, 0xac, 0x0f,
    0xc3, 0x68, 0x8c, 0x4f, 0x97, 0x74, 0xb9, 0x05, 0xa1, 0x4e, 0x3a, 0x3f, 0x17, 0x1b, 0xac, 0x58,
    0x6c, 0x55, 0xe8, 0x3f, 0xf9, 0x7a, 0x1a, 0xef, 0xfb, 0x3a, 0xf0, 0x0a, 0xdb, 0x22, 0xc6, 0xbb};

static int check(parcrypt_status status) {
    if (status != PARCRYPT_OK) {
        fprintf(stderr, "%s: %s\n", parcrypt_status_name(status), parcrypt_error_message());
    }
    return status == PARCRYPT_OK;
}

/* Computes the sum of these multiples of the generator. */
static int multiples(const parcrypt_runtime *rt, size_t tables_mib, const uint8_t *numbers, size_t count,
                     uint8_t sum[POINT]) {
    uint8_t points[2 * POINT], scalars[2 * SCALAR] = {0};
    parcrypt_points *bases = NULL;
    for (size_t i = 0; i < count; i++) {
        memcpy(points + i * POINT, generator, POINT);
        scalars[i * SCALAR + SCALAR - 1] = numbers[i];
    }
    int done = check(parcrypt_points_new(rt, points, count * POINT, tables_mib, &bases)) &&
               check(parcrypt_points_msm(rt, bases, scalars, count * SCALAR, sum));
    parcrypt_points_free(bases);
    return done;
}

int main(void) {
    static const uint8_t two_and_three[2] = {2, 3}, five[1] = {5};
    uint8_t sum[POINT], with_tables[POINT], expected[POINT];
    parcrypt_runtime *rt = NULL;
    int done = check(parcrypt_runtime_new("rayon", 2, &rt)) && multiples(rt, 0, two_and_three, 2, sum) &&
               multiples(rt, 1, two_and_three, 2, with_tables) && multiples(rt, 0, five, 1, expected) &&
               memcmp(sum, expected, POINT) == 0 && memcmp(with_tables, expected, POINT) == 0;
    parcrypt_runtime_free(rt);
    if (done) {
        printf("2 G + 3 G = 5 G = %02x%02x%02x...\n", sum[0], sum[1], sum[2]);
    }
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
