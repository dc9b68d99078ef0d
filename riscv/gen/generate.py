#!/usr/bin/env python3
"""Writes the assembly of the kernels for VLEN 128 and 256 and the tables of those in C, and checks bounds.

    generate.py            writes the files
    generate.py --check    fails where a file differs from what would be written
    generate.py --bounds   prints, for each kernel, the maximum absolute value of every kind of intermediate

Each of them follows the intervals of all intermediates over the whole schedule and ends with 1 where one might leave its
element; and each runs the kernels on sample inputs and compares the answers with the definition.
"""

import pathlib
import sys

import mldsa
import mldsa_products
import mlkem
import product
import product256
import schedules
import tables
from rvv import Bounds, join

CONTRACT = """/* {title}
 *
 * Written by gen/generate.py: change that, not this. Bounds of all intermediates: make bounds.
 *
 * {signature}
 *
 * {text}
 *
 * VLEN {vlen}, and no other: registers are grouped so that v8 follows v7. V extension, no other.
 * In: {inputs}
 * Out: nothing in registers. Alignment: {alignment}.
 * Clobbers: v0-v31, vl, vtype, vxrm (becomes rnu), a3-a7, t0-t6{more}. Stack: {stack} bytes.
 * No branch, no address and no mask depends on coefficients. */
"""

HEAD = """
#include "phases.h"

        .option push
        .option arch, +v
        .text
        .balign 4
        .globl  {name}
        .type   {name}, @function
{name}:
"""

TAIL = """        .size   {name}, . - {name}
        .option pop
{table}
        .section .note.GNU-stack, "", @progbits
"""


def text_of(kernel):
    m = kernel["make"]()
    directive, values = (".word", join(m.table, 32)) if m.wide_table else (".half", m.table)
    rows = [", ".join(map(str, values[i : i + 8])) for i in range(0, len(values), 8)]
    table = "\n".join(["", "        .section .rodata", "        .balign 16", "1:"] + [f"        {directive}   {row}" for row in rows])
    return (
        CONTRACT.format(**kernel)
        + HEAD.format(**kernel)
        + "\n".join(m.lines)
        + "\n"
        + TAIL.format(name=kernel["name"], table=table if values else "")
    ), m


def product_kernel(width, vlen):
    name = f"parcrypt_product128_i{width}_vlen{vlen}"
    return {
        "make": lambda: product.product(width) if vlen == 128 else product256.kernel(width),
        "name": name,
        "title": f"The product in Z_3329[X] / (X^128 - 1) of int{width}_t arrays, for VLEN {vlen}.",
        "signature": f"void {name}(int{width}_t r[128], const int{width}_t a[128], const int{width}_t b[128]);",
        "text": "Coefficients in [0, q) on both sides. r may be a or b: it is written when both have been read.",
        "inputs": "a0 = r, a1 = a, a2 = b.",
        "vlen": vlen,
        "more": ", a0-a2" if (width, vlen) == (32, 128) else "" if (width, vlen) == (16, 256) else ", a0",
        "stack": product.FRAME[width] if vlen == 128 else 0,
        "alignment": "that of the elements",
    }


def transform_kernel(module, name, title, text):
    symbol = f"parcrypt_{module.__name__}_{name}_vlen128"
    wide = module is mldsa
    return {
        "make": getattr(module, name),
        "name": symbol,
        "title": title,
        "signature": f"void {symbol}({'int32_t' if wide else 'int16_t'} r[256]);",
        "text": text,
        "inputs": "a0 = r.",
        "vlen": 128,
        "more": ", a1, a2" if wide else ", a0-a2",
        "stack": mldsa.FRAME if wide else 0,
        "alignment": "4 bytes",
    }


def mldsa_product_kernel(make, title, arguments, text, inputs):
    symbol = f"parcrypt_mldsa_{make.__name__}_vlen128"
    return {
        "make": make,
        "name": symbol,
        "title": title,
        "signature": f"void {symbol}({arguments});",
        "text": text,
        "inputs": inputs,
        "vlen": 128,
        "more": "",
        "stack": 0,
        "alignment": "4 bytes",
    }


