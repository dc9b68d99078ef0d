/*
 * Rabin-Williams signatures: a key is made and stored, messages are signed, and one is changed.
 *
 *     cc signatures.c $(pkg-config --cflags --libs parcrypt) -o signatures && ./signatures
 */
#include <parcrypt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 3

static int check(parcrypt_status status) {
    if (status != PARCRYPT_OK) {
        fprintf(stderr, "%s: %s\n", parcrypt_status_name(status), parcrypt_error_message());
    }
    return status == PARCRYPT_OK;
}

/* Reads the public key from PEM, as the receiver does who has nothing else. */
static parcrypt_rw_public_key *received(const parcrypt_rw_secret_key *secret) {
    parcrypt_rw_public_key *sent = NULL, *key = NULL;
    char pem[4096];
    size_t size = 0;
    if (check(parcrypt_rw_public_key_of(secret, &sent)) &&
        check(parcrypt_rw_public_key_to_pem(sent, pem, sizeof pem, &size))) {
        check(parcrypt_rw_public_key_from_pem(pem, &key));
    }
    parcrypt_rw_public_key_free(sent);
    return key;
}

static int run(const parcrypt_runtime *rt, const parcrypt_rw_secret_key *secret,
               const parcrypt_rw_public_key *public) {
    char messages[] = "pay 100 ducatsdeliversend the receipt";
    static const size_t lengths[COUNT] = {14, 7, 16};
    const size_t length = sizeof messages - 1, size = parcrypt_rw_signature_length(public);
    uint8_t *signatures = calloc(COUNT, size);
    bool before[COUNT] = {false}, after[COUNT] = {false};
    int done = signatures != NULL &&
               check(parcrypt_rw_sign_many(rt, secret, (const uint8_t *)messages, length, lengths, signatures,
                                           COUNT * size, COUNT)) &&
               check(parcrypt_rw_verify_many(rt, public, (const uint8_t *)messages, length, lengths,
                                             signatures, COUNT * size, before, COUNT));
    messages[4] = '9';
    done = done && check(parcrypt_rw_verify_many(rt, public, (const uint8_t *)messages, length, lengths,
                                                 signatures, COUNT * size, after, COUNT));
    free(signatures);
    if (done) {
        printf("%d signatures of %zu bytes; after a change the first is %s, the others are %s\n", COUNT, size,
               after[0] ? "right" : "wrong", after[1] && after[2] ? "right" : "wrong");
    }
    return done && before[0] && before[1] && before[2] && !after[0] && after[1] && after[2];
}

int main(void) {
    parcrypt_runtime *rt = NULL;
    parcrypt_rw_secret_key *secret = NULL;
    parcrypt_rw_public_key *public = NULL;
    int done = check(parcrypt_runtime_new("rayon", 2, &rt)) &&
               check(parcrypt_rw_generate(rt, 2048, &secret)) && (public = received(secret)) != NULL &&
               run(rt, secret, public);
    parcrypt_rw_public_key_free(public);
    parcrypt_rw_secret_key_free(secret);
    parcrypt_runtime_free(rt);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
