/* The steps, from naive to best: STEP(symbol, name, least and greatest vlenb, change).
 */
STEP(schoolbook, "schoolbook", 0, ANY, "every coefficient times every other")
STEP(definition, "definition", 0, ANY, "transform by its definition: 128 sums of 128 products, three times")
STEP(recursive, "recursive", 0, ANY, "fast transform, recursive, scalar, with the operator %")
STEP(pointwise, "pointwise", 16, ANY, "products and scaling in vectors, with vrem")
STEP(strided, "strided", 16, ANY, "levels in vectors; evens and odds part by strided loads")
STEP(compress, "compress", 16, ANY, "evens and odds part by vcompress")
STEP(indexed, "indexed", 16, ANY, "one permutation, by indexed loads")
STEP(barrett_wide, "barrett-wide", 16, ANY,
     "remainders by Barrett in 64 bits, of sums by one conditional subtraction")
STEP(barrett_high, "barrett-high", 16, ANY, "the quotient by multiply-high, in 32 bits")
STEP(rounding, "rounding", 16, ANY, "constant multiplications with a quotient by vsmul from a table")
STEP(unpermuted, "unpermuted", 16, ANY,
     "no permutation: forward ends and inverse begins in the order of the tree")
STEP(fused_three, "fused-three", 16, ANY, "three levels between load and store: passes of 3, 3, 1")
STEP(fused_five, "fused-five", 16, ANY,
     "five levels between load and store: passes of 5, 2; it spills registers")
STEP(correct_once, "correct-once", 16, ANY, "sums and differences are left as they are; passes of 3, 3, 1")
STEP(sixteen_bit, "sixteen-bit", 16, ANY, "coefficients of 16 bits")
STEP(fused_all, "fused-all", 16, 16, "all levels in registers, with a transposition; products by Montgomery")
STEP(fused_product, "fused-product", 16, 16, "products and scaling in the registers of the inverse")
