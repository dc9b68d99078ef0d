/* The rungs of the ladder, from naive to best: RUNG(symbol, name, least and greatest vlenb, what it changes).
 */
RUNG(schoolbook, "schoolbook", 0, ANY, "every coefficient times every other")
RUNG(definition, "definition", 0, ANY, "transform by its definition: 128 sums of 128 products, three times")
RUNG(recursive, "recursive", 0, ANY, "fast transform, recursive, scalar, with the operator %")
