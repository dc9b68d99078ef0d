/* void parcrypt_checked_call(void (*f)(void), void *r, const void *a, const void *b, struct call_report *report);
 *
 * Calls f(r, a, b, parcrypt_call_count) with garbage in every register on which f must not rely, and reports
 *   report[0]: bits 0-11: s0-s11 changed; 12-23: fs0-fs11; 24: sp; 25: gp; 26: tp; 27: vstart is not 0;
 *              28: memory above f's frame changed
 *   report[1]: the number of bytes below sp that f wrote, up to DEPTH.
 * VLEN up to 1024. Not reentrant: the state after the call is in memory to which no register of f points. */

#define DEPTH 8192
#define CANARY 256

        .option arch, +v

        .bss
        .balign 16
state:  .zero   64              /* sp, report, gp, tp */
/* What f gets as its fourth argument: a count, or garbage. */
        .globl  parcrypt_call_count
parcrypt_call_count:
        .dword  0
        .section .rodata
        .balign 16
garbage:
        .rept   4096 / 8
        .dword  0x9d3c5a71e8b6f42d
        .endr

        .text
        .globl  parcrypt_checked_call
        .type   parcrypt_checked_call, @function
parcrypt_checked_call:
        addi    sp, sp, -208
        sd      ra, 0(sp)
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        sd      s\i, 8 + 8 * \i(sp)
        fsd     fs\i, 104 + 8 * \i(sp)
        .endr
        addi    sp, sp, -CANARY

        lla     t0, state
        sd      sp, 0(t0)
        sd      a4, 8(t0)
        sd      gp, 16(t0)
        sd      tp, 24(t0)

        /* Known values above and below sp. */
        li      t2, 0x6b1d2f4a83c5e790
        addi    t0, sp, CANARY
        li      t1, DEPTH
        sub     t1, sp, t1
1:      sd      t2, 0(t1)
        addi    t1, t1, 8
        bne     t1, t0, 1b

        /* An unusual vector state. */
        lla     t0, garbage
        li      t1, 1024
        .irp    v, 0, 8, 16, 24
        vl8re8.v v\v, (t0)
        .endr
        vsetivli zero, 3, e8, mf4, tu, mu
        csrwi   vxrm, 2
        csrwi   vxsat, 1

        mv      t0, a0
        mv      a0, a1
        mv      a1, a2
        mv      a2, a3
        lla     a3, parcrypt_call_count
        ld      a3, 0(a3)
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        li      s\i, 0x5c3f0000 + \i
        fcvt.d.l fs\i, s\i
        .endr
        .irp    r, a4, a5, a6, a7, t1, t2, t3, t4, t5, t6
        li      \r, -0x7654321089abcdef
        .endr
        jalr    t0

        lla     t0, state
        ld      t1, 8(t0)
        li      t2, 0
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        li      t3, 0x5c3f0000 + \i
        xor     t4, t3, s\i
        snez    t4, t4
        slli    t4, t4, \i
        or      t2, t2, t4
        fmv.x.d t4, fs\i
        fcvt.d.l ft0, t3
        fmv.x.d t3, ft0
        xor     t4, t3, t4
        snez    t4, t4
        slli    t4, t4, 12 + \i
        or      t2, t2, t4
        .endr
        .macro  compare offset, register, bit
        ld      t3, \offset(t0)
        xor     t4, t3, \register
        snez    t4, t4
        slli    t4, t4, \bit
        or      t2, t2, t4
        mv      \register, t3
        .endm
        compare 0, sp, 24
        compare 16, gp, 25
        compare 24, tp, 26
        csrr    t3, vstart
        snez    t3, t3
        slli    t3, t3, 27
        or      t2, t2, t3

        li      t3, 0x6b1d2f4a83c5e790
        mv      t4, sp
        addi    t5, sp, CANARY
2:      ld      t6, 0(t4)
        xor     t6, t6, t3
        snez    t6, t6
        slli    t6, t6, 28
        or      t2, t2, t6
        addi    t4, t4, 8
        bne     t4, t5, 2b
        sd      t2, 0(t1)

        /* The lowest word that has changed. */
        li      t4, DEPTH
        sub     t4, sp, t4
3:      ld      t6, 0(t4)
        bne     t6, t3, 4f
        addi    t4, t4, 8
        bne     t4, sp, 3b
4:      sub     t4, sp, t4
        sd      t4, 8(t1)

        addi    sp, sp, CANARY
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        ld      s\i, 8 + 8 * \i(sp)
        fld     fs\i, 104 + 8 * \i(sp)
        .endr
        ld      ra, 0(sp)
        addi    sp, sp, 208
        ret
        .size   parcrypt_checked_call, . - parcrypt_checked_call
        .section .note.GNU-stack, "", @progbits
