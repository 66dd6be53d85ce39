#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Would the tests notice? Breaks one condition at a time that keeps an optimisation legal.

    mutate_legality.py check SOURCE               is every text of the table still there, once? (a test)
    mutate_legality.py run SOURCE BUILD [NAME...] breaks, builds, and runs the tests until one fails

`run` first runs the tests as things are; then it changes SOURCE and puts it back: give it a worktree of its
own, with its build folder, and time: a minute or two for each row. A row's tests are those that are to notice
it first; after them come NET, then it counts as missed. docs/tests.md has what the last run found.
"""
import argparse
import os
import subprocess
import sys
import time

# Rows: name, file, text that is there once, what it becomes, tests (of `meson test`) that go first.
ROWS = [
    ("page ends: vectors whole", "vectorizer/lanes/memory.c",
     "lane_int(l, 64, LW_PAGE - bytes), \"\");\n\n    return",
     "lane_int(l, 64, LW_PAGE - (bytes & 0)), \"\");\n\n    return",
     ["memory forms, specialised", "lanes_unit"]),
    ("page ends: rows", "vectorizer/forms/rows.c",
     "V last = lane_splat(l, lane_int(l, 32, LW_PAGE - bytes));",
     "V last = lane_splat(l, lane_int(l, 32, LW_PAGE - (bytes & 0)));",
     ["memory forms, specialised", "rows of work-groups, specialised"]),
    ("page ends: streams", "vectorizer/forms/streams.c",
     "V bytes = LLVMBuildAdd(b, least, lane_int(&w->l, 64, 1), \"\");",
     "V bytes = LLVMBuildOr(b, least, lane_int(&w->l, 64, 1ull << 31), \"\");",
     ["memory forms, specialised", "memory forms, auto"]),
    ("as stored: what other blocks keep", "vectorizer/forms/as_stored.c",
     "|| w->escapes[id] ||", "|| w->block ||", ["vectors of components"]),
    ("in the order of memory: records tile it", "vectorizer/forms/in_order.c",
     "lw_reach_of(w, i) == LW_REACH_INTERLEAVED", "lw_reach_of(w, i) != LW_REACH_UNIFORM",
     ["vectors of components"]),
    ("in the order of memory: masks of loads", "vectorizer/forms/in_order.c",
     "V mask = lw_mask_in_order(w, w->mask, a->leaves, r);", "V mask = w->mask;", ["vectors of components"]),
    ("in the order of memory: masks of stores", "vectorizer/forms/in_order.c",
     "value[r], at, lw_mask_in_order(w, w->mask, a->leaves, r), align", "value[r], at, w->mask, align",
     ["vectors of components"]),
    ("in the order of memory: blended values", "vectorizer/widen/edges.c",
     "V lanes = lw_is_in_order(w, phi) ?", "V lanes = false ?", ["vectors of components"]),
    ("in the order of memory: choices by a lane's condition", "vectorizer/widen/ops.c",
     "if (!uniform && !by_component && lw_is_in_order(w, i))", "if (!uniform && !i)",
     ["vectors of components"]),
    ("vectors made whole: components in order", "vectorizer/flow/whole_vectors.c",
     "            !is_at(LLVMGetOperand(part[k], 1), k))",
     "            !is_at(LLVMGetOperand(part[0], 1), 0))",
     ["vectors of components"]),
    ("sub-groups that part are asked where they go", "vectorizer/workgroup/slots.c",
     "if (lw_sub_groups_part(f)) {", "if (false) {", ["sub-groups part"]),
    ("sub-groups that part: phis of cuts", "vectorizer/workgroup/group_uniform.c",
     "v->cut_phi && has_several_values(v->ref))", "v->cut_phi && !has_several_values(v->ref))",
     ["sub-groups part"]),
    ("sub-groups go different ways in a region: phis", "vectorizer/workgroup/group_uniform.c",
     "return !f->straight[v->region];", "return false;", ["sub-groups part"]),
    ("sub-groups that part: whose way decides", "vectorizer/workgroup/parting.c",
     "if (meeting[k] == root && may_differ", "if (meeting[k] != root && may_differ",
     ["sub-groups part", "sub-groups part by seed"]),
    ("near each other: the end of the page", "vectorizer/forms/near.c",
     "LW_PAGE - n->elements * n->bits / 8", "LW_PAGE - (n->elements & 0)", ["lanes near each other"]),
    ("near each other: no lane is active", "vectorizer/forms/near.c",
     "return w->may_be_empty ? LLVMBuildAnd(b, inside, lane_any(l, w->mask), \"\") : inside;",
     "return inside;", ["lanes near each other"]),
    ("near each other: within the registers", "vectorizer/forms/near.c",
     "inside = LLVMBuildAnd(b, inside, in_page, \"\");", "inside = in_page;", ["lanes near each other"]),
    ("tables: all of it may be read", "vectorizer/forms/tables.c",
     "lw_readable_from(w, &t->place, t->term);", "lw_readable_from(w, &t->place, t->term) | MOST_BYTES;",
     ["look-ups in small tables"]),
    ("tables: up to a power of two", "vectorizer/forms/tables.c",
     "int64_t back = there < whole ?", "int64_t back = false ?", ["look-ups in small tables"]),
    ("tables: the index is in range", "vectorizer/forms/extent.c",
     "    *lo = 0;\n    *hi = bits < 63 ? ((int64_t)1 << bits) - 1 : -1;", "    *lo = 0;\n    *hi = 15;",
     ["look-ups in small tables"]),
    ("tables: heads of buffers", "src/shape.c", "while (end - begin < least)", "while (end < least)",
     ["look-ups in small tables", "runtime"]),
    ("inactive lanes: uniform loads", "vectorizer/forms/plain.c", "bool any = !w->may_be_empty ||",
     "bool any = true ||",
     ["memory forms, specialised", "language control"]),
    ("inactive lanes: updates", "vectorizer/forms/updates.c",
     "w->l.n > MOST_LANES || !lane_mask_is_all(w->mask) ||",
     "w->l.n > MOST_LANES ||", ["atomics on one address, specialised", "memory forms, specialised",
                                "language memory"]),
    ("inactive lanes: division by constants", "vectorizer/lanes/divide.c",
     "if (value == 0 || value == ones)", "if (value == ones + 1)",
     ["lanes_unit", "language arithmetic"]),
    ("division by one for all: whole quotients", "vectorizer/lanes/divide.c",
     "#define BIAS_DOUBLE 0x1p-51", "#define BIAS_DOUBLE 0.0", ["lanes_unit"]),
    ("division by one for all: quotients below whole ones", "vectorizer/lanes/divide.c",
     "#define MOST_BITS 50", "#define MOST_BITS 52", ["lanes_unit"]),
    ("compare-and-exchange: only lanes that fail are done", "vectorizer/lanes/atomic.c",
     "LLVMIntEQ, found, expected", "LLVMIntNE, found, expected", ["lanes_unit"]),
    ("maxima and minima: only lanes that change nothing are done", "vectorizer/lanes/atomic.c",
     "LLVMIntNE, next, found", "LLVMIntEQ, next, found",
     ["lanes_unit", "atomics on one address, specialised"]),
    ("a maximum for all: only one that changes nothing is done", "vectorizer/lanes/atomic.c",
     "BuildCondBr(l->builder, stays, done, change)", "BuildCondBr(l->builder, stays, change, done)",
     ["lanes_unit", "atomics on one address, specialised"]),
    ("addresses that never meet: what begins at one argument only", "vectorizer/facts/memory_effects.c",
     "if (root && from != root)", "if (root && !from)", ["memory forms, specialised"]),
    ("rounding: bounds are whole numbers", "vectorizer/late/rounding.c",
     " || *bound != nearbyint(*bound) ||", " ||",
     ["rounded numbers"]),
    ("rounding: a bound is what the number is compared with", "vectorizer/late/rounding.c",
     "&& c == *bound)", ")",
     ["rounded numbers"]),
    ("rounding: what others use", "vectorizer/late/rounding.c",
     "if (LLVMGetUser(use) != a && LLVMGetUser(use) != b)",
     "if (LLVMGetUser(use) == v && a && b)", ["rounded numbers"]),
    ("rounding: bits that bounds leave", "vectorizer/late/rounding.c",
     "(bits_of(word) & ~left)", "(bits_of(word) & ~left & 0)",
     ["rounded numbers", "language arithmetic"]),
    ("rounding: words that are no bytes", "vectorizer/late/rounding.c",
     "(bits_of(x) & ~(uint64_t)UINT8_MAX)", "bits_of(x) == 0", ["lanes_unit"]),
    ("conversions by words: what fits", "vectorizer/widen/ops.c", "&& info.hi <= INT32_MAX;", "&& true;",
     ["rounded numbers", "language arithmetic"]),
    ("images: ranges within extents", "src/shape.c",
     "range->global[at] <= extent[d] && range->offset[at] <=",
     "range->global[at] <= extent[d] && 0 * range->offset[at] <=", ["opencl"]),
    ("images: the same range over another image", "src/shape.c",
     "facts[count++] != facts_over(kernel, i, range))",
     "((facts[count++] ^ facts_over(kernel, i, range)) & ~7))", ["opencl"]),
    ("images: which id it is", "spirv/emit_image.c", "lw_is_id(e, id, \"global_id\", d);",
     "(lw_is_id(e, id, \"global_id\", 0) || lw_is_id(e, id, \"global_id\", 1));", ["opencl"]),
    ("strides of 1: which value it is", "src/known.c", "lw_integer_argument(kernel, i) == 1 &&",
     "lw_integer_argument(kernel, i) <= 2 &&", ["runtime"]),
    ("strides of 1: another value for the same range", "src/run.c",
     "!lw_known_arguments_are(kernel, &p->special) ||", "0 ||", ["strides that are arguments, -O2"]),
    ("known arguments: their values", "src/known.c", "        if (*value++ != lw_integer_argument(",
     "        if (0 && *value++ != lw_integer_argument(", ["runtime"]),
    ("arguments that stay: the values are this dispatch's", "src/steady.c",
     "    lw_know_arguments(kernel, known, &shape);\n",
     "    code ? (void)memcpy(&shape, &code->shape, sizeof shape)\n"
     "         : lw_know_arguments(kernel, known, &shape);\n",
     ["runtime", "runtime with the compiler"]),
    ("known arguments: which value is whose", "spirv/emit_function.c", "__builtin_popcountll(before)]",
     "__builtin_popcountll(before) / 2]", ["runtime with the compiler"]),
    ("division of constants", "vectorizer/workgroup/fold.c",
     "LLVMIsAConstantInt(divisor) && !LLVMIsNull(divisor) &&", "LLVMIsAConstantInt(divisor) &&",
     ["lanes_unit", "language arithmetic", "language random_flow"]),
    ("temporal divergence", "vectorizer/facts/divergence.c",
     "if (s->loop[l] && lw_loop_contains(m, l, block))\n            return true;",
     "if (s->loop[l] && lw_loop_contains(m, l, block))\n            return false;",
     ["analyses", "language random_flow"]),
    ("one lane: sub-groups part on the way to barriers", "vectorizer/facts/uniformity_facts.c",
     "    if (!f.group_uniform)\n        lw_set_apart", "    if (0)\n        lw_set_apart",
     ["language one lane barriers"]),
    ("one lane: variables on the stack", "vectorizer/workgroup/queries.c",
     "        keep_variables_on_stack(f);\n", "", ["language one lane memory"]),
    ("vectors as they lie: an address of another block", "vectorizer/forms/plain.c",
     "V made[16], pointer = lw_use_scalar(w, a->pointer); /* which may be loaded here, before "
     "anything else */\n    V before = LLVMGetLastInstruction(block);",
     "V made[16], before = LLVMGetLastInstruction(block), pointer = lw_use_scalar(w, a->pointer);",
     ["language memory"]),
    ("joins of divergent branches", "vectorizer/facts/uniformity_facts.c",
     "if (temporal || (a->sub_group->join[block] && !same)) {",
     "if (temporal) {", ["analyses", "language random_flow"]),
    ("wraps: comparisons of whole vectors", "vectorizer/widen/whole.c",
     "(__int128)info.hi - info.lo + most - least < (__int128)1 << width;",
     "info.form == LW_STRIDED;", ["analyses", "memory forms, specialised", "language control"]),
    ("wraps: signs of whole vectors", "vectorizer/widen/whole.c",
     "info.lo <= info.hi && (is_signed || info.lo >= 0) && width <= 64 &&",
     "info.lo <= info.hi && width <= 64 &&", ["memory forms, specialised", "language control"]),
    ("wraps: ids below 2^31", "vectorizer/facts/roots.c", "int64_t hi = s->index31 ? ID31 : ANY_ID;",
     "int64_t hi = ID31;",
     ["analyses", "language items"]),
    ("wraps: buffers of 4 GiB", "vectorizer/facts/uniformity_facts.c",
     "return a->shape->buffers_4g && !a->distrusted", "return !a->distrusted",
     ["analyses", "runtime with the compiler"]),
    ("aliasing: gathers that go up", "vectorizer/late/pack_gathers.c",
     "if (!plain || space != LW_AS_LOCAL ||",
     "if (0 && space != LW_AS_LOCAL &&",
     ["packed code", "sub-groups side by side", "language memory"]),
    ("aliasing: loads side by side over stores", "vectorizer/late/pack_plan.c",
     "if (p->writes[first] != p->writes[last] || !lw_pack_address",
     "if (!lw_pack_address", ["packed code", "sub-groups side by side", "language random_data"]),
    ("aliasing: rows read early", "vectorizer/forms/rows.c",
     "if (!lets_read_early(w, row, w->m->values[k->first_value + i]))\n                return false;",
     "(void)i;", ["memory forms, specialised", "rows of work-groups, specialised", "language memory"]),
    ("aliasing: rows of vectors are as long as these", "vectorizer/forms/rows.c",
     "bytes = length * size;", "bytes = length;", ["memory forms, specialised"]),
    ("bounded: the indices of all lanes go up by one", "vectorizer/forms/bounded.c",
     "lane_all(l, LLVMBuildICmp(l->builder, LLVMIntEQ, lanes, line",
     "lane_any(l, LLVMBuildICmp(l->builder, LLVMIntEQ, lanes, line",
     ["memory forms, specialised", "lanes near each other"]),
    ("places: one term alone differs between lanes", "vectorizer/forms/lane_terms.c",
     "        if (found != LW_PLACE_TERMS)\n            return LW_PLACE_TERMS;", "        ",
     ["memory forms, specialised"]),
    ("bounded: where indices wrap", "vectorizer/forms/bounded.c",
     "lw_find_exact_place(w, a->pointer", "lw_find_place(w, a->pointer", ["memory forms, specialised"]),
    ("places: their values are there in the blocks of their accesses", "vectorizer/widen/values.c",
     "    find_placed(w);", "    (void)find_placed;", ["memory forms, first"]),
    ("aliasing: loads before a barrier's writes", "vectorizer/workgroup/early_loads.c",
     "if (may_write(&f->values[n]) && !(LLVMIsAStoreInst(i) && is_global(LLVMGetOperand(i, 1))))\n"
     "                return true;",
     "(void)i;", ["local code", "language barriers", "local memory forms, specialised"]),
    ("aliasing: updates of another place", "vectorizer/forms/updates.c", "from.constant != to.constant ||\n",
     "\n",
     ["memory forms, specialised", "language memory"]),
    ("aliasing: other memory between load and store", "vectorizer/forms/updates.c",
     "while (i && lw_memory_effect(i) == LW_NO_MEMORY)", "while (i && !LLVMIsAStoreInst(i))",
     ["memory forms, specialised", "language memory"]),
    ("volatile: private variables", "jit/variables.c",
     "return lw_plain_address(user) &&", "return lw_address_of(user) &&",
     ["passes", "language memory"]),
    ("volatile: stores side by side", "vectorizer/late/pack.c",
     "return LLVMIsAStoreInst(i) && !lw_is_ordered_access(i);", "return LLVMIsAStoreInst(i);",
     ["packed code"]),
    ("few places: inside of the array", "jit/few_places.c",
     "if (!lies_inside(w, bytes_at(&p, l.at[k]), bytes) ||", "if (!bytes ||", ["passes"]),
    ("two places: aligned", "jit/two_places.c",
     "if ((made.first - made.second) % LLVMGetAlignment(i))", "if (!bytes)", ["passes"]),
    ("few places: aligned", "jit/few_places.c",
     "return (at - other) % LLVMGetAlignment(i) == 0;", "return i && (at | other | 1);", ["passes"]),
    ("few places: volatile", "jit/few_places.c",
     "if (lw_is_ordered_access(i) || lw_moved_by", "if (lw_moved_by", ["passes"]),
    ("few places: what was loaded before a store", "jit/few_places.c",
     "if (stores)\n            w->known_count = 0;", "if (stores)\n            w->chosen = 0;", ["passes"]),
    ("few places: what was loaded in another block", "jit/few_places.c",
     "struct place p;\n    w->known_count = 0;", "struct place p;", ["passes"]),
    ("bounded loops that store", "jit/bounded.c",
     "    case LLVMCall:\n    case LLVMStore:\n    case LLVMAlloca:",
     "    case LLVMCall:\n    case LLVMAlloca:",
     ["passes", "unroll", "language random_combinations"]),
    ("aliasing: buffers that overlap", "src/shape.c",
     "begin < other[k].end && other[k].begin < begin + size)",
     "begin < other[k].end && other[k].begin < begin + size && !size)", ["clusters, specialised"]),
    ("aliasing: clusters over stores", "vectorizer/forms/clusters.c",
     "    if (!beside || !lies_in(c, type, at) || c->passed_count == MOST_FIELDS)\n        return false;",
     "    if (!beside || !lies_in(c, type, at) || c->passed_count == MOST_FIELDS)\n        return true;",
     ["clusters, specialised"]),
    ("aliasing: clusters read early over clusters put off", "vectorizer/forms/clusters.c",
     "    return !fields;\n}", "    return false;\n}", ["buffers over each other, -O0"]),
    ("aliasing: records read early over records put off", "vectorizer/forms/records.c",
     "if (all->record[n].store || !lw_record_is_put_off(w, all->record[n].access[0]))", "if (true)",
     ["buffers over each other, -O0"]),
    ("atomics that exchange, together", "vectorizer/facts/batches.c",
     "op != LLVMAtomicRMWBinOpXchg && op <= LLVMAtomicRMWBinOpUMin",
     "op <= LLVMAtomicRMWBinOpUMin", ["atomics on one address, specialised"]),
    ("atomics that not all come to, together", "vectorizer/facts/batches.c",
     "if (k->succ_count > 1 && block < join && !may_mask(f, b))\n            return false;",
     "(void)join;", ["atomics on one address, specialised", "language random_combinations"]),
    ("quotients: rows that end in a sub-group", "vectorizer/flow/quotients.c",
     "LLVMBuildICmp(b, LLVMIntUGT, left, number(type, reach), \"\")",
     "LLVMBuildICmp(b, LLVMIntUGT, left, number(type, 0 & reach), \"\")", ["language quotients"]),
    ("quotients: wraps and signs of indices", "vectorizer/flow/quotients.c",
     "index, number(type, top - reach), \"\")",
     "index, number(type, UINT64_MAX - 0 * (top + reach)), \"\")", ["language quotients"]),
    ("quotients: signs of divisors", "vectorizer/flow/quotients.c", "number(type, MOST_DIVISOR), \"\");",
     "number(type, UINT64_MAX), \"\");",
     ["language quotients"]),
    ("narrow: what lanes without a load become", "vectorizer/late/narrow.c",
     "!lane || (!LLVMIsNull(lane) && !LLVMIsUndef(lane))", "!lane", ["analyses"]),
    ("quotients: divisors of zero", "vectorizer/flow/quotients.c",
     "small = LLVMBuildSub(b, divisor, one, \"\")",
     "small = LLVMBuildSub(b, divisor, number(type, 0), \"\")", ["indices taken apart"]),
    ("quotients: remainders as sums of which something is left", "vectorizer/flow/remainders.c",
     "lw_zero_extend(rest, width) == 0", "lw_zero_extend(rest, width) != 1", ["language quotients"]),
    ("quotients: counters that begin elsewhere", "vectorizer/flow/remainders.c",
     "LLVMIsATruncInst(narrow) && LLVMGetOperand(narrow, 0) == wide", "LLVMIsATruncInst(narrow)",
     ["language quotients"]),
    ("quotients: remainders of more bits", "vectorizer/flow/quotients.c",
     "d - 1 <= lw_zero_extend(UINT64_MAX, width)", "d", ["language quotients"]),
    ("quotients: remainders that are negative in fewer bits", "vectorizer/flow/quotients.c",
     "(op == LLVMSDiv || op == LLVMSRem)", "(op == LLVMSDiv && op == LLVMSRem)", ["language quotients"]),
    ("rows one after the other: parts of longer ones", "vectorizer/flow/quotient_rows.c",
     "LLVMBuildICmp(b, LLVMIntEQ, part,", "LLVMBuildICmp(b, LLVMIntUGE, part,", ["language quotients"]),
    ("rows one after the other: all of them", "vectorizer/flow/quotient_rows.c",
     "LLVMBuildICmp(b, LLVMIntUGT, next, last", "LLVMBuildICmp(b, LLVMIntUGE, next, last",
     ["language quotients"]),
    ("dot products: which bytes have signs", "vectorizer/lanes/dot.c",
     "return dot_mixed(l, b, a, width);", "return dot_mixed(l, a, b, width);", ["integer dot products"]),
    ("rows one after the other: wraps and divisors", "vectorizer/flow/quotient_rows.c",
     "whole = LLVMBuildAnd(b, whole, a->good, \"\");",
     "whole = LLVMBuildAnd(b, whole, LLVMConstAllOnes(LLVMTypeOf(a->good)), \"\");", ["language quotients"]),
    ("rows one after the other: what is read behind", "vectorizer/flow/quotient_rows.c",
     "LLVMIsAPHINode(LLVMGetFirstInstruction(to)))", "(LLVMIsAPHINode(LLVMGetFirstInstruction(to)) && !to))",
     ["language quotients"]),
    ("rows one after the other: numbers of parts", "vectorizer/flow/quotient_rows.c",
     "a == r->shortest && !row_above(s, a);", "a == r->shortest;", ["language quotients"]),
    ("quotients: barriers in two copies", "vectorizer/flow/quotient_piece.c",
     "lw_call_computes(v));", "true);",
     ["language quotients"]),
    ("same tests: equal ones", "vectorizer/flow/same_tests.c",
     "return is_equal(a, b, DEPTH) || is_equal_difference(at, a, b);",
     "return true || is_equal_difference(at, a, b);",
     ["ways that end with one test"]),
    ("same tests: who comes together", "vectorizer/flow/same_tests.c",
     "find_ways(m, n, at)) && is_alone(m, &m->loops[n])) {",
     "find_ways(m, n, at)) && (is_alone(m, &m->loops[n]) || true)) {",
     ["ways that end with one test"]),
    ("same tests: heads that only compute", "vectorizer/flow/same_tests.c",
     "(!lw_only_computes(i) || LLVMIsACallInst(i) ||", "(LLVMIsACallInst(i) ||",
     ["ways that end with one test"]),
    ("same tests: what follows the counter", "vectorizer/flow/same_tests.c",
     "return !first.count && !first.full && !first.number;", "return true;",
     ["ways that end with one test"]),
    ("exchanges: what rounds change", "vectorizer/flow/exchanges.c",
     "== expected && !is_inside(*by, block);", "== expected;", ["additions by exchanges"]),
    ("exchanges: who asks what stood there", "vectorizer/flow/exchanges.c",
     "if (LLVMGetInstructionParent(LLVMGetUser(use)) != block)", "if (false)", ["additions by exchanges"]),
    ("exchanges: what is expected stands there", "vectorizer/flow/exchanges.c",
     "return LLVMGetOperand(expected, 0) == LLVMGetOperand(exchange, 0);", "return true;",
     ["additions by exchanges"]),
    ("exchanges: sums of floats stay apart", "vectorizer/widen/memory.c",
     "LLVMGetFirstUse(i) || LLVMGetVolatile(i);", "LLVMGetFirstUse(i) != NULL;", ["additions by exchanges"]),
    ("final exchanges: what puts the constant in its own place", "vectorizer/flow/final_exchanges.c",
     "(!changes(exchange) && !ends_loop(m, loop, exchange))",
     "(false && !changes(exchange) && !ends_loop(m, loop, exchange))", ["exchanges that nobody waits by"]),
    ("final exchanges: arguments that may be the same", "vectorizer/facts/memory_effects.c",
     "return shape->buffers_apart && from != to", "return shape && from != to",
     ["exchanges that nobody waits by"]),
    ("final exchanges: exchanges of other constants", "vectorizer/flow/final_exchanges.c",
     "if (LLVMIsAAtomicCmpXchgInst(v) && LLVMGetOperand(v, 1) == LLVMGetOperand(exchange, 1))",
     "if (LLVMIsAAtomicCmpXchgInst(v))",
     ["exchanges that nobody waits by"]),
    ("final exchanges: who writes", "vectorizer/flow/final_exchanges.c",
     "return !to || (!is_private(to) &&", "return !to || (LLVMIsAAtomicCmpXchgInst(v) &&",
     ["exchanges that nobody waits by"]),
    ("grid strides: rounds that meet in memory", "spirv/grid_stride_memory.c",
     "(uint64_t)room->end - (uint64_t)room->begin <= step)",
     "(uint64_t)room->end - (uint64_t)room->begin <= 4096)",
     ["loops by grid strides"]),
    ("grid strides: steps that come round", "spirv/grid_stride_memory.c",
     "step <= MOST_STEP &&", "MOST_STEP &&", ["spirv modules"]),
    ("grid strides: what goes on by more than the size", "spirv/grid_stride_integers.c",
     "if (step.times != v.times || step.plus", "if (step.plus", ["loops by grid strides"]),
    ("grid strides: who runs a round", "spirv/grid_stride_values.c",
     "good = lw_stride_is_in_loop(s, inst) && has_harmless_operands(s, inst);",
     "good = lw_stride_is_in_loop(s, inst);", ["loops by grid strides"]),
    ("grid strides: loops that are left in a round", "spirv/grid_stride_loop.c",
     "if (((back || leaves) && b != latch)", "if (((back || (leaves && false)) && b != latch)",
     ["loops by grid strides"]),
    ("grid strides: the local size of a shorter work-group", "spirv/emit_builtins.c",
     "if (e->facts->stretched && !strcmp(name, \"local_size\"))", "if (false)", ["loops by grid strides"]),
    ("grid strides: arguments that share memory", "src/stretch.c",
     "return count_pointers(kernel) == 1 ||", "return count_pointers(kernel) ||",
     ["runtime with the compiler"]),
    ("grid strides: numbers of more than 31 bits", "src/stretch.c",
     "MOST / loop->scale", "MOST", ["runtime"]),
    ("grid strides: numbers made wider", "spirv/grid_stride_integers.c",
     "    lw_stride_widen(s, v);\n", "    (void)s;\n", ["spirv modules"]),
    ("grid strides: numbers shifted out", "spirv/grid_stride_integers.c",
     "    note_bits(s, v, width);\n", "", ["spirv modules"]),
    ("grid strides: ids from an offset on", "src/stretch.c",
     "range->offset[0] ||", "", ["runtime with the compiler"]),
    ("grid strides: work-groups of several sizes", "src/stretch.c",
     "range->global[0] % range->local[0] ||", "", ["runtime with the compiler"]),
    ("grid strides: another bound than before", "src/run.c",
     "(p->range.stretched ? p->range.global[0] : 0) != lw_stretched_size(kernel, &p->whole))", "false)",
     ["runtime with the compiler"]),
    ("grid strides: slabs of the range as it was", "src/run.c",
     "if (range->lanes_dimension || range->stretched || first", "if (range->lanes_dimension || first",
     ["runtime with the compiler"]),
    ("waits: counting comes to no certain number", "vectorizer/flow/waits.c",
     "if (lw_is_wait_source(&w->at, v) || lw_awaits_a_number(&w->at, v))",
     "if (lw_is_wait_source(&w->at, v))", ["progress"]),
    ("waits: what is added and taken away again", "vectorizer/flow/wait_sources.c",
     "return w->m ? holds(w, v, stays_added) :", "return w->m ? holds(w, v, stays_added) || true :",
     ["progress"]),
    ("waits: what begins anew, too", "vectorizer/flow/wait_sources.c",
     "if (there && other != v && !add_alike(v, other) &&", "if (there && lw_takes_back(v, other) &&",
     ["progress"]),
    ("waits: sums of unknown parts may be taken back", "vectorizer/flow/wait_sources.c",
     "return direction ? direction == direction_of(b)",
     "return !direction ? true : direction ? direction == direction_of(b)", ["progress"]),
    ("waits: counts begun anew, in the module", "spirv/reflect_waits.c",
     "return d->asks && ((d->adds && d->takes_away) || d->begins_anew);",
     "return d->asks && d->adds && d->takes_away;", ["progress"]),
    ("waits: a switch goes back, too", "spirv/reflect_loops.c",
     "k = 0; (to = lw_next_back_branch(m, function, inst, &k));)",
     "k = 0; inst->op != SpvOpSwitch && (to = lw_next_back_branch(m, function, inst, &k));)", ["progress"]),
    ("late stores: who touches the place between", "vectorizer/flow/late_stores.c",
     "} else if (!plain || may_touch(s, i, known)) {", "} else if (!plain) {", ["late stores"]),
    ("late stores: atomics and barriers between", "vectorizer/flow/late_stores.c",
     "} else if (!plain || may_touch(s, i, known)) {", "} else if (plain && may_touch(s, i, known)) {",
     ["late stores"]),
    ("late stores: who reads before ways part", "vectorizer/flow/late_stores.c",
     "} else if ((stores || LLVMIsAStoreInst(other->first)) && may_touch(s, i, other)) {",
     "} else if (false) {",
     ["late stores"]),
    ("late stores: who stored nothing", "vectorizer/flow/late_stores.c",
     "V variable = make_variable(s, known->place.type), stored = stores ? NULL :",
     "V variable = make_variable(s, known->place.type), stored = true ? NULL :", ["late stores"]),
    ("late stores: elements that overlap", "vectorizer/flow/late_stores.c",
     "p.offset < k->place.offset + (int64_t)k->place.bytes &&", "p.offset == k->place.offset &&",
     ["late stores"]),
    ("components: which vector a shuffle takes one of", "vectorizer/flow/components.c",
     "v = LLVMGetOperand(v, (unsigned)from >= first);", "v = LLVMGetOperand(v, 0);",
     ["components of indices"]),
    ("components: flags that do not hold", "vectorizer/facts/flags.h",
     "LLVMSetNUW(to, LLVMGetNUW(from));", "LLVMSetNUW(to, 1);", ["components of indices"]),
    ("images: the bound along a row", "builtins/library/image.c",
     "row_offset_of(IMAGE, clamped(x, width - 1), y, z), size);", "row_offset_of(IMAGE, x, y, z), size);",
     ["code for images"]),
    ("choices: whose condition was not reached", "vectorizer/flow/choices.c",
     "return a ? LLVMBuildSelect(c->builder, a, b, LLVMConstNull(LLVMTypeOf(b)), \"\") : b;",
     "(void)c; (void)a; return b;", ["late stores"]),
    ("far rounds: bounds and steps of a sub-group", "vectorizer/flow/far_rounds.c",
     "return lw_form_of(s->u, s->m, v).group_uniform && !in_loop(s, v);",
     "return lw_form_of(s->u, s->m, v).form == LW_UNIFORM && !in_loop(s, v);", ["language far_rounds"]),
    ("far rounds: work-items that do not come", "vectorizer/flow/far_rounds.c",
     "!lw_postdominates(m, s->guard, 0) || s->u->masked[s->guard])",
     "(0 && s->u->masked[s->guard]))", ["far rounds"]),
    ("far rounds: beyond the bound as unsigned", "vectorizer/flow/far_rounds.c",
     "more = LLVMBuildAnd(s->b, more, below, \"\");", "(void)below;", ["language far_rounds"]),
    ("far rounds: not the last round", "vectorizer/flow/far_rounds.c",
     "LLVMBuildICmp(s->b, LLVMIntULT, s->step, after, \"\")",
     "LLVMBuildICmp(s->b, LLVMIntSLT, LLVMConstNull(LLVMTypeOf(after)), after, \"\")",
     ["language far_rounds"]),
    ("full arms: ways past where lanes meet", "vectorizer/widen/full.c",
     "if (between->succs[s] > b)", "if (false)", ["language loops", "language control"]),
    ("full arms: blocks passed by with no lane", "vectorizer/widen/full.c",
     "if (leads_into(w, at, b, b, false))", "if (false)", ["language loops"]),
    ("full arms: loops of shared accesses", "vectorizer/widen/full.c",
     "k->dom_end <= b || is_in_rounds(w, b))",
     "k->dom_end <= b || (false && is_in_rounds(w, b)))", ["language loops"]),
    ("uniform values: edges that no lane takes", "vectorizer/widen/edges.c",
     "value = LLVMBuildSelect(b, lane_any(&w->l, e->mask), value, before, \"\");",
     "(void)before;", ["language loops"]),
    ("wraps: bytes as indices", "vectorizer/forms/extent.c",
     "LLVMGetIntTypeWidth(LLVMTypeOf(index)) >= 32;", "LLVMGetIntTypeWidth(LLVMTypeOf(index)) >= 8;",
     ["language memory"]),
    ("page ends: three components", "vectorizer/lanes/vectors.c", "if (count >= k || align >= PIECE)",
     "if (count >= k || align >= 1)", ["lanes_unit"]),
    ("page ends: two or three bytes", "vectorizer/lanes/vectors.c",
     "V fits = LLVMBuildICmp(l->builder, LLVMIntUGE, in_page, lane_splat(l, lane_int(l, 64, back)), \"\");",
     "V fits = LLVMBuildICmp(l->builder, LLVMIntUGE, in_page, lane_splat(l, lane_int(l, 64, 0)), \"\");",
     ["lanes_unit"]),
    ("multiples of low halves", "vectorizer/flow/addresses.c",
     "return lw_is_int_constant(LLVMGetOperand(v, 1), &by) && (by & UINT32_MAX) == 0;",
     "return lw_is_int_constant(LLVMGetOperand(v, 1), &by) && 0 * by == 0;", ["language quotients"]),
    ("scalar loops: quotients that are the same in all rounds", "jit/same_quotients.c",
     "good = lw_optimize(module, machine, LW_CLEAN_SAME, error);", "good = machine || error;",
     ["language one lane quotients", "language quotients"]),
    ("averages of bytes: the one", "vectorizer/late/bytes.c", "count != 2 || !ones)", "count != 2)",
     ["filters of bytes"]),
    ("averages of bytes: shifted by one", "vectorizer/late/bytes.c", "&by) || by != 1 ||", "&by) ||",
     ["filters of bytes"]),
    ("classes of numbers: every NaN or none", "spirv/number_class.c", "|| nans % 3 ||", "|| nans % 1 ||",
     ["lanes_unit"]),
    ("classes of numbers: both zeros or none", "spirv/number_class.c", "|| zeros % 3 ||", "|| zeros % 1 ||",
     ["lanes_unit"]),
    ("classes of numbers: all between two numbers", "spirv/number_class.c",
     "return set && set == ", "return set && set <= ", ["lanes_unit"]),
    ("classes of numbers: NaNs that belong to them", "spirv/number_class.c",
     "t->of_nan ? p +", "t->of_nan && !below ? p +", ["lanes_unit"]),
    ("conversions by words: floats are rounded once", "vectorizer/late/conversions.c",
     "if (to != 64 || (from != 64 && (!to_int || from != 32)))\n        return;\n"
     "    LLVMPositionBuilderBefore(l->builder, i);",
     "if ((to != 64 && (to_int || to != 32)) || (from != 64 && (!to_int || from != 32)))\n        return;\n"
     "    LLVMPositionBuilderBefore(l->builder, i);\n    if (to == 32) {\n"
     "        LLVMTypeRef doubles = LLVMVectorType(LLVMDoubleTypeInContext(l->context), lw_lane_count(x));\n"
     "        made = to_doubles(l, x, doubles);\n"
     "        LLVMReplaceAllUsesWith(i, LLVMBuildFPTrunc(l->builder, made, LLVMTypeOf(i), \"\"));\n"
     "        LLVMInstructionEraseFromParent(i);\n        return;\n    }", ["lanes_unit"]),
    ("products of lower halves: what is above them", "vectorizer/late/words.c",
     "replace(i, lower(l, LLVMBuildMul(l->builder, x, y, \"\")));",
     "replace(i, LLVMBuildMul(l->builder, x, y, \"\"));", ["lanes_unit"]),
    ("quotients by constants: the factor's excess", "vectorizer/late/words.c",
     "factor * d - whole <= (uint64_t)1 << shift", "factor * d - whole <= UINT64_MAX", ["lanes_unit"]),
    ("quotients by constants: fewer bits than 64", "vectorizer/late/words.c",
     "shifted(l, x, zeros), d >> zeros, true", "x, d, zeros > 0", ["lanes_unit"]),
    ("lower halves of words: indices with signs", "vectorizer/late/apart.c",
     "(lower && (sign ||", "(lower && ((sign && !lower) ||", ["lanes_unit"]),
    ("single loads: lower halves of words", "vectorizer/late/single_loads.c",
     "lw_lane_lower_half(s->l, index)", "LLVMBuildZExt(b, LLVMBuildTrunc(b, index, i32, \"\"), i64, \"\")",
     ["gathers and single loads"]),
    ("single loads: lanes that are not active", "vectorizer/late/single_loads.c",
     "if (!(active >> k & 1))", "if (active == 0)", ["lanes that are known"]),
    ("known stores: places that follow each other", "vectorizer/late/known_stores.c",
     "(uint64_t)p->at[order->lanes[first + count]] == at + count * (uint64_t)size", "at + 1 && size > 0",
     ["lanes that are known"]),
    ("kept quotients: divisors that loops change", "vectorizer/late/kept_quotients.c",
     "->blocks[lw_block_id_of(m, d)].loop != LW_NONE", "->block_count == 0",
     ["language quotients"]),
    ("kept quotients: rows across a wrap", "vectorizer/late/kept_quotients.c",
     "if (!is_signed && lw_int_width(x) <= BITS_IN_ROW)", "if (!is_signed)", ["language quotients"]),
    ("kept quotients: signs", "vectorizer/late/kept_quotients.c",
     "if (!is_signed && lw_int_width(x) <= BITS_IN_ROW)", "if (lw_int_width(x) <= BITS_IN_ROW)",
     ["language quotients"]),
    ("ors that are sums: how far a counter goes", "vectorizer/flow/sums.c",
     "t.of_next ? last - c->step : last;", "t.of_next ? last - 2 * c->step : last;", ["ors that are sums"]),
    ("ors that are sums: below the lowest bit", "vectorizer/flow/sums.c",
     "zeros(x, 0) >= bits(y, 0) ||", "zeros(x, 0) + 1 >= bits(y, 0) ||", ["ors that are sums"]),
    ("places against bounds: wraps", "vectorizer/widen/whole.c",
     "(equality || keeps_order(w, x,", "(equality || keeps_order(w, y,", ["places against bounds"]),
    ("places against bounds: bytes", "vectorizer/widen/whole.c",
     "if (many && least >= 0 && most <= FARTHEST", "if (many && least >= 0 && most <= 2 * FARTHEST",
     ["places against bounds"]),
    ("places against bounds: of 32 bits", "vectorizer/widen/whole.c",
     "return info.lo <= info.hi && info.lo >= INT32_MIN && info.hi <= INT32_MAX;",
     "return info.lo <= info.hi || v;",
     ["places against bounds"]),
    ("places against bounds: below lane 0", "vectorizer/widen/whole.c",
     "if (p != LLVMIntEQ && p != LLVMIntNE) {", "if (p != LLVMIntEQ && p == LLVMIntNE) {",
     ["places against bounds"]),
    ("clusters that tile memory", "vectorizer/forms/clusters.c",
     "places->offsets[k] != k * field_count(c) * c->size", "places->offsets[k] < 0 * c->size",
     ["clusters, specialised"]),
    ("constants in place of indices", "vectorizer/flow/addresses.c",
     "computed_with(b, other, x, is, 0) != constant)", "!computed_with(b, other, x, is, 0))", ["analyses"]),
    ("constants in place of indices: the edge", "vectorizer/flow/addresses.c",
     "LLVMGetSuccessor(end, 0) == to ? LLVMIntEQ : LLVMIntNE;",
     "LLVMGetSuccessor(end, 0) != to ? LLVMIntNE : LLVMGetICmpPredicate(test);", ["analyses"]),
    ("regrouped sub-groups", "src/shape.c",
     "range->dimensions == 1 && range->local[0] % n == 0 && range->global[0] % n == 0 &&",
     "range->dimensions == 1 &&", ["runtime", "atomics on one address, specialised", "cross check"]),
    ("barriers in regrouped work-groups", "src/shape.c",
     "!device->trace_groups && !desc->info.has_barrier &&", "!device->trace_groups &&",
     ["runtime", "runtime with the compiler"]),
]
NET = ["language random_combinations", "cross check", "language random_programs", "language random_flow",
       "language random_data", "analyses",
       "lanes_unit", "workgroup"]


def counts(source):
    bad = 0
    for name, file, old, _, _ in ROWS:
        with open(os.path.join(source, file)) as text:
            found = text.read().count(old)
        if found != 1:
            print("%s: %s has its text %d times" % (name, file, found))
            bad += 1
    print("%d conditions, %d of them not found" % (len(ROWS), bad))
    return bad


def make(build):
    """The libraries and programs that have the compiler or the runtime in them. True: they build."""
    listed = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], stdout=subprocess.PIPE,
                            universal_newlines=True).stdout
    names = [line.split(":")[0] for line in listed.split("\n") if line.endswith("_LINKER")]
    ours = [name for name in names if "lanewise" in os.path.basename(name) and not name.startswith("t")]
    return call(["ninja", "-C", build] + ours, 1800)


def call(command, timeout):
    """True: it ended well."""
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=timeout).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def known_tests(build):
    listed = subprocess.run(["meson", "test", "-C", build, "--no-rebuild", "--list"], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, universal_newlines=True).stdout
    return {line.split(" / ")[-1].strip() for line in listed.split("\n")}


def baseline(rows, build, known):
    """Tests that fail without any change, or do not exist, would notice everything, or nothing."""
    wanted = list(dict.fromkeys(test for row in rows for test in row[4] + NET))
    bad = [(test, "there is no such test") for test in wanted if test not in known]
    for test in wanted:
        if test in known and not call(["meson", "test", "-C", build, test], 1200):
            bad.append((test, "it fails as things are"))
    for test, why in bad:
        print("%s: %s" % (test, why), flush=True)
    return not bad


def try_row(row, source, build, known):
    name, file, old, new, first = row
    path = os.path.join(source, file)
    with open(path) as text:
        whole = text.read()
    began = time.time()
    try:
        with open(path, "w") as text:
            text.write(whole.replace(old, new))
        if not make(build):
            return "does not build"
        for test in first + [t for t in NET if t not in first]:
            if test in known and not call(["meson", "test", "-C", build, test], 1200):
                return "caught by: %s (%.0f s)" % (test, time.time() - began)
        return "MISSED (%.0f s)" % (time.time() - began)
    finally:
        with open(path, "w") as text:
            text.write(whole)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["check", "run"])
    parser.add_argument("source")
    parser.add_argument("build", nargs="?")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    if counts(args.source):
        return 1
    if args.mode == "check":
        return 0
    missed, known = 0, known_tests(args.build)
    rows = [row for row in ROWS if not args.names or row[0] in args.names]
    if not rows or not make(args.build) or not baseline(rows, args.build, known):
        return 1
    for row in rows:
        how = try_row(row, args.source, args.build, known)
        missed += not how.startswith("caught")
        print("%-50s %s" % (row[0], how), flush=True)
    make(args.build)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
