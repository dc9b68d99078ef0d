/* The steps: all compute the product in Z_q[X] / (X^128 - 1) of int32_t arrays. */
#ifndef PARCRYPT_LADDER_H
#define PARCRYPT_LADDER_H

#include "parcrypt_ntt_rvv.h"

#define STEP(symbol, name, least, greatest, step) parcrypt_product128_i32_fn parcrypt_step_##symbol;
#include "list.h"
#undef STEP

/* The transforms of the step "recursive", which the next one uses too. */
void parcrypt_recursive_forward(int32_t y[128], const int32_t x[128]);
void parcrypt_recursive_inverse(int32_t y[128], const int32_t x[128]);

#endif
