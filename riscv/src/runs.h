/* Butterflies between runs of a block, written by gen/generate.py. */
#ifndef PARCRYPT_RUNS_H
#define PARCRYPT_RUNS_H

// clang-format off
/* RUNS_n(DO): DO(i) for each of n runs. STEPS_n_l(STEP): STEP(l - 1, block, u, v) for each pair of runs of
 * level l, counted from 1, where block b of level l - 1 is the block that this level splits. */
#define RUNS_2(DO) DO(0) DO(1)
#define STEPS_2_1(STEP) \
    STEP(0, 0, v0, v1)
#define RUNS_4(DO) DO(0) DO(1) DO(2) DO(3)
#define STEPS_4_1(STEP) \
    STEP(0, 0, v0, v2) \
    STEP(0, 0, v1, v3)
#define STEPS_4_2(STEP) \
    STEP(1, 0, v0, v1) \
    STEP(1, 1, v2, v3)
#define RUNS_8(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define STEPS_8_1(STEP) \
    STEP(0, 0, v0, v4) \
    STEP(0, 0, v1, v5) \
    STEP(0, 0, v2, v6) \
    STEP(0, 0, v3, v7)
#define STEPS_8_2(STEP) \
    STEP(1, 0, v0, v2) \
    STEP(1, 0, v1, v3) \
    STEP(1, 1, v4, v6) \
    STEP(1, 1, v5, v7)
#define STEPS_8_3(STEP) \
    STEP(2, 0, v0, v1) \
    STEP(2, 1, v2, v3) \
    STEP(2, 2, v4, v5) \
    STEP(2, 3, v6, v7)
#define RUNS_16(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
#define STEPS_16_1(STEP) \
    STEP(0, 0, v0, v8) \
    STEP(0, 0, v1, v9) \
    STEP(0, 0, v2, v10) \
    STEP(0, 0, v3, v11) \
    STEP(0, 0, v4, v12) \
    STEP(0, 0, v5, v13) \
    STEP(0, 0, v6, v14) \
    STEP(0, 0, v7, v15)
#define STEPS_16_2(STEP) \
    STEP(1, 0, v0, v4) \
    STEP(1, 0, v1, v5) \
    STEP(1, 0, v2, v6) \
    STEP(1, 0, v3, v7) \
    STEP(1, 1, v8, v12) \
    STEP(1, 1, v9, v13) \
    STEP(1, 1, v10, v14) \
    STEP(1, 1, v11, v15)
#define STEPS_16_3(STEP) \
    STEP(2, 0, v0, v2) \
    STEP(2, 0, v1, v3) \
    STEP(2, 1, v4, v6) \
    STEP(2, 1, v5, v7) \
    STEP(2, 2, v8, v10) \
    STEP(2, 2, v9, v11) \
    STEP(2, 3, v12, v14) \
    STEP(2, 3, v13, v15)
#define STEPS_16_4(STEP) \
    STEP(3, 0, v0, v1) \
    STEP(3, 1, v2, v3) \
    STEP(3, 2, v4, v5) \
    STEP(3, 3, v6, v7) \
    STEP(3, 4, v8, v9) \
    STEP(3, 5, v10, v11) \
    STEP(3, 6, v12, v13) \
    STEP(3, 7, v14, v15)
#define RUNS_32(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15) DO(16) DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23) DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30) DO(31)
#define STEPS_32_1(STEP) \
    STEP(0, 0, v0, v16) \
    STEP(0, 0, v1, v17) \
    STEP(0, 0, v2, v18) \
    STEP(0, 0, v3, v19) \
    STEP(0, 0, v4, v20) \
    STEP(0, 0, v5, v21) \
    STEP(0, 0, v6, v22) \
    STEP(0, 0, v7, v23) \
    STEP(0, 0, v8, v24) \
    STEP(0, 0, v9, v25) \
    STEP(0, 0, v10, v26) \
    STEP(0, 0, v11, v27) \
    STEP(0, 0, v12, v28) \
    STEP(0, 0, v13, v29) \
    STEP(0, 0, v14, v30) \
    STEP(0, 0, v15, v31)
#define STEPS_32_2(STEP) \
    STEP(1, 0, v0, v8) \
    STEP(1, 0, v1, v9) \
    STEP(1, 0, v2, v10) \
    STEP(1, 0, v3, v11) \
    STEP(1, 0, v4, v12) \
    STEP(1, 0, v5, v13) \
    STEP(1, 0, v6, v14) \
    STEP(1, 0, v7, v15) \
    STEP(1, 1, v16, v24) \
    STEP(1, 1, v17, v25) \
    STEP(1, 1, v18, v26) \
    STEP(1, 1, v19, v27) \
    STEP(1, 1, v20, v28) \
    STEP(1, 1, v21, v29) \
    STEP(1, 1, v22, v30) \
    STEP(1, 1, v23, v31)
#define STEPS_32_3(STEP) \
    STEP(2, 0, v0, v4) \
    STEP(2, 0, v1, v5) \
    STEP(2, 0, v2, v6) \
    STEP(2, 0, v3, v7) \
    STEP(2, 1, v8, v12) \
    STEP(2, 1, v9, v13) \
    STEP(2, 1, v10, v14) \
    STEP(2, 1, v11, v15) \
    STEP(2, 2, v16, v20) \
    STEP(2, 2, v17, v21) \
    STEP(2, 2, v18, v22) \
    STEP(2, 2, v19, v23) \
    STEP(2, 3, v24, v28) \
    STEP(2, 3, v25, v29) \
    STEP(2, 3, v26, v30) \
    STEP(2, 3, v27, v31)
#define STEPS_32_4(STEP) \
    STEP(3, 0, v0, v2) \
    STEP(3, 0, v1, v3) \
    STEP(3, 1, v4, v6) \
    STEP(3, 1, v5, v7) \
    STEP(3, 2, v8, v10) \
    STEP(3, 2, v9, v11) \
    STEP(3, 3, v12, v14) \
    STEP(3, 3, v13, v15) \
    STEP(3, 4, v16, v18) \
    STEP(3, 4, v17, v19) \
    STEP(3, 5, v20, v22) \
    STEP(3, 5, v21, v23) \
    STEP(3, 6, v24, v26) \
    STEP(3, 6, v25, v27) \
    STEP(3, 7, v28, v30) \
    STEP(3, 7, v29, v31)
#define STEPS_32_5(STEP) \
    STEP(4, 0, v0, v1) \
    STEP(4, 1, v2, v3) \
    STEP(4, 2, v4, v5) \
    STEP(4, 3, v6, v7) \
    STEP(4, 4, v8, v9) \
    STEP(4, 5, v10, v11) \
    STEP(4, 6, v12, v13) \
    STEP(4, 7, v14, v15) \
    STEP(4, 8, v16, v17) \
    STEP(4, 9, v18, v19) \
    STEP(4, 10, v20, v21) \
    STEP(4, 11, v22, v23) \
    STEP(4, 12, v24, v25) \
    STEP(4, 13, v26, v27) \
    STEP(4, 14, v28, v29) \
    STEP(4, 15, v30, v31)
// clang-format on

#endif
