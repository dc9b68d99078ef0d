/* Functions for the constant-time test: calls that differ in a branch, in an address, or in neither.
 *
 *     leak branch|address|nothing */

#include <stdint.h>
#include <string.h>

void parcrypt_counted_call(void (*f)(void), void *r, const void *a, const void *b);

static void branch(volatile int32_t *r, const int32_t *a) {
    if (*a) {
        __asm__ volatile("nop");
    } else {
        __asm__ volatile("addi a5, a5, 0" ::: "a5");
    }
    *r = 1;
}

static void address(volatile int32_t *r, const int32_t *a) { *r = r[*a + 1]; }

static void nothing(volatile int32_t *r, const int32_t *a) { *r = *a; }

int main(int argc, char **argv) {
    void (*function)(volatile int32_t *, const int32_t *) = nothing;
    if (argc > 1 && strcmp(argv[1], "branch") == 0) {
        function = branch;
    } else if (argc > 1 && strcmp(argv[1], "address") == 0) {
        function = address;
    }
    static int32_t r[3], secret;
    for (secret = 0; secret < 2; secret++) {
        parcrypt_counted_call((void (*)(void))function, r, &secret, NULL);
    }
    return 0;
}
