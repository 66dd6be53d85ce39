/* SPDX-License-Identifier: MIT */
/* A bench for lanes.h: functions `void f(const void *in, uint64_t mask, void *out)` built with the helpers,
 * compiled for one ISA level, and called.
 */
#ifndef LW_TESTS_LANES_UNIT_H
#define LW_TESTS_LANES_UNIT_H

#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/TargetMachine.h>

#include "vectorizer/lanes/lanes.h"
#include "vectorizer/subgroup/atomic.h"
#include "vectorizer/subgroup/reduce.h"
#include "vectorizer/subgroup/subgroup_ops.h"

enum type { T_I1, T_I8, T_I16, T_I32, T_I64, T_HALF, T_FLOAT, T_DOUBLE, T_PTR, TYPE_COUNT };

typedef void unit_function(const void *in, uint64_t mask, void *out);

struct unit {
    lw_lanes l;
    LLVMTargetMachineRef machine;
    LLVMOrcLLJITRef jit;
    V in, mask, bits, out; /* of the function being built; mask: <n x i1> */
    unsigned serialised;   /* notes counted */
};

static const lw_isa unit_isas[] = {LW_ISA_SSE42, LW_ISA_AVX2, LW_ISA_AVX512, LW_ISA_AVX512_VBMI,
                                    LW_ISA_AVX512_FP16};
static const unsigned unit_sizes[] = {4, 8, 16, 32, 64};

bool unit_runs(lw_isa isa); /* on this host */
const char *unit_isa(lw_isa isa);

void unit_begin(struct unit *u, lw_isa isa, unsigned n);
void unit_define(struct unit *u, const char *name);  /* starts a function */
void unit_finish(struct unit *u);                    /* `ret void` */
void unit_compile(struct unit *u, const char *passes); /* passes: run first, or NULL */
/* Symbols for the code, before unit_compile: names and addresses, ended by NULL. */
void unit_compile_with(struct unit *u, const char *passes, const char *const *names, void *const *addresses);
unit_function *unit_lookup(struct unit *u, const char *name);
char *unit_assembly(struct unit *u); /* instead of unit_compile; free() it */
void unit_end(struct unit *u);

/* Plain instructions, none of the helpers under test: a vector at in + offset bytes, to out + offset. */
LLVMTypeRef unit_type(struct unit *u, enum type t);
V unit_in(struct unit *u, enum type t, unsigned offset);
V unit_in_scalar(struct unit *u, enum type t, unsigned offset);
void unit_out(struct unit *u, V value, unsigned offset);
V unit_splat(struct unit *u, enum type t, uint64_t value);
V unit_phi(struct unit *u, V first); /* `first`: from the entry block */

/* Values */
unsigned type_size(enum type t);
const char *type_name(enum type t);
bool type_float(enum type t);
uint64_t value_get(const void *buffer, enum type t, unsigned i);
void value_set(void *buffer, enum type t, unsigned i, uint64_t raw);
double value_real(enum type t, uint64_t raw);
uint64_t value_from_real(enum type t, double d);
int64_t value_signed(enum type t, uint64_t raw);
bool value_same(enum type t, uint64_t a, uint64_t b); /* NaN is NaN, -0 is 0 */
uint64_t random_bits(void);
uint64_t random_value(enum type t);                   /* with the edges */
void random_fill(void *buffer, enum type t, unsigned count);

/* Masks to try with n lanes: all, none, prefixes, single lanes, random. Returns false past the last. */
bool unit_mask(unsigned n, unsigned k, uint64_t *mask);

/* Runs `build` for all of cases x sizes x ISA levels and `check` for every mask. */
struct unit_case {
    void (*build)(struct unit *u, const struct unit_case *c);
    bool (*check)(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask);
    const char *what;
    enum type t;
    int a, b;
};
void unit_run_cases(const struct unit_case *cases, unsigned count);
void unit_run_cases_with(const struct unit_case *cases, unsigned count, const char *const *names,
                         void *const *addresses);

#endif
