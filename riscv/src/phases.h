/* Numbers of the phases that the counter distinguishes, and the instruction that marks the beginning of one.
 *
 * A mark is a HINT, `slti x0, x0, 1024 + phase`; it ends where the next begins, or with `slti x0, x0, 1280`.
 * Marks are compiled in only with PARCRYPT_PHASES: the library has none. count/counting.py has the names.
 */
#ifndef PARCRYPT_PHASES_H
#define PARCRYPT_PHASES_H

#define PHASE_OTHER 0
#define PHASE_LOAD 1
#define PHASE_FORWARD 2
#define PHASE_PERMUTE 3
#define PHASE_POINTWISE 4
#define PHASE_INVERSE 5
#define PHASE_CANONICAL 6
#define PHASE_STORE 7

#ifdef __ASSEMBLER__
// clang-format off
.macro phase number
#ifdef PARCRYPT_PHASES
        slti    zero, zero, 1024 + \number
#endif
.endm
// clang-format on
#elif defined PARCRYPT_PHASES
#define PHASE(number) __asm__ volatile("slti zero, zero, %0" : : "i"(1024 + (number)) : "memory")
#else
#define PHASE(number) ((void)0)
#endif

#endif
