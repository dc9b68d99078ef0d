/* The rungs of the ladder, from naive to best: RUNG(symbol, name, least and greatest vlenb, what it changes).
 */
RUNG(schoolbook, "schoolbook", 0, ANY, "every coefficient times every other")
RUNG(definition, "definition", 0, ANY, "transform by its definition: 128 sums of 128 products, three times")
RUNG(recursive, "recursive", 0, ANY, "fast transform, recursive, scalar, with the operator %")
RUNG(pointwise, "pointwise", 16, ANY, "products and scaling in vectors, with vrem")
RUNG(strided, "strided", 16, ANY, "levels in vectors; evens and odds part by strided loads")
RUNG(compress, "compress", 16, ANY, "evens and odds part by vcompress")
RUNG(indexed, "indexed", 16, ANY, "one permutation, by indexed loads")
RUNG(barrett_wide, "barrett-wide", 16, ANY,
     "remainders by Barrett in 64 bits, of sums by one conditional subtraction")
RUNG(barrett_high, "barrett-high", 16, ANY, "the quotient by multiply-high, in 32 bits")
RUNG(rounding, "rounding", 16, ANY, "constant multiplications with a quotient by vsmul from a table")
RUNG(unpermuted, "unpermuted", 16, ANY,
     "no permutation: forward ends and inverse begins in the order of the tree")
RUNG(fused_three, "fused-three", 16, ANY, "three levels between load and store: passes of 3, 3, 1")
RUNG(fused_five, "fused-five", 16, ANY,
     "five levels between load and store: passes of 5, 2; it spills registers")
RUNG(correct_once, "correct-once", 16, ANY, "sums and differences are left as they are; passes of 3, 3, 1")
RUNG(sixteen_bit, "sixteen-bit", 16, ANY, "coefficients of 16 bits")
RUNG(fused_all, "fused-all", 16, 16, "all levels in registers, with a transposition; products by Montgomery")
RUNG(fused_product, "fused-product", 16, 16, "products and scaling in the registers of the inverse")