KERNELS = {
    "product128_i16_vlen128": product_kernel(16, 128),
    "product128_i32_vlen128": product_kernel(32, 128),
    "product128_i16_vlen256": product_kernel(16, 256),
    "product128_i32_vlen256": product_kernel(32, 256),
    "mlkem_forward_vlen128": transform_kernel(
        mlkem,
        "forward",
        "ML-KEM's transform (FIPS 203, algorithm 9), in place, for VLEN 128.",
        "Coefficients in (-q, q); results in [0, q), in the order of FIPS 203.",
    ),
    "mlkem_inverse_vlen128": transform_kernel(
        mlkem,
        "inverse",
        "The inverse of ML-KEM's transform (FIPS 203, algorithm 10), in place, for VLEN 128.",
        "Coefficients in [0, q), in the order of FIPS 203; results in [0, q).",
    ),
    "mldsa_forward_vlen128": transform_kernel(
        mldsa,
        "forward",
        "ML-DSA's transform (FIPS 204, algorithm 41), in place, for VLEN 128.",
        "Coefficients in (-q, q), q = 8380417; results in [0, q), in the order of FIPS 204.",
    ),
    "mldsa_inverse_vlen128": transform_kernel(
        mldsa,
        "inverse",
        "The inverse of ML-DSA's transform (FIPS 204, algorithm 42), in place, for VLEN 128.",
        "Coefficients in [0, q), in the order of FIPS 204; results in [0, q).",
    ),
    "mldsa_multiply_vlen128": mldsa_product_kernel(
        mldsa_products.multiply,
        "The product of two transformed polynomials of ML-DSA (FIPS 204, algorithm 45), for VLEN 128.",
        "int32_t r[256], const int32_t a[256], const int32_t b[256]",
        "Coefficients in [0, q) on both sides, q = 8380417. r may be a or b.",
        "a0 = r, a1 = a, a2 = b.",
    ),
    "mldsa_sum_of_products_vlen128": mldsa_product_kernel(
        mldsa_products.sum_of_products,
        "The sum of products of transformed polynomials of ML-DSA, for VLEN 128.",
        "int32_t r[256], const int32_t *a, const int32_t *b, size_t count",
        f"count times 256 coefficients in [0, q), q = 8380417, count from 1 to {mldsa_products.MAX}; results in [0, q).\n"
        " * r may be the first polynomial of a or b.",
        "a0 = r, a1 = a, a2 = b, a3 = count.",
    ),
}


def main(arguments):
    try:
        texts = {name: text_of(kernel) for name, kernel in KERNELS.items()}
        bounds = {name: (m.greatest, m.q) for name, (_, m) in texts.items()}
        followed = {name: schedule() for name, schedule in schedules.SCHEDULES.items()}
        bounds |= {name: (s.greatest, s.q) for name, s in followed.items()}
    except Bounds as reason:
        print(f"generate.py: {reason}", file=sys.stderr)
        return 1
    if arguments == ["--bounds"]:
        for name, (greatest, q) in bounds.items():
            print(f"{name}: every intermediate stays in its element; maximum absolute values (16 bits: 32767 = 9.84 * 3329)")
            for what, top in greatest.items():
                print(f"    {what:32} {top:11}" + (f"  {top / q:6.2f} q" if top < 256 * q else f"  {top / 2**31:8.4f} * 2^31"))
        reason = schedules.refused()
        print(f"the step sixteen-bit without its reductions: {reason or 'NOT refused'}")
        return 0 if reason else 1
    check = arguments == ["--check"]
    folder = pathlib.Path(__file__).resolve().parent.parent
    files = {f"src/{name}.S": text for name, (text, _) in texts.items()}
    files |= {"src/tables.h": tables.text(), "src/mldsa_tables.h": tables.mldsa_text(), "src/runs.h": tables.runs_text()}
    files |= {"steps/powers.h": tables.powers_text(), "steps/nodes.h": tables.nodes_text()}
    for name, text in files.items():
        file = folder / name
        if not check:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            print(f"generate.py: {file} is not what the generator writes", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
