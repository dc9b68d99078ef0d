/*
 * Two keys are derived from a password, and authenticate a message: one with GMAC, one with VMAC.
 *
 *     cc secrets.c $(pkg-config --cflags --libs parcrypt) -o secrets && ./secrets
 */
#include <parcrypt.h>

#include <stdio.h>
#include <stdlib.h>

static const char message[] = "an invoice of 100 ducats";
static const uint8_t nonce[12] = {1}; /* a counter: used once under each key */

static int check(parcrypt_status status) {
    if (status != PARCRYPT_OK) {
        fprintf(stderr, "%s: %s\n", parcrypt_status_name(status), parcrypt_error_message());
    }
    return status == PARCRYPT_OK;
}

static int run(const parcrypt_runtime *rt) {
    static const char password[] = "correct horse", salt[] = "16 bytes of salt";
    uint8_t keys[64], gmac[PARCRYPT_BYTES_PER_GMAC], vmac[8];
    /* No key is for two functions. */
    const uint8_t *key = keys, *vmac_key = keys + 32;
    const uint8_t *text = (const uint8_t *)message;
    size_t length = sizeof message - 1;
    bool ok = false, forged = true;
    /* N = 2^14, r = 8, p = 2: two lanes of 16 MiB. */
    if (!check(parcrypt_scrypt(rt, 1 << 14, 8, 2, 64 << 20, (const uint8_t *)password, sizeof password - 1,
                               (const uint8_t *)salt, sizeof salt - 1, keys, sizeof keys)) ||
        !check(parcrypt_gmac(rt, key, 32, nonce, sizeof nonce, text, length, gmac)) ||
        !check(parcrypt_vmac(rt, vmac_key, 32, nonce, sizeof nonce, text, length, vmac, sizeof vmac))) {
        return 0;
    }
    if (!check(
            parcrypt_verify_gmac(rt, key, 32, nonce, sizeof nonce, text, length, gmac, sizeof gmac, &ok)) ||
        !check(parcrypt_verify_gmac(rt, key, 32, nonce, sizeof nonce, text, length - 1, gmac, sizeof gmac,
                                    &forged))) {
        return 0;
    }
    printf("GMAC on %zu threads: the message is %s, a shorter one is %s\n", parcrypt_runtime_threads(rt),
           ok ? "authentic" : "forged", forged ? "authentic" : "forged");
    return ok && !forged &&
           check(parcrypt_verify_vmac(rt, vmac_key, 32, nonce, sizeof nonce, text, length, vmac, sizeof vmac,
                                      &ok)) &&
           ok;
}

int main(void) {
    parcrypt_runtime *rt = NULL;
    int done = check(parcrypt_runtime_new("rayon", 2, &rt)) && run(rt);
    parcrypt_runtime_free(rt);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
