/* ML-DSA's transform (FIPS 204, algorithm 41), in place, for VLEN 128.
 *
 * Written by gen/generate.py: change that, not this. Bounds of all intermediates: make bounds.
 *
 * void parcrypt_mldsa_forward_vlen128(int32_t r[256]);
 *
 * Coefficients in (-q, q), q = 8380417; results in [0, q), in the order of FIPS 204.
 *
 * VLEN 128, and no other: registers are grouped so that v8 follows v7. V extension, no other.
 * In: a0 = r.
 * Out: nothing in registers. Alignment: 4 bytes.
 * Clobbers: v0-v31, vl, vtype, vxrm (becomes rnu), a3-a7, t0-t6, a1, a2. Stack: 1024 bytes.
 * No branch, no address and no mask depends on coefficients. */

#include "phases.h"

        .option push
        .option arch, +v
        .text
        .balign 4
        .globl  parcrypt_mldsa_forward_vlen128
        .type   parcrypt_mldsa_forward_vlen128, @function
parcrypt_mldsa_forward_vlen128:
        addi    sp, sp, -1024
        csrwi   vxrm, 0
        lla     a7, 1f
        phase PHASE_LOAD
        # column 0: coefficients 0 to 3 of each block of 16
        addi    a1, a0, 0
        vl1re32.v v0, (a1)
        addi    a2, a0, 64
        vl1re32.v v1, (a2)
        addi    a1, a0, 128
        vl1re32.v v2, (a1)
        addi    a2, a0, 192
        vl1re32.v v3, (a2)
        addi    a1, a0, 256
        vl1re32.v v4, (a1)
        addi    a2, a0, 320
        vl1re32.v v5, (a2)
        addi    a1, a0, 384
        vl1re32.v v6, (a1)
        addi    a2, a0, 448
        vl1re32.v v7, (a2)
        addi    a1, a0, 512
        vl1re32.v v8, (a1)
        addi    a2, a0, 576
        vl1re32.v v9, (a2)
        addi    a1, a0, 640
        vl1re32.v v10, (a1)
        addi    a2, a0, 704
        vl1re32.v v11, (a2)
        addi    a1, a0, 768
        vl1re32.v v12, (a1)
        addi    a2, a0, 832
        vl1re32.v v13, (a2)
        addi    a1, a0, 896
        vl1re32.v v14, (a1)
        addi    a2, a0, 960
        vl1re32.v v15, (a2)
        phase PHASE_FORWARD
        # column 0, stride 128
        li      t0, 32
        vsetvli zero, t0, e32, m8, ta, ma
        lw      t1, 0(a7)
        lw      t2, 68(a7)
        lw      t3, 8(a7)
        vsmul.vx v16, v8, t2
        vmadd.vx v8, t3, v0
        vmacc.vx v8, t1, v16
        li      t4, -2
        vmadd.vx v0, t4, v8
        # column 0, stride 64
        vsetivli zero, 16, e32, m4, ta, ma
        lw      t5, 72(a7)
        lw      t6, 12(a7)
        lw      a3, 76(a7)
        lw      a4, 16(a7)
        vsmul.vx v16, v4, t5
        vsmul.vx v20, v12, a3
        vmadd.vx v4, t6, v0
        vmadd.vx v12, a4, v8
        vmacc.vx v4, t1, v16
        vmacc.vx v12, t1, v20
        vmadd.vx v0, t4, v4
        vmadd.vx v8, t4, v12
        # column 0, stride 32
        vsetivli zero, 8, e32, m2, ta, ma
        lw      a5, 80(a7)
        lw      a6, 20(a7)
        lw      t0, 84(a7)
        lw      t2, 24(a7)
        lw      t3, 88(a7)
        lw      t5, 28(a7)
        lw      a3, 92(a7)
        lw      t6, 32(a7)
        vsmul.vx v16, v2, a5
        vsmul.vx v18, v6, t0
        vsmul.vx v20, v10, t3
        vsmul.vx v22, v14, a3
        vmadd.vx v2, a6, v0
        vmadd.vx v6, t2, v4
        vmadd.vx v10, t5, v8
        vmadd.vx v14, t6, v12
        vmacc.vx v2, t1, v16
        vmacc.vx v6, t1, v18
        vmacc.vx v10, t1, v20
        vmacc.vx v14, t1, v22
        vmadd.vx v0, t4, v2
        vmadd.vx v4, t4, v6
        vmadd.vx v8, t4, v10
        vmadd.vx v12, t4, v14
        # column 0, stride 16
        vsetivli zero, 4, e32, m1, ta, ma
        lw      a4, 96(a7)
        lw      a5, 36(a7)
        lw      t0, 100(a7)
        lw      t3, 40(a7)
        lw      a3, 104(a7)
        lw      a6, 44(a7)
        lw      t2, 108(a7)
        lw      t5, 48(a7)
        vsmul.vx v16, v1, a4
        vsmul.vx v17, v3, t0
        vsmul.vx v18, v5, a3
        vsmul.vx v19, v7, t2
        vmadd.vx v1, a5, v0
        vmadd.vx v3, t3, v2
        vmadd.vx v5, a6, v4
        vmadd.vx v7, t5, v6
        vmacc.vx v1, t1, v16
        vmacc.vx v3, t1, v17
        vmacc.vx v5, t1, v18
        vmacc.vx v7, t1, v19
        vmadd.vx v0, t4, v1
        vmadd.vx v2, t4, v3
        vmadd.vx v4, t4, v5
        vmadd.vx v6, t4, v7
        lw      t6, 112(a7)
        lw      a4, 52(a7)
        lw      t0, 116(a7)
        lw      a3, 56(a7)
        lw      t2, 120(a7)
        lw      a5, 60(a7)
        lw      t3, 124(a7)
        lw      a6, 64(a7)
        vsmul.vx v16, v9, t6
        vsmul.vx v17, v11, t0
        vsmul.vx v18, v13, t2
        vsmul.vx v19, v15, t3
        vmadd.vx v9, a4, v8
        vmadd.vx v11, a3, v10
        vmadd.vx v13, a5, v12
        vmadd.vx v15, a6, v14
        vmacc.vx v9, t1, v16
        vmacc.vx v11, t1, v17
        vmacc.vx v13, t1, v18
        vmacc.vx v15, t1, v19
        vmadd.vx v8, t4, v9
        vmadd.vx v10, t4, v11
        vmadd.vx v12, t4, v13
        vmadd.vx v14, t4, v15
        phase PHASE_STORE
        addi    a1, sp, 0
        vsseg4e32.v v0, (a1)
        addi    a1, sp, 256
        vsseg4e32.v v4, (a1)
        addi    a1, sp, 512
        vsseg4e32.v v8, (a1)
        addi    a1, sp, 768
        vsseg4e32.v v12, (a1)
        phase PHASE_LOAD
        # column 1: coefficients 4 to 7 of each block of 16
        addi    a1, a0, 16
        vl1re32.v v0, (a1)
        addi    a2, a0, 80
        vl1re32.v v1, (a2)
        addi    a1, a0, 144
        vl1re32.v v2, (a1)
        addi    a2, a0, 208
        vl1re32.v v3, (a2)
        addi    a1, a0, 272
        vl1re32.v v4, (a1)
        addi    a2, a0, 336
        vl1re32.v v5, (a2)
        addi    a1, a0, 400
        vl1re32.v v6, (a1)
        addi    a2, a0, 464
        vl1re32.v v7, (a2)
        addi    a1, a0, 528
        vl1re32.v v8, (a1)
        addi    a2, a0, 592
        vl1re32.v v9, (a2)
        addi    a1, a0, 656
        vl1re32.v v10, (a1)
        addi    a2, a0, 720
        vl1re32.v v11, (a2)
        addi    a1, a0, 784
        vl1re32.v v12, (a1)
        addi    a2, a0, 848
        vl1re32.v v13, (a2)
        addi    a1, a0, 912
        vl1re32.v v14, (a1)
        addi    a2, a0, 976
        vl1re32.v v15, (a2)
        phase PHASE_FORWARD
        # column 1, stride 128
        li      t5, 32
        vsetvli zero, t5, e32, m8, ta, ma
        lw      t6, 68(a7)
        lw      t0, 8(a7)
        vsmul.vx v16, v8, t6
        vmadd.vx v8, t0, v0
        vmacc.vx v8, t1, v16
        vmadd.vx v0, t4, v8
        # column 1, stride 64
        vsetivli zero, 16, e32, m4, ta, ma
        lw      t2, 72(a7)
        lw      t3, 12(a7)
        lw      a4, 76(a7)
        lw      a3, 16(a7)
        vsmul.vx v16, v4, t2
        vsmul.vx v20, v12, a4
        vmadd.vx v4, t3, v0
        vmadd.vx v12, a3, v8
        vmacc.vx v4, t1, v16
        vmacc.vx v12, t1, v20
        vmadd.vx v0, t4, v4
        vmadd.vx v8, t4, v12
        # column 1, stride 32
        vsetivli zero, 8, e32, m2, ta, ma
        lw      a5, 80(a7)
        lw      a6, 20(a7)
        lw      t5, 84(a7)
        lw      t6, 24(a7)
        lw      t0, 88(a7)
        lw      t2, 28(a7)
        lw      a4, 92(a7)
        lw      t3, 32(a7)
        vsmul.vx v16, v2, a5
        vsmul.vx v18, v6, t5
        vsmul.vx v20, v10, t0
        vsmul.vx v22, v14, a4
        vmadd.vx v2, a6, v0
        vmadd.vx v6, t6, v4
        vmadd.vx v10, t2, v8
        vmadd.vx v14, t3, v12
        vmacc.vx v2, t1, v16
        vmacc.vx v6, t1, v18
        vmacc.vx v10, t1, v20
        vmacc.vx v14, t1, v22
        vmadd.vx v0, t4, v2
        vmadd.vx v4, t4, v6
        vmadd.vx v8, t4, v10
        vmadd.vx v12, t4, v14
        # column 1, stride 16
        vsetivli zero, 4, e32, m1, ta, ma
        lw      a3, 96(a7)
        lw      a5, 36(a7)
        lw      t5, 100(a7)
        lw      t0, 40(a7)
        lw      a4, 104(a7)
        lw      a6, 44(a7)
        lw      t6, 108(a7)
        lw      t2, 48(a7)
        vsmul.vx v16, v1, a3
        vsmul.vx v17, v3, t5
        vsmul.vx v18, v5, a4
        vsmul.vx v19, v7, t6
        vmadd.vx v1, a5, v0
        vmadd.vx v3, t0, v2
        vmadd.vx v5, a6, v4
        vmadd.vx v7, t2, v6
        vmacc.vx v1, t1, v16
        vmacc.vx v3, t1, v17
        vmacc.vx v5, t1, v18
        vmacc.vx v7, t1, v19
        vmadd.vx v0, t4, v1
        vmadd.vx v2, t4, v3
        vmadd.vx v4, t4, v5
        vmadd.vx v6, t4, v7
        lw      t3, 112(a7)
        lw      a3, 52(a7)
        lw      t5, 116(a7)
        lw      a4, 56(a7)
        lw      t6, 120(a7)
        lw      a5, 60(a7)
        lw      t0, 124(a7)
        lw      a6, 64(a7)
        vsmul.vx v16, v9, t3
        vsmul.vx v17, v11, t5
        vsmul.vx v18, v13, t6
        vsmul.vx v19, v15, t0
        vmadd.vx v9, a3, v8
        vmadd.vx v11, a4, v10
        vmadd.vx v13, a5, v12
        vmadd.vx v15, a6, v14
        vmacc.vx v9, t1, v16
        vmacc.vx v11, t1, v17
        vmacc.vx v13, t1, v18
        vmacc.vx v15, t1, v19
        vmadd.vx v8, t4, v9
        vmadd.vx v10, t4, v11
        vmadd.vx v12, t4, v13
        vmadd.vx v14, t4, v15
        phase PHASE_STORE
        addi    a1, sp, 64
        vsseg4e32.v v0, (a1)
        addi    a1, sp, 320
        vsseg4e32.v v4, (a1)
        addi    a1, sp, 576
        vsseg4e32.v v8, (a1)
        addi    a1, sp, 832
        vsseg4e32.v v12, (a1)
        phase PHASE_LOAD
        # column 2: coefficients 8 to 11 of each block of 16
        addi    a1, a0, 32
        vl1re32.v v0, (a1)
        addi    a2, a0, 96
        vl1re32.v v1, (a2)
        addi    a1, a0, 160
        vl1re32.v v2, (a1)
        addi    a2, a0, 224
        vl1re32.v v3, (a2)
        addi    a1, a0, 288
        vl1re32.v v4, (a1)
        addi    a2, a0, 352
        vl1re32.v v5, (a2)
        addi    a1, a0, 416
        vl1re32.v v6, (a1)
        addi    a2, a0, 480
        vl1re32.v v7, (a2)
        addi    a1, a0, 544
        vl1re32.v v8, (a1)
        addi    a2, a0, 608
        vl1re32.v v9, (a2)
        addi    a1, a0, 672
        vl1re32.v v10, (a1)
        addi    a2, a0, 736
        vl1re32.v v11, (a2)
        addi    a1, a0, 800
        vl1re32.v v12, (a1)
        addi    a2, a0, 864
        vl1re32.v v13, (a2)
        addi    a1, a0, 928
        vl1re32.v v14, (a1)
        addi    a2, a0, 992
        vl1re32.v v15, (a2)
        phase PHASE_FORWARD
        # column 2, stride 128
        li      t2, 32
        vsetvli zero, t2, e32, m8, ta, ma
        lw      t3, 68(a7)
        lw      t5, 8(a7)
        vsmul.vx v16, v8, t3
        vmadd.vx v8, t5, v0
        vmacc.vx v8, t1, v16
        vmadd.vx v0, t4, v8
        # column 2, stride 64
        vsetivli zero, 16, e32, m4, ta, ma
        lw      t6, 72(a7)
        lw      t0, 12(a7)
        lw      a3, 76(a7)
        lw      a4, 16(a7)
        vsmul.vx v16, v4, t6
        vsmul.vx v20, v12, a3
        vmadd.vx v4, t0, v0
        vmadd.vx v12, a4, v8
        vmacc.vx v4, t1, v16
        vmacc.vx v12, t1, v20
        vmadd.vx v0, t4, v4
        vmadd.vx v8, t4, v12
        # column 2, stride 32
        vsetivli zero, 8, e32, m2, ta, ma
        lw      a5, 80(a7)
        lw      a6, 20(a7)
        lw      t2, 84(a7)
        lw      t3, 24(a7)
        lw      t5, 88(a7)
        lw      t6, 28(a7)
        lw      a3, 92(a7)
        lw      t0, 32(a7)
        vsmul.vx v16, v2, a5
        vsmul.vx v18, v6, t2
        vsmul.vx v20, v10, t5
        vsmul.vx v22, v14, a3
        vmadd.vx v2, a6, v0
        vmadd.vx v6, t3, v4
        vmadd.vx v10, t6, v8
        vmadd.vx v14, t0, v12
        vmacc.vx v2, t1, v16
        vmacc.vx v6, t1, v18
        vmacc.vx v10, t1, v20
        vmacc.vx v14, t1, v22
        vmadd.vx v0, t4, v2
        vmadd.vx v4, t4, v6
        vmadd.vx v8, t4, v10
        vmadd.vx v12, t4, v14
        # column 2, stride 16
        vsetivli zero, 4, e32, m1, ta, ma
        lw      a4, 96(a7)
        lw      a5, 36(a7)
        lw      t2, 100(a7)
        lw      t5, 40(a7)
        lw      a3, 104(a7)
        lw      a6, 44(a7)
        lw      t3, 108(a7)
        lw      t6, 48(a7)
        vsmul.vx v16, v1, a4
        vsmul.vx v17, v3, t2
        vsmul.vx v18, v5, a3
        vsmul.vx v19, v7, t3
        vmadd.vx v1, a5, v0
        vmadd.vx v3, t5, v2
        vmadd.vx v5, a6, v4
        vmadd.vx v7, t6, v6
        vmacc.vx v1, t1, v16
        vmacc.vx v3, t1, v17
        vmacc.vx v5, t1, v18
        vmacc.vx v7, t1, v19
        vmadd.vx v0, t4, v1
        vmadd.vx v2, t4, v3
        vmadd.vx v4, t4, v5
        vmadd.vx v6, t4, v7
        lw      t0, 112(a7)
        lw      a4, 52(a7)
        lw      t2, 116(a7)
        lw      a3, 56(a7)
        lw      t3, 120(a7)
        lw      a5, 60(a7)
        lw      t5, 124(a7)
        lw      a6, 64(a7)
        vsmul.vx v16, v9, t0
        vsmul.vx v17, v11, t2
        vsmul.vx v18, v13, t3
        vsmul.vx v19, v15, t5
        vmadd.vx v9, a4, v8
        vmadd.vx v11, a3, v10
        vmadd.vx v13, a5, v12
        vmadd.vx v15, a6, v14
        vmacc.vx v9, t1, v16
        vmacc.vx v11, t1, v17
        vmacc.vx v13, t1, v18
        vmacc.vx v15, t1, v19
        vmadd.vx v8, t4, v9
        vmadd.vx v10, t4, v11
        vmadd.vx v12, t4, v13
        vmadd.vx v14, t4, v15
        phase PHASE_STORE
        addi    a1, sp, 128
        vsseg4e32.v v0, (a1)
        addi    a1, sp, 384
        vsseg4e32.v v4, (a1)
        addi    a1, sp, 640
        vsseg4e32.v v8, (a1)
        addi    a1, sp, 896
        vsseg4e32.v v12, (a1)
        phase PHASE_LOAD
        # column 3: coefficients 12 to 15 of each block of 16
        addi    a1, a0, 48
        vl1re32.v v0, (a1)
        addi    a2, a0, 112
        vl1re32.v v1, (a2)
        addi    a1, a0, 176
        vl1re32.v v2, (a1)
        addi    a2, a0, 240
        vl1re32.v v3, (a2)
        addi    a1, a0, 304
        vl1re32.v v4, (a1)
        addi    a2, a0, 368
        vl1re32.v v5, (a2)
        addi    a1, a0, 432
        vl1re32.v v6, (a1)
        addi    a2, a0, 496
        vl1re32.v v7, (a2)
        addi    a1, a0, 560
        vl1re32.v v8, (a1)
        addi    a2, a0, 624
        vl1re32.v v9, (a2)
        addi    a1, a0, 688
        vl1re32.v v10, (a1)
        addi    a2, a0, 752
        vl1re32.v v11, (a2)
        addi    a1, a0, 816
        vl1re32.v v12, (a1)
        addi    a2, a0, 880
        vl1re32.v v13, (a2)
        addi    a1, a0, 944
        vl1re32.v v14, (a1)
        addi    a2, a0, 1008
        vl1re32.v v15, (a2)
        phase PHASE_FORWARD
        # column 3, stride 128
        li      t6, 32
        vsetvli zero, t6, e32, m8, ta, ma
        lw      t0, 68(a7)
        lw      t2, 8(a7)
        vsmul.vx v16, v8, t0
        vmadd.vx v8, t2, v0
        vmacc.vx v8, t1, v16
        vmadd.vx v0, t4, v8
        # column 3, stride 64
        vsetivli zero, 16, e32, m4, ta, ma
        lw      t3, 72(a7)
        lw      t5, 12(a7)
        lw      a4, 76(a7)
        lw      a3, 16(a7)
        vsmul.vx v16, v4, t3
        vsmul.vx v20, v12, a4
        vmadd.vx v4, t5, v0
        vmadd.vx v12, a3, v8
        vmacc.vx v4, t1, v16
        vmacc.vx v12, t1, v20
        vmadd.vx v0, t4, v4
        vmadd.vx v8, t4, v12
        # column 3, stride 32
        vsetivli zero, 8, e32, m2, ta, ma
        lw      a5, 80(a7)
        lw      a6, 20(a7)
        lw      t6, 84(a7)
        lw      t0, 24(a7)
        lw      t2, 88(a7)
        lw      t3, 28(a7)
        lw      a4, 92(a7)
        lw      t5, 32(a7)
        vsmul.vx v16, v2, a5
        vsmul.vx v18, v6, t6
        vsmul.vx v20, v10, t2
        vsmul.vx v22, v14, a4
        vmadd.vx v2, a6, v0
        vmadd.vx v6, t0, v4
        vmadd.vx v10, t3, v8
        vmadd.vx v14, t5, v12
        vmacc.vx v2, t1, v16
        vmacc.vx v6, t1, v18
        vmacc.vx v10, t1, v20
        vmacc.vx v14, t1, v22
        vmadd.vx v0, t4, v2
        vmadd.vx v4, t4, v6
        vmadd.vx v8, t4, v10
        vmadd.vx v12, t4, v14
        # column 3, stride 16
        vsetivli zero, 4, e32, m1, ta, ma
        lw      a3, 96(a7)
        lw      a5, 36(a7)
        lw      t6, 100(a7)
        lw      t2, 40(a7)
        lw      a4, 104(a7)
        lw      a6, 44(a7)
        lw      t0, 108(a7)
        lw      t3, 48(a7)
        vsmul.vx v16, v1, a3
        vsmul.vx v17, v3, t6
        vsmul.vx v18, v5, a4
        vsmul.vx v19, v7, t0
        vmadd.vx v1, a5, v0
        vmadd.vx v3, t2, v2
        vmadd.vx v5, a6, v4
        vmadd.vx v7, t3, v6
        vmacc.vx v1, t1, v16
        vmacc.vx v3, t1, v17
        vmacc.vx v5, t1, v18
        vmacc.vx v7, t1, v19
        vmadd.vx v0, t4, v1
        vmadd.vx v2, t4, v3
        vmadd.vx v4, t4, v5
        vmadd.vx v6, t4, v7
        lw      t5, 112(a7)
        lw      a3, 52(a7)
        lw      t6, 116(a7)
        lw      a4, 56(a7)
        lw      t0, 120(a7)
        lw      a5, 60(a7)
        lw      t2, 124(a7)
        lw      a6, 64(a7)
        vsmul.vx v16, v9, t5
        vsmul.vx v17, v11, t6
        vsmul.vx v18, v13, t0
        vsmul.vx v19, v15, t2
        vmadd.vx v9, a3, v8
        vmadd.vx v11, a4, v10
        vmadd.vx v13, a5, v12
        vmadd.vx v15, a6, v14
        vmacc.vx v9, t1, v16
        vmacc.vx v11, t1, v17
        vmacc.vx v13, t1, v18
        vmacc.vx v15, t1, v19
        vmadd.vx v8, t4, v9
        vmadd.vx v10, t4, v11
        vmadd.vx v12, t4, v13
        vmadd.vx v14, t4, v15
        phase PHASE_STORE
        addi    a1, sp, 192
        vsseg4e32.v v0, (a1)
        addi    a1, sp, 448
        vsseg4e32.v v4, (a1)
        addi    a1, sp, 704
        vsseg4e32.v v8, (a1)
        addi    a1, sp, 960
        vsseg4e32.v v12, (a1)
        phase PHASE_LOAD
        addi    a6, a7, 128
        vl2re32.v v30, (a6)
        phase PHASE_LOAD
        addi    a1, sp, 0
        vl8re32.v v0, (a1)
        addi    a1, sp, 128
        vl8re32.v v8, (a1)
        phase PHASE_FORWARD
        # row 0, stride 8
        addi    a6, a7, 160
        vl2re32.v v16, (a6)
        vsmul.vv v18, v8, v17
        vsmul.vv v19, v9, v17
        vsmul.vv v20, v10, v17
        vsmul.vv v21, v11, v17
        vsmul.vv v22, v12, v17
        vsmul.vv v23, v13, v17
        vsmul.vv v24, v14, v17
        vsmul.vv v17, v15, v17
        vmadd.vv v8, v16, v0
        vmadd.vv v9, v16, v1
        vmadd.vv v10, v16, v2
        vmadd.vv v11, v16, v3
        vmadd.vv v12, v16, v4
        vmadd.vv v13, v16, v5
        vmadd.vv v14, v16, v6
        vmadd.vv v15, v16, v7
        vmacc.vx v8, t1, v18
        vmacc.vx v9, t1, v19
        vmacc.vx v10, t1, v20
        vmacc.vx v11, t1, v21
        vmacc.vx v12, t1, v22
        vmacc.vx v13, t1, v23
        vmacc.vx v14, t1, v24
        vmacc.vx v15, t1, v17
        vmadd.vx v0, t4, v8
        vmadd.vx v1, t4, v9
        vmadd.vx v2, t4, v10
        vmadd.vx v3, t4, v11
        vmadd.vx v4, t4, v12
        vmadd.vx v5, t4, v13
        vmadd.vx v6, t4, v14
        vmadd.vx v7, t4, v15
        # row 0, stride 4
        addi    a6, a7, 192
        vl4re32.v v16, (a6)
        vsmul.vv v20, v4, v18
        vsmul.vv v21, v12, v19
        vsmul.vv v22, v5, v18
        vsmul.vv v23, v13, v19
        vsmul.vv v24, v6, v18
        vsmul.vv v25, v14, v19
        vsmul.vv v18, v7, v18
        vsmul.vv v19, v15, v19
        vmadd.vv v4, v16, v0
        vmadd.vv v12, v17, v8
        vmadd.vv v5, v16, v1
        vmadd.vv v13, v17, v9
        vmadd.vv v6, v16, v2
        vmadd.vv v14, v17, v10
        vmadd.vv v7, v16, v3
        vmadd.vv v15, v17, v11
        vmacc.vx v4, t1, v20
        vmacc.vx v12, t1, v21
        vmacc.vx v5, t1, v22
        vmacc.vx v13, t1, v23
        vmacc.vx v6, t1, v24
        vmacc.vx v14, t1, v25
        vmacc.vx v7, t1, v18
        vmacc.vx v15, t1, v19
        vmadd.vx v0, t4, v4
        vmadd.vx v8, t4, v12
        vmadd.vx v1, t4, v5
        vmadd.vx v9, t4, v13
        vmadd.vx v2, t4, v6
        vmadd.vx v10, t4, v14
        vmadd.vx v3, t4, v7
        vmadd.vx v11, t4, v15
        # row 0, stride 2
        addi    a6, a7, 256
        vl8re32.v v16, (a6)
        vsmul.vv v24, v2, v20
        vsmul.vv v25, v6, v21
        vsmul.vv v26, v10, v22
        vsmul.vv v27, v14, v23
        vsmul.vv v20, v3, v20
        vsmul.vv v21, v7, v21
        vsmul.vv v22, v11, v22
        vsmul.vv v23, v15, v23
        vmadd.vv v2, v16, v0
        vmadd.vv v6, v17, v4
        vmadd.vv v10, v18, v8
        vmadd.vv v14, v19, v12
        vmadd.vv v3, v16, v1
        vmadd.vv v7, v17, v5
        vmadd.vv v11, v18, v9
        vmadd.vv v15, v19, v13
        vmacc.vx v2, t1, v24
        vmacc.vx v6, t1, v25
        vmacc.vx v10, t1, v26
        vmacc.vx v14, t1, v27
        vmacc.vx v3, t1, v20
        vmacc.vx v7, t1, v21
        vmacc.vx v11, t1, v22
        vmacc.vx v15, t1, v23
        vmadd.vx v0, t4, v2
        vmadd.vx v4, t4, v6
        vmadd.vx v8, t4, v10
        vmadd.vx v12, t4, v14
        vmadd.vx v1, t4, v3
        vmadd.vx v5, t4, v7
        vmadd.vx v9, t4, v11
        vmadd.vx v13, t4, v15
        # row 0, stride 1
        addi    a6, a7, 384
        vl8re32.v v16, (a6)
        vsmul.vv v20, v1, v20
        vsmul.vv v21, v3, v21
        vsmul.vv v22, v5, v22
        vsmul.vv v23, v7, v23
        vmul.vv v1, v1, v16
        vmul.vv v3, v3, v17
        vmul.vv v5, v5, v18
        vmul.vv v7, v7, v19
        vmacc.vx v1, t1, v20
        vmacc.vx v3, t1, v21
        vmacc.vx v5, t1, v22
        vmacc.vx v7, t1, v23
        vmadd.vv v0, v30, v1
        vmadd.vv v2, v31, v3
        vmadd.vv v4, v31, v5
        vmadd.vv v6, v30, v7
        vmadd.vx v1, t4, v0
        vmadd.vx v3, t4, v2
        vmadd.vx v5, t4, v4
        vmadd.vx v7, t4, v6
        # row 0, stride 1
        addi    a6, a7, 512
        vl8re32.v v16, (a6)
        vsmul.vv v20, v9, v20
        vsmul.vv v21, v11, v21
        vsmul.vv v22, v13, v22
        vsmul.vv v23, v15, v23
        vmul.vv v9, v9, v16
        vmul.vv v11, v11, v17
        vmul.vv v13, v13, v18
        vmul.vv v15, v15, v19
        vmacc.vx v9, t1, v20
        vmacc.vx v11, t1, v21
        vmacc.vx v13, t1, v22
        vmacc.vx v15, t1, v23
        vmadd.vv v8, v31, v9
        vmadd.vv v10, v30, v11
        vmadd.vv v12, v30, v13
        vmadd.vv v14, v31, v15
        vmadd.vx v9, t4, v8
        vmadd.vx v11, t4, v10
        vmadd.vx v13, t4, v12
        vmadd.vx v15, t4, v14
        phase PHASE_CANONICAL
        vsetivli zero, 16, e32, m4, ta, ma
        li      a6, 256
        vsmul.vx v16, v0, a6
        vsmul.vx v20, v4, a6
        vmacc.vx v0, t1, v16
        vmacc.vx v4, t1, v20
        lw      t3, 4(a7)
        vadd.vx v16, v0, t3
        vminu.vv v0, v0, v16
        vadd.vx v20, v4, t3
        vminu.vv v4, v4, v20
        vsmul.vx v16, v8, a6
        vsmul.vx v20, v12, a6
        vmacc.vx v8, t1, v16
        vmacc.vx v12, t1, v20
        vadd.vx v16, v8, t3
        vminu.vv v8, v8, v16
        vadd.vx v20, v12, t3
        vminu.vv v12, v12, v20
        phase PHASE_STORE
        vsetivli zero, 4, e32, m1, ta, ma
        addi    a1, a0, 0
        li      t5, 64
        vssseg4e32.v v0, (a1), t5
        addi    a2, a0, 16
        vssseg4e32.v v4, (a2), t5
        addi    a1, a0, 32
        vssseg4e32.v v8, (a1), t5
        addi    a2, a0, 48
        vssseg4e32.v v12, (a2), t5
        phase PHASE_LOAD
        addi    a1, sp, 256
        vl8re32.v v0, (a1)
        addi    a1, sp, 384
        vl8re32.v v8, (a1)
        phase PHASE_FORWARD
        # row 1, stride 8
        addi    a6, a7, 640
        vl2re32.v v16, (a6)
        vsmul.vv v18, v8, v17
        vsmul.vv v19, v9, v17
        vsmul.vv v20, v10, v17
        vsmul.vv v21, v11, v17
        vsmul.vv v22, v12, v17
        vsmul.vv v23, v13, v17
        vsmul.vv v24, v14, v17
        vsmul.vv v17, v15, v17
        vmadd.vv v8, v16, v0
        vmadd.vv v9, v16, v1
        vmadd.vv v10, v16, v2
        vmadd.vv v11, v16, v3
        vmadd.vv v12, v16, v4
        vmadd.vv v13, v16, v5
        vmadd.vv v14, v16, v6
        vmadd.vv v15, v16, v7
        vmacc.vx v8, t1, v18
        vmacc.vx v9, t1, v19
        vmacc.vx v10, t1, v20
        vmacc.vx v11, t1, v21
        vmacc.vx v12, t1, v22
        vmacc.vx v13, t1, v23
        vmacc.vx v14, t1, v24
        vmacc.vx v15, t1, v17
        vmadd.vx v0, t4, v8
        vmadd.vx v1, t4, v9
        vmadd.vx v2, t4, v10
        vmadd.vx v3, t4, v11
        vmadd.vx v4, t4, v12
        vmadd.vx v5, t4, v13
        vmadd.vx v6, t4, v14
        vmadd.vx v7, t4, v15
        # row 1, stride 4
        addi    a6, a7, 672
        vl4re32.v v16, (a6)
        vsmul.vv v20, v4, v18
        vsmul.vv v21, v12, v19
        vsmul.vv v22, v5, v18
        vsmul.vv v23, v13, v19
        vsmul.vv v24, v6, v18
        vsmul.vv v25, v14, v19
        vsmul.vv v18, v7, v18
        vsmul.vv v19, v15, v19
        vmadd.vv v4, v16, v0
        vmadd.vv v12, v17, v8
        vmadd.vv v5, v16, v1
        vmadd.vv v13, v17, v9
        vmadd.vv v6, v16, v2
        vmadd.vv v14, v17, v10
        vmadd.vv v7, v16, v3
        vmadd.vv v15, v17, v11
        vmacc.vx v4, t1, v20
        vmacc.vx v12, t1, v21
        vmacc.vx v5, t1, v22
        vmacc.vx v13, t1, v23
        vmacc.vx v6, t1, v24
        vmacc.vx v14, t1, v25
        vmacc.vx v7, t1, v18
        vmacc.vx v15, t1, v19
        vmadd.vx v0, t4, v4
        vmadd.vx v8, t4, v12
        vmadd.vx v1, t4, v5
        vmadd.vx v9, t4, v13
        vmadd.vx v2, t4, v6
        vmadd.vx v10, t4, v14
        vmadd.vx v3, t4, v7
        vmadd.vx v11, t4, v15
        # row 1, stride 2
        addi    a6, a7, 736
        vl8re32.v v16, (a6)
        vsmul.vv v24, v2, v20
        vsmul.vv v25, v6, v21
        vsmul.vv v26, v10, v22
        vsmul.vv v27, v14, v23
        vsmul.vv v20, v3, v20
        vsmul.vv v21, v7, v21
        vsmul.vv v22, v11, v22
        vsmul.vv v23, v15, v23
        vmadd.vv v2, v16, v0
        vmadd.vv v6, v17, v4
        vmadd.vv v10, v18, v8
        vmadd.vv v14, v19, v12
        vmadd.vv v3, v16, v1
        vmadd.vv v7, v17, v5
        vmadd.vv v11, v18, v9
        vmadd.vv v15, v19, v13
        vmacc.vx v2, t1, v24
        vmacc.vx v6, t1, v25
        vmacc.vx v10, t1, v26
        vmacc.vx v14, t1, v27
        vmacc.vx v3, t1, v20
        vmacc.vx v7, t1, v21
        vmacc.vx v11, t1, v22
        vmacc.vx v15, t1, v23
        vmadd.vx v0, t4, v2
        vmadd.vx v4, t4, v6
        vmadd.vx v8, t4, v10
        vmadd.vx v12, t4, v14
        vmadd.vx v1, t4, v3
        vmadd.vx v5, t4, v7
        vmadd.vx v9, t4, v11
        vmadd.vx v13, t4, v15
        # row 1, stride 1
        addi    a6, a7, 864
        vl8re32.v v16, (a6)
        vsmul.vv v20, v1, v20
        vsmul.vv v21, v3, v21
        vsmul.vv v22, v5, v22
        vsmul.vv v23, v7, v23
        vmul.vv v1, v1, v16
        vmul.vv v3, v3, v17
        vmul.vv v5, v5, v18
        vmul.vv v7, v7, v19
        vmacc.vx v1, t1, v20
        vmacc.vx v3, t1, v21
        vmacc.vx v5, t1, v22
        vmacc.vx v7, t1, v23
        vmadd.vv v0, v31, v1
        vmadd.vv v2, v30, v3
        vmadd.vv v4, v30, v5
        vmadd.vv v6, v31, v7
        vmadd.vx v1, t4, v0
        vmadd.vx v3, t4, v2
        vmadd.vx v5, t4, v4
        vmadd.vx v7, t4, v6
        # row 1, stride 1
        addi    a6, a7, 992
        vl8re32.v v16, (a6)
        vsmul.vv v20, v9, v20
        vsmul.vv v21, v11, v21
        vsmul.vv v22, v13, v22
        vsmul.vv v23, v15, v23
        vmul.vv v9, v9, v16
        vmul.vv v11, v11, v17
        vmul.vv v13, v13, v18
        vmul.vv v15, v15, v19
        vmacc.vx v9, t1, v20
        vmacc.vx v11, t1, v21
        vmacc.vx v13, t1, v22
        vmacc.vx v15, t1, v23
        vmadd.vv v8, v30, v9
        vmadd.vv v10, v31, v11
        vmadd.vv v12, v31, v13
        vmadd.vv v14, v30, v15
        vmadd.vx v9, t4, v8
        vmadd.vx v11, t4, v10
        vmadd.vx v13, t4, v12
        vmadd.vx v15, t4, v14
        phase PHASE_CANONICAL
        vsetivli zero, 16, e32, m4, ta, ma
        li      a6, 256
        vsmul.vx v16, v0, a6
        vsmul.vx v20, v4, a6
        vmacc.vx v0, t1, v16
        vmacc.vx v4, t1, v20
        vadd.vx v16, v0, t3
        vminu.vv v0, v0, v16
        vadd.vx v20, v4, t3
        vminu.vv v4, v4, v20
        vsmul.vx v16, v8, a6
        vsmul.vx v20, v12, a6
        vmacc.vx v8, t1, v16
        vmacc.vx v12, t1, v20
        vadd.vx v16, v8, t3
        vminu.vv v8, v8, v16
        vadd.vx v20, v12, t3
        vminu.vv v12, v12, v20
        phase PHASE_STORE
        vsetivli zero, 4, e32, m1, ta, ma
        addi    a1, a0, 256
        vssseg4e32.v v0, (a1), t5
        addi    a2, a0, 272
        vssseg4e32.v v4, (a2), t5
        addi    a1, a0, 288
        vssseg4e32.v v8, (a1), t5
        addi    a2, a0, 304
        vssseg4e32.v v12, (a2), t5
        phase PHASE_LOAD
        addi    a1, sp, 512
        vl8re32.v v0, (a1)
        addi    a1, sp, 640
        vl8re32.v v8, (a1)
        phase PHASE_FORWARD
        # row 2, stride 8
        addi    a6, a7, 1120
        vl2re32.v v16, (a6)
        vsmul.vv v18, v8, v17
        vsmul.vv v19, v9, v17
        vsmul.vv v20, v10, v17
        vsmul.vv v21, v11, v17
        vsmul.vv v22, v12, v17
        vsmul.vv v23, v13, v17
        vsmul.vv v24, v14, v17
        vsmul.vv v17, v15, v17
        vmadd.vv v8, v16, v0
        vmadd.vv v9, v16, v1
        vmadd.vv v10, v16, v2
        vmadd.vv v11, v16, v3
        vmadd.vv v12, v16, v4
        vmadd.vv v13, v16, v5
        vmadd.vv v14, v16, v6
        vmadd.vv v15, v16, v7
        vmacc.vx v8, t1, v18
        vmacc.vx v9, t1, v19
        vmacc.vx v10, t1, v20
        vmacc.vx v11, t1, v21
        vmacc.vx v12, t1, v22
        vmacc.vx v13, t1, v23
        vmacc.vx v14, t1, v24
        vmacc.vx v15, t1, v17
        vmadd.vx v0, t4, v8
        vmadd.vx v1, t4, v9
        vmadd.vx v2, t4, v10
        vmadd.vx v3, t4, v11
        vmadd.vx v4, t4, v12
        vmadd.vx v5, t4, v13
        vmadd.vx v6, t4, v14
        vmadd.vx v7, t4, v15
        # row 2, stride 4
        addi    a6, a7, 1152
        vl4re32.v v16, (a6)
        vsmul.vv v20, v4, v18
        vsmul.vv v21, v12, v19
        vsmul.vv v22, v5, v18
        vsmul.vv v23, v13, v19
        vsmul.vv v24, v6, v18
        vsmul.vv v25, v14, v19
        vsmul.vv v18, v7, v18
        vsmul.vv v19, v15, v19
        vmadd.vv v4, v16, v0
        vmadd.vv v12, v17, v8
        vmadd.vv v5, v16, v1
        vmadd.vv v13, v17, v9
        vmadd.vv v6, v16, v2
        vmadd.vv v14, v17, v10
        vmadd.vv v7, v16, v3
        vmadd.vv v15, v17, v11
        vmacc.vx v4, t1, v20
        vmacc.vx v12, t1, v21
        vmacc.vx v5, t1, v22
        vmacc.vx v13, t1, v23
        vmacc.vx v6, t1, v24
        vmacc.vx v14, t1, v25
        vmacc.vx v7, t1, v18
        vmacc.vx v15, t1, v19
        vmadd.vx v0, t4, v4
        vmadd.vx v8, t4, v12
        vmadd.vx v1, t4, v5
        vmadd.vx v9, t4, v13
        vmadd.vx v2, t4, v6
        vmadd.vx v10, t4, v14
        vmadd.vx v3, t4, v7
        vmadd.vx v11, t4, v15
        # row 2, stride 2
        addi    a6, a7, 1216
        vl8re32.v v16, (a6)
        vsmul.vv v24, v2, v20
        vsmul.vv v25, v6, v21
        vsmul.vv v26, v10, v22
        vsmul.vv v27, v14, v23
        vsmul.vv v20, v3, v20
        vsmul.vv v21, v7, v21
        vsmul.vv v22, v11, v22
        vsmul.vv v23, v15, v23
        vmadd.vv v2, v16, v0
        vmadd.vv v6, v17, v4
        vmadd.vv v10, v18, v8
        vmadd.vv v14, v19, v12
        vmadd.vv v3, v16, v1
        vmadd.vv v7, v17, v5
        vmadd.vv v11, v18, v9
        vmadd.vv v15, v19, v13
        vmacc.vx v2, t1, v24
        vmacc.vx v6, t1, v25
        vmacc.vx v10, t1, v26
        vmacc.vx v14, t1, v27
        vmacc.vx v3, t1, v20
        vmacc.vx v7, t1, v21
        vmacc.vx v11, t1, v22
        vmacc.vx v15, t1, v23
        vmadd.vx v0, t4, v2
        vmadd.vx v4, t4, v6
        vmadd.vx v8, t4, v10
        vmadd.vx v12, t4, v14
        vmadd.vx v1, t4, v3
        vmadd.vx v5, t4, v7
        vmadd.vx v9, t4, v11
        vmadd.vx v13, t4, v15
        # row 2, stride 1
        addi    a6, a7, 1344
        vl8re32.v v16, (a6)
        vsmul.vv v20, v1, v20
        vsmul.vv v21, v3, v21
        vsmul.vv v22, v5, v22
        vsmul.vv v23, v7, v23
        vmul.vv v1, v1, v16
        vmul.vv v3, v3, v17
        vmul.vv v5, v5, v18
        vmul.vv v7, v7, v19
        vmacc.vx v1, t1, v20
        vmacc.vx v3, t1, v21
        vmacc.vx v5, t1, v22
        vmacc.vx v7, t1, v23
        vmadd.vv v0, v31, v1
        vmadd.vv v2, v30, v3
        vmadd.vv v4, v30, v5
        vmadd.vv v6, v31, v7
        vmadd.vx v1, t4, v0
        vmadd.vx v3, t4, v2
        vmadd.vx v5, t4, v4
        vmadd.vx v7, t4, v6
        # row 2, stride 1
        addi    a6, a7, 1472
        vl8re32.v v16, (a6)
        vsmul.vv v20, v9, v20
        vsmul.vv v21, v11, v21
        vsmul.vv v22, v13, v22
        vsmul.vv v23, v15, v23
        vmul.vv v9, v9, v16
        vmul.vv v11, v11, v17
        vmul.vv v13, v13, v18
        vmul.vv v15, v15, v19
        vmacc.vx v9, t1, v20
        vmacc.vx v11, t1, v21
        vmacc.vx v13, t1, v22
        vmacc.vx v15, t1, v23
        vmadd.vv v8, v30, v9
        vmadd.vv v10, v31, v11
        vmadd.vv v12, v31, v13
        vmadd.vv v14, v30, v15
        vmadd.vx v9, t4, v8
        vmadd.vx v11, t4, v10
        vmadd.vx v13, t4, v12
        vmadd.vx v15, t4, v14
        phase PHASE_CANONICAL
        vsetivli zero, 16, e32, m4, ta, ma
        li      a6, 256
        vsmul.vx v16, v0, a6
        vsmul.vx v20, v4, a6
        vmacc.vx v0, t1, v16
        vmacc.vx v4, t1, v20
        vadd.vx v16, v0, t3
        vminu.vv v0, v0, v16
        vadd.vx v20, v4, t3
        vminu.vv v4, v4, v20
        vsmul.vx v16, v8, a6
        vsmul.vx v20, v12, a6
        vmacc.vx v8, t1, v16
        vmacc.vx v12, t1, v20
        vadd.vx v16, v8, t3
        vminu.vv v8, v8, v16
        vadd.vx v20, v12, t3
        vminu.vv v12, v12, v20
        phase PHASE_STORE
        vsetivli zero, 4, e32, m1, ta, ma
        addi    a1, a0, 512
        vssseg4e32.v v0, (a1), t5
        addi    a2, a0, 528
        vssseg4e32.v v4, (a2), t5
        addi    a1, a0, 544
        vssseg4e32.v v8, (a1), t5
        addi    a2, a0, 560
        vssseg4e32.v v12, (a2), t5
        phase PHASE_LOAD
        addi    a1, sp, 768
        vl8re32.v v0, (a1)
        addi    a1, sp, 896
        vl8re32.v v8, (a1)
        phase PHASE_FORWARD
        # row 3, stride 8
        addi    a6, a7, 1600
        vl2re32.v v16, (a6)
        vsmul.vv v18, v8, v17
        vsmul.vv v19, v9, v17
        vsmul.vv v20, v10, v17
        vsmul.vv v21, v11, v17
        vsmul.vv v22, v12, v17
        vsmul.vv v23, v13, v17
        vsmul.vv v24, v14, v17
        vsmul.vv v17, v15, v17
        vmadd.vv v8, v16, v0
        vmadd.vv v9, v16, v1
        vmadd.vv v10, v16, v2
        vmadd.vv v11, v16, v3
        vmadd.vv v12, v16, v4
        vmadd.vv v13, v16, v5
        vmadd.vv v14, v16, v6
        vmadd.vv v15, v16, v7
        vmacc.vx v8, t1, v18
        vmacc.vx v9, t1, v19
        vmacc.vx v10, t1, v20
        vmacc.vx v11, t1, v21
        vmacc.vx v12, t1, v22
        vmacc.vx v13, t1, v23
        vmacc.vx v14, t1, v24
        vmacc.vx v15, t1, v17
        vmadd.vx v0, t4, v8
        vmadd.vx v1, t4, v9
        vmadd.vx v2, t4, v10
        vmadd.vx v3, t4, v11
        vmadd.vx v4, t4, v12
        vmadd.vx v5, t4, v13
        vmadd.vx v6, t4, v14
        vmadd.vx v7, t4, v15
        # row 3, stride 4
        addi    a6, a7, 1632
        vl4re32.v v16, (a6)
        vsmul.vv v20, v4, v18
        vsmul.vv v21, v12, v19
        vsmul.vv v22, v5, v18
        vsmul.vv v23, v13, v19
        vsmul.vv v24, v6, v18
        vsmul.vv v25, v14, v19
        vsmul.vv v18, v7, v18
        vsmul.vv v19, v15, v19
        vmadd.vv v4, v16, v0
        vmadd.vv v12, v17, v8
        vmadd.vv v5, v16, v1
        vmadd.vv v13, v17, v9
        vmadd.vv v6, v16, v2
        vmadd.vv v14, v17, v10
        vmadd.vv v7, v16, v3
        vmadd.vv v15, v17, v11
        vmacc.vx v4, t1, v20
        vmacc.vx v12, t1, v21
        vmacc.vx v5, t1, v22
        vmacc.vx v13, t1, v23
        vmacc.vx v6, t1, v24
        vmacc.vx v14, t1, v25
        vmacc.vx v7, t1, v18
        vmacc.vx v15, t1, v19
        vmadd.vx v0, t4, v4
        vmadd.vx v8, t4, v12
        vmadd.vx v1, t4, v5
        vmadd.vx v9, t4, v13
        vmadd.vx v2, t4, v6
        vmadd.vx v10, t4, v14
        vmadd.vx v3, t4, v7
        vmadd.vx v11, t4, v15
        # row 3, stride 2
        addi    a6, a7, 1696
        vl8re32.v v16, (a6)
        vsmul.vv v24, v2, v20
        vsmul.vv v25, v6, v21
        vsmul.vv v26, v10, v22
        vsmul.vv v27, v14, v23
        vsmul.vv v20, v3, v20
        vsmul.vv v21, v7, v21
        vsmul.vv v22, v11, v22
        vsmul.vv v23, v15, v23
        vmadd.vv v2, v16, v0
        vmadd.vv v6, v17, v4
        vmadd.vv v10, v18, v8
        vmadd.vv v14, v19, v12
        vmadd.vv v3, v16, v1
        vmadd.vv v7, v17, v5
        vmadd.vv v11, v18, v9
        vmadd.vv v15, v19, v13
        vmacc.vx v2, t1, v24
        vmacc.vx v6, t1, v25
        vmacc.vx v10, t1, v26
        vmacc.vx v14, t1, v27
        vmacc.vx v3, t1, v20
        vmacc.vx v7, t1, v21
        vmacc.vx v11, t1, v22
        vmacc.vx v15, t1, v23
        vmadd.vx v0, t4, v2
        vmadd.vx v4, t4, v6
        vmadd.vx v8, t4, v10
        vmadd.vx v12, t4, v14
        vmadd.vx v1, t4, v3
        vmadd.vx v5, t4, v7
        vmadd.vx v9, t4, v11
        vmadd.vx v13, t4, v15
        # row 3, stride 1
        addi    a6, a7, 1824
        vl8re32.v v16, (a6)
        vsmul.vv v20, v1, v20
        vsmul.vv v21, v3, v21
        vsmul.vv v22, v5, v22
        vsmul.vv v23, v7, v23
        vmul.vv v1, v1, v16
        vmul.vv v3, v3, v17
        vmul.vv v5, v5, v18
        vmul.vv v7, v7, v19
        vmacc.vx v1, t1, v20
        vmacc.vx v3, t1, v21
        vmacc.vx v5, t1, v22
        vmacc.vx v7, t1, v23
        vmadd.vv v0, v30, v1
        vmadd.vv v2, v31, v3
        vmadd.vv v4, v31, v5
        vmadd.vv v6, v30, v7
        vmadd.vx v1, t4, v0
        vmadd.vx v3, t4, v2
        vmadd.vx v5, t4, v4
        vmadd.vx v7, t4, v6
        # row 3, stride 1
        addi    a6, a7, 1952
        vl8re32.v v16, (a6)
        vsmul.vv v20, v9, v20
        vsmul.vv v21, v11, v21
        vsmul.vv v22, v13, v22
        vsmul.vv v23, v15, v23
        vmul.vv v9, v9, v16
        vmul.vv v11, v11, v17
        vmul.vv v13, v13, v18
        vmul.vv v15, v15, v19
        vmacc.vx v9, t1, v20
        vmacc.vx v11, t1, v21
        vmacc.vx v13, t1, v22
        vmacc.vx v15, t1, v23
        vmadd.vv v8, v31, v9
        vmadd.vv v10, v30, v11
        vmadd.vv v12, v30, v13
        vmadd.vv v14, v31, v15
        vmadd.vx v9, t4, v8
        vmadd.vx v11, t4, v10
        vmadd.vx v13, t4, v12
        vmadd.vx v15, t4, v14
        phase PHASE_CANONICAL
        vsetivli zero, 16, e32, m4, ta, ma
        li      a6, 256
        vsmul.vx v16, v0, a6
        vsmul.vx v20, v4, a6
        vmacc.vx v0, t1, v16
        vmacc.vx v4, t1, v20
        vadd.vx v16, v0, t3
        vminu.vv v0, v0, v16
        vadd.vx v20, v4, t3
        vminu.vv v4, v4, v20
        vsmul.vx v16, v8, a6
        vsmul.vx v20, v12, a6
        vmacc.vx v8, t1, v16
        vmacc.vx v12, t1, v20
        vadd.vx v16, v8, t3
        vminu.vv v8, v8, v16
        vadd.vx v20, v12, t3
        vminu.vv v12, v12, v20
        phase PHASE_STORE
        vsetivli zero, 4, e32, m1, ta, ma
        addi    a1, a0, 768
        vssseg4e32.v v0, (a1), t5
        addi    a2, a0, 784
        vssseg4e32.v v4, (a2), t5
        addi    a1, a0, 800
        vssseg4e32.v v8, (a1), t5
        addi    a2, a0, 816
        vssseg4e32.v v12, (a2), t5
        addi    sp, sp, 1024
        ret
        .size   parcrypt_mldsa_forward_vlen128, . - parcrypt_mldsa_forward_vlen128
        .option pop

        .section .rodata
        .balign 16
