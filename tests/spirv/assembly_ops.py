# SPDX-License-Identifier: MIT
"""All operations without memory, as often as they are drawn, and which of them constants may have."""
from assembly_composites import (bitcast, bitcast_to_float, construct, copy_object, dynamic, ext_shuffle,
                                 extract, insert, overlaid_undef, shuffle)
from assembly_floats import (convert_float, float_arithmetic, float_binary, float_compare, float_unary,
                             remainder)
from assembly_integers import (any_all, arithmetic, bits, carry, compare, convert_int, dot, expect, ext_int,
                               ext_wide, logic, no_wrap, quotient, saturate, select, shift, unary)

OPERATIONS = ([arithmetic] * 4 + [compare, select] * 3 + [insert, extract, construct, shuffle, shift] * 2 +
              [convert_int, ext_int, float_arithmetic, float_compare, convert_float, dynamic] * 2 +
              [unary, quotient, bits, carry, saturate, dot, ext_wide, logic, any_all, expect, float_unary] +
              [float_binary, remainder, no_wrap, bitcast, bitcast_to_float, overlaid_undef, copy_object] +
              [ext_shuffle])
IN_CONSTANTS = set(
    "SConvert UConvert FConvert SNegate Not IAdd ISub IMul UDiv SDiv UMod SRem SMod ShiftRightLogical "
    "ShiftRightArithmetic ShiftLeftLogical BitwiseOr BitwiseXor BitwiseAnd VectorShuffle CompositeExtract "
    "CompositeInsert LogicalOr LogicalAnd LogicalNot LogicalEqual LogicalNotEqual Select IEqual INotEqual "
    "ULessThan SLessThan UGreaterThan SGreaterThan ULessThanEqual SLessThanEqual UGreaterThanEqual "
    "SGreaterThanEqual ConvertFToS ConvertSToF ConvertFToU ConvertUToF Bitcast FNegate FAdd FSub FMul FDiv "
    "FRem FMod".
    split())
