/* void parcrypt_counted_call(void (*f)(void), void *r, const void *a, const void *b);
 *
 * Calls f(r, a, b, 4) between marks: one jump and link and all of f are counted. 4 is SUMMANDS; only sums take it. */

        .text
        .globl  parcrypt_counted_call
        .type   parcrypt_counted_call, @function
parcrypt_counted_call:
        addi    sp, sp, -16
        sd      ra, 8(sp)
        mv      t0, a0
        mv      a0, a1
        mv      a1, a2
        mv      a2, a3
        li      a3, 4
        slti    zero, zero, 1024
        jalr    t0
        slti    zero, zero, 1280
        ld      ra, 8(sp)
        addi    sp, sp, 16
        ret
        .size   parcrypt_counted_call, . - parcrypt_counted_call
        .section .note.GNU-stack, "", @progbits