1:
        .word   -8380417, 8380417, 3572223, -3765607, -3761513, 3201494, 2883726, 3145678
        .word   3201430, 601683, -3542485, -2682288, -2129892, -3764867, 1005239, -557458
        .word   1221177, 915382907, -964937599, -963888510, 820383522, 738955404, 806080660, 820367122
        .word   154181397, -907762539, -687336873, -545785280, -964747974, 257592709, -142848732, 312926867
        .word   -1, 1, 1, -1, 1, -1, -1, 1
        .word   3370349, 4063053, -2663378, 1674615, 863652652, 1041158200, -682491182, 429120452
        .word   -3602218, -2740543, 3110818, -3704823, -3182878, 3586446, -2101410, -1159875
        .word   -923069133, -702264730, 797147778, -949361686, -815613168, 919027554, -538486762, -297218217
        .word   -3073009, -4183372, -2508980, -2811291, -1277625, 3222807, -2028118, 2983781
        .word   2635473, 3121440, -1937570, 1109516, -3852015, 274060, 3815725, -4158088
        .word   -787459213, -1071989969, -642926661, -720393920, -327391679, 825844983, -519705671, 764594519
        .word   675340520, 799869667, -496502727, 284313712, -987079667, 70227934, 977780347, -1065510939
        .word   -1753, 1182243, -27812, 1685153, -1935420, -87208, -822541, -3410568
        .word   -2659525, -636927, -1009365, 2678278, 1455890, -3965306, -2454145, 3768948
        .word   -449207, 302950022, -7126831, 431820817, -495951789, -22347069, -210776307, -873958779
        .word   -681503850, -163212680, -258649997, 686309310, 373072124, -1016110510, -628875181, 965793731
        .word   2660408, 3956745, 1979497, -3551006, 1780227, -2296397, 1596822, -635956
        .word   59148, -3284915, -3956944, 250446, 2772600, 3716946, 3759465, -2455377
        .word   681730119, 1013916752, 507246529, -909946047, 456183549, -588452222, 409185979, -162963861
        .word   15156688, -841760171, -1013967746, 64176841, 710479343, 952468207, 963363710, -629190881
        .word   3524442, 434125, -676590, 1335936, 903139016, 111244624, -173376332, 342333886
        .word   -394148, -1095468, -2071829, -3241972, -928749, 3506380, 4018989, -2156050
        .word   -101000509, -280713909, -530906624, -830756018, -237992130, 898510625, 1029866791, -552488273
        .word   -1528066, 565603, 4166425, -1736313, -482649, -169688, 3488383, -235407
        .word   -1148858, -2462444, -1987814, 3250154, 2962264, 3334383, 3197248, -3258457
        .word   -391567239, 144935890, 1067647297, -444930577, -123678909, -43482586, 893898890, -60323094
        .word   -294395108, -631001801, -509377762, 832852657, 759080783, 854436357, 819295484, -834980303
        .word   -4146264, -3747250, -2998219, -458740, 1772588, 2296099, 141835, 1921994
        .word   -2192938, 1239911, -89301, -4040196, -1727088, 3838479, -2513018, -3472069
        .word   -1062481036, -960233614, -768294260, -117552223, 454226054, 588375860, 36345249, 492511373
        .word   -561940831, 317727459, -22883400, -1035301089, -442566669, 983611064, -643961400, -889718424
        .word   -2387513, 3195676, -1354892, -2039144, -3611750, -2642980, -613238, -1879878
        .word   -268456, -1254190, 1310261, -818761, 3180456, -12417, -2218467, 2178965
        .word   -611800717, 818892658, -347191365, -522531086, -925511710, -677264190, -157142369, -481719139
        .word   -68791907, -321386456, 335754661, -209807681, 814992530, -3181859, -568482643, 558360247
        .word   3227876, -1714295, -2453983, -1460718, 827143915, -439288460, -628833668, -374309300
        .word   -3415069, 817536, -3756790, 1716988, -1759347, 3574466, 1935799, 3950053
        .word   -875112161, 209493775, -962678241, 439978542, -450833045, 915957677, 496048908, 1012201926
        .word   2579253, -3482206, 1317678, -3901472, -1787943, 4182915, -2461387, 1226661
        .word   2391089, 1300016, -3035980, -2925816, 2254727, 2362063, -621164, -3374250
        .word   660934133, -892316032, 337655269, -999753034, -458160776, 1071872863, -630730945, 314332144
        .word   612717067, 333129378, -777970524, -749740976, 577774276, 605279149, -159173408, -864652284
        .word   -1623354, 1476985, 3033742, 3980599, -2105286, 1994046, -338420, -2569011
        .word   2374402, 2491325, 2647994, 1615530, -2033807, 1393159, -3009748, 1723229
        .word   -415984810, 378477722, 777397036, 1020029345, -539479988, 510974714, -86720197, -658309618
        .word   608441020, 638402564, 678549029, 413979908, -521163479, 356997292, -771248568, 441577800
        .word   -586241, 507927, -2612853, -1665318, -1179613, 1187885, -4148469, 2028038
        .word   527981, 724804, -749577, 1163598, 2743411, -1834526, -4022750, 3369273
        .word   -150224382, 130156402, -669544140, -426738094, -302276083, 304395785, -1063046068, 519685171
        .word   135295244, 185731180, -192079267, 298172236, 702999655, -470097680, -1030830548, 863376927
        .word   642628, 3585098, -2815639, -2283733, 164673562, 918682129, -721508096, -585207070
        .word   2897314, -556856, -2917338, -3345963, -3192354, -3870317, -1853806, -1858416
        .word   742437332, -142694469, -747568486, -857403734, -818041395, -991769559, -475038184, -476219497
        .word   -1356448, 3467665, -348812, 3818627, 2775755, -2312838, 327848, 1922253
        .word   -2683270, 653275, -1011223, 2236726, 2778788, 459163, 2354215, -1744507
        .word   -347590090, 888589898, -89383150, 978523985, 711287812, -592665232, 84011120, 492577742
        .word   -687588511, 167401858, -259126110, 573161516, 712065019, 117660617, 603268097, -447030292
        .word   -3994671, 3105558, -2185084, 303005, -11879, 1103344, -3123762, 3531229
        .word   -1370517, -508145, -2358373, -3974485, -3020393, -553718, -2193087, 3773731
        .word   -1023635298, 795799901, -559928242, 77645096, -3043996, 282732136, -800464680, 904878186
        .word   -351195274, -130212265, -604333585, -1018462631, -773976352, -141890356, -561979013, 967019376
        .word   3363542, -860144, 3014420, 1900052, -214880, 3430436, -1716814, 781875
        .word   -545376, 140244, 2926054, -1054478, -770441, 1514152, 392707, -731434
        .word   861908357, -220412084, 772445769, 486888731, -55063046, 879049958, -439933955, 200355636
        .word   -139752717, 35937555, 749801963, -270210213, -197425671, 388001774, 100631253, -187430119
        .section .note.GNU-stack, "", @progbits
