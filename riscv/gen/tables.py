"""Twiddles of the kernels in C.

A ring is split as a binary tree: node i = 2^l + b is block b of level l, a polynomial modulo X^m - w^2, which becomes
two: node 2 i modulo X^(m/2) - w, and 2 i + 1 modulo X^(m/2) + w. FIPS 203 numbers the zetas of ML-KEM's ring so.
"""

import mldsa
import mldsa_products
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


def twiddles(name, comment, ws, struct="twiddle", factor=quotient_factor):
    body = rows(ws, lambda w: f"{{{w}, {factor(w)}}}")
    return f"/* {comment} */\nstatic const struct {struct} {name}[{len(ws)}] = {{\n{body}}};\n"


def vector(name, comment, ws):
    factors = [quotient_factor(w) for w in ws]
    return (
        f"/* {comment} */\nstatic const int16_t {name}[{len(ws)}] = {{\n{rows(ws, str)}}};\n"
        f"static const int16_t {name}_factor[{len(ws)}] = {{\n{rows(factors, str)}}};\n"
    )


def pairs(ws):
    """Returns each twice: for lanes with two coefficients of a pair."""
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


def array(name, comment, values, bits):
    return f"/* {comment} */\nstatic const int{bits}_t {name}[{len(values)}] = {{\n{rows(values, str)}}};\n"


def guarded(name, comment, body):
    guard = f"PARCRYPT_{name}_H"
    return (
        f"/* {comment}, written by gen/generate.py. */\n#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n\n"
        f"// clang-format off\n{body}// clang-format on\n\n#endif\n"
    )


def wide_factor(w):
    """round(2^31 w / q), for vsmul with 32-bit elements."""
    return quotient_factor(w, Q, 31)


def mldsa_text():
    """For ML-DSA's transform: lanes of the lower four levels are the sixteen blocks of level 4."""

    def factor(w):
        return quotient_factor(w, mldsa.Q, 31)

    def inverse(w):
        return centred(pow(w, -1, mldsa.Q), mldsa.Q)

    zetas = [mldsa.zeta(i) for i in range(1, 256)]
    parts = []
    for name, ws, what in (("mldsa", zetas, "zeta_i of FIPS 204"), ("mldsa_inverse", [*map(inverse, zetas)], "1 / zeta_i")):
        parts.append(twiddles(name, f"{what}, from i = 1", ws[:15], "wide_twiddle", factor))
        deep = [
            ws[(16 + block << level) + i - 1] for level in range(4) for i in range(1 << level) for block in range(16)
        ]
        parts.append(array(f"{name}_deep", f"{what} of nodes 1 to 15 below each of 16 blocks, for all blocks", deep, 32))
        parts.append(array(f"{name}_deep_factor", "round(2^31 w / q)", [*map(factor, deep)], 32))
    scale = inverse(256)
    for name, w, what in (
        ("mldsa_scale", scale, "1/256: eight levels backwards"),
        ("mldsa_scale_last", centred(scale * inverse(zetas[0]), mldsa.Q), "1 / (256 zeta_1)"),
    ):
        parts.append(f"/* {what} */\nstatic const struct wide_twiddle {name} = {{{w}, {factor(w)}}};\n")
    parts.append(
        "/* floor(2^32 (2^31 / q - 256)): 256 a + floor(a times this / 2^32) is 2^31 a / q, less than 1.002 too small */\n"
        f"#define MLDSA_HIGH {mldsa_products.high_factor()}\n"
    )
    return guarded("MLDSA_TABLES", "Twiddles of ML-DSA's transform", "\n".join(parts)).replace(
        "<stdint.h>\n", '<stdint.h>\n\n#include "field.h"\n'
    )


def powers_text():
    """For the steps that transform by the definition of the transform."""
    powers = [root(i) % Q for i in range(128)]
    backwards = [root(-i) % Q for i in range(128)]
    reverse = [int(f"{i:07b}"[::-1], 2) for i in range(128)]
    return guarded(
        "POWERS",
        "Powers of w, of order 128",
        "\n".join(
            [
                array("powers", "w^i in [0, q)", powers, 32),
                array("powers_factor", "round(2^31 w^i / q)", [wide_factor(w) for w in powers], 32),
                array("inverse_powers", "w^-i in [0, q)", backwards, 32),
                array("inverse_powers_factor", "round(2^31 w^-i / q)", [wide_factor(w) for w in backwards], 32),
                array("reversed", "the bits of i reversed", reverse, 32),
                f"/* 1/128 modulo q, and round(2^31 / 128 / q) of it. */\n"
                f"static const int32_t nth = {pow(128, -1, Q)}, nth_factor = {wide_factor(pow(128, -1, Q))};\n",
            ]
        ),
    )


def nodes_text():
    """For the steps without permutation."""
    parts = []
    for name, ws, what in (
        ("node", cyclic(), "w of node i of the ring modulo X^128 - 1"),
        ("inverse_node", [inverse(w) for w in cyclic()], "1 / w of node i"),
    ):
        parts += [
            array(f"{name}_w_32", what, [0] + ws, 32),
            array(f"{name}_factor_32", f"round(2^31 w / q) for {name}_w_32", [0] + [wide_factor(w) for w in ws], 32),
            array(f"{name}_w_16", what, [0] + ws, 16),
            array(f"{name}_factor_16", f"round(2^15 w / q) for {name}_w_16", [0] + [quotient_factor(w) for w in ws], 16),
        ]
        # Local node 1 to 7 of each of the sixteen blocks of level 4, whose nodes are 16 to 31: lanes are blocks.
        deep = [ws[(16 + block << i.bit_length() - 1) + i - (1 << i.bit_length() - 1) - 1] for i in range(1, 8) for block in range(16)]
        parts += [
            array(f"{name}_deep", "w of nodes 1 to 7 of the part below each of 16 blocks, for all blocks", deep, 16),
            array(f"{name}_deep_factor", f"round(2^15 w / q) for {name}_deep", [quotient_factor(w) for w in deep], 16),
        ]
    return guarded("NODES", "Twiddles of the whole tree of the ring modulo X^128 - 1", "\n".join(parts))


def runs_text():
    """Returns lists for the preprocessor: the steps on 2^k runs of a block, that is, of k levels."""
    lines = []
    for levels in range(1, 6):
        count = 1 << levels
        lines.append(f"#define RUNS_{count}(DO) " + " ".join(f"DO({i})" for i in range(count)))
        for level in range(1, levels + 1):
            size = count >> level
            steps = [
                f"STEP({level - 1}, {b}, v{2 * size * b + i}, v{2 * size * b + size + i})"
                for b in range(1 << level - 1)
                for i in range(size)
            ]
            lines.append(f"#define STEPS_{count}_{level}(STEP) \\\n    " + " \\\n    ".join(steps))
    comment = (
        "/* RUNS_n(DO): DO(i) for each of n runs. STEPS_n_l(STEP): STEP(l - 1, block, u, v) for each pair of runs of\n"
        " * level l, counted from 1, where block b of level l - 1 is the block that this level splits. */\n"
    )
    return guarded("RUNS", "Butterflies between runs of a block", comment + "\n".join(lines) + "\n").replace(
        "#include <stdint.h>\n\n", ""
    )
