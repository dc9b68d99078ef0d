"""Twiddles of the kernels in C.

A ring is split as a binary tree: node i = 2^l + b is block b of level l, a polynomial modulo X^m - w^2, which becomes
two: node 2 i modulo X^(m/2) - w, and 2 i + 1 modulo X^(m/2) + w. FIPS 203 numbers the zetas of ML-KEM's ring so.
"""

import mlkem
from product import root
from rvv import Q, centred, quotient_factor


def cyclic():
    """w of nodes 1 to 127 of the ring modulo X^128 - 1."""
    exponents = {1: 0}
    for i in range(1, 64):
        exponents[2 * i], exponents[2 * i + 1] = exponents[i] // 2, exponents[i] // 2 + 64
    return [root(exponents[i] // 2) for i in range(1, 128)]


def leaves():
    """w of the sixteen polynomials modulo X^8 - w."""
    return [w for node in cyclic()[7:15] for w in (node, centred(-node))]


def inverse(w):
    return centred(pow(w, -1, Q))


def rows(values, text):
    return "".join(f"    {', '.join(map(text, values[i : i + 8]))},\n" for i in range(0, len(values), 8))


def twiddles(name, comment, ws):
    body = rows(ws, lambda w: f"{{{w}, {quotient_factor(w)}}}")
    return f"/* {comment} */\nstatic const struct twiddle {name}[{len(ws)}] = {{\n{body}}};\n"


def vector(name, comment, ws):
    factors = [quotient_factor(w) for w in ws]
    return (
        f"/* {comment} */\nstatic const int16_t {name}[{len(ws)}] = {{\n{rows(ws, str)}}};\n"
        f"static const int16_t {name}_factor[{len(ws)}] = {{\n{rows(factors, str)}}};\n"
    )


def pairs(ws):
    """Each twice: for lanes that hold two coefficients of a pair."""
    return [w for w in ws for _ in (0, 1)]


def text():
    zetas = [mlkem.zeta(i) for i in range(1, 128)]
    backwards = [inverse(w) for w in zetas]
    parts = [
        twiddles("cyclic", "w of nodes 1 to 15 of the ring modulo X^128 - 1", cyclic()[:15]),
        twiddles("cyclic_inverse", "1 / w", [inverse(w) for w in cyclic()[:15]]),
        vector("cyclic_leaves", "w_i of the polynomials modulo X^8 - w_i", leaves()),
        twiddles("mlkem", "zeta_i of FIPS 203, from i = 1", zetas[:15]),
        twiddles("mlkem_inverse", "1 / zeta_i, from i = 1", backwards[:15]),
    ]
    for name, w, what in (
        ("cyclic_scale", inverse(16), "1/16: four levels backwards"),
        ("mlkem_scale", inverse(128), "1/128: seven levels backwards"),
        ("mlkem_scale_last", inverse(128 * zetas[0]), "1 / (128 zeta_1)"),
    ):
        parts.append(f"/* {what} */\nstatic const struct twiddle {name} = {{{w}, {quotient_factor(w)}}};\n")
    for name, ws, what in (("mlkem", zetas, "zeta"), ("mlkem_inverse", backwards, "1 / zeta")):
        # Node 16 + b of stride 8 has nodes 2 (16 + b) + (0, 1) of stride 4 and 4 (16 + b) + (0 .. 3) of stride 2.
        parts.append(vector(f"{name}_8", f"{what} of stride 8, for pairs of coefficients", pairs(ws[15:31])))
        parts += [
            vector(f"{name}_{stride}_{j}", f"{what} of stride {stride}, part {j} of a block of 16", pairs(ws[first + j :: step][:16]))
            for stride, first, step in ((4, 31, 2), (2, 63, 4))
            for j in range(step)
        ]
    return (
        "/* Twiddles, written by gen/generate.py. */\n"
        "#ifndef PARCRYPT_TABLES_H\n#define PARCRYPT_TABLES_H\n\n"
        '#include <stdint.h>\n\n#include "field.h"\n\n// clang-format off\n' + "\n".join(parts) + "// clang-format on\n\n#endif\n"
    )


def powers_text():
    """For the rungs of the ladder that know no better: powers of w in [0, q)."""
    return (
        "/* Powers of w, of order 128, written by gen/generate.py. */\n"
        "#ifndef PARCRYPT_POWERS_H\n#define PARCRYPT_POWERS_H\n\n#include <stdint.h>\n\n// clang-format off\n"
        f"static const int32_t powers[128] = {{\n{rows([root(i) % Q for i in range(128)], str)}}};\n"
        f"/* 1/128 modulo q. */\nstatic const int32_t nth = {pow(128, -1, Q)};\n// clang-format on\n\n#endif\n"
    )
