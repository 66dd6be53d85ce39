# SPDX-License-Identifier: MIT
"""For random_c.py: csmith's program of a seed as a function of the lane, in what OpenCL C and C share.

Its global variables become members of a struct that each lane has for itself (G), which every function
gets; some of its constants differ by lane, and some of its conditions hold for every third lane or so.
What is left is a hash of all its variables.
"""
import random
import re
import subprocess
import tempfile

LANES = 37
SIZES = (["--max-funcs", "3"], ["--max-funcs", "4", "--max-block-depth", "3"],
         ["--max-funcs", "2", "--max-block-size", "6"], ["--max-funcs", "5", "--max-expr-complexity", "5"],
         ["--max-funcs", "3", "--inline-function", "--max-array-dim", "2"],
         ["--max-funcs", "2", "--max-pointer-depth", "1", "--max-block-depth", "5"])
CSMITH = ["csmith", "--no-argc", "--no-bitfields", "--no-packed-struct", "--no-longlong", "--concise"]

# The operations are those of csmith's safe_math.h, of which none is undefined.
PROLOGUE = r"""#ifdef __OPENCL_C_VERSION__
typedef char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef uchar uint8_t; typedef ushort uint16_t; typedef uint uint32_t; typedef ulong uint64_t;
#else
#include <stdint.h>
#include <stdio.h>
#endif
static void mix(uint64_t *hash, uint64_t value)
{
    uint64_t x = (*hash ^ value) * 0x9E3779B97F4A7C15UL;
    *hash = x ^ x >> 29;
}
#define transparent_crc(value, name, flag) mix(&hash, (uint64_t)(value))
#define GUARDED(T, S, W, BITS) \
    static T safe_unary_minus_func_##T##_##S(T a) { return (T)((W)0 - (W)a); } \
    static T safe_add_func_##T##_##S##_##S(T a, T b) { return (T)((W)a + (W)b); } \
    static T safe_sub_func_##T##_##S##_##S(T a, T b) { return (T)((W)a - (W)b); } \
    static T safe_mul_func_##T##_##S##_##S(T a, T b) { return (T)((W)a * (W)b); } \
    static int cannot_divide_##T(T a, T b) \
    { \
        return b == 0 || ((T)-1 < (T)1 && b == (T)-1 && a == (T)((W)1 << (BITS - 1))); \
    } \
    static T safe_div_func_##T##_##S##_##S(T a, T b) { return cannot_divide_##T(a, b) ? a : (T)(a / b); } \
    static T safe_mod_func_##T##_##S##_##S(T a, T b) { return cannot_divide_##T(a, b) ? a : (T)(a % b); } \
    GUARDED_SHIFTS(T, S, s, W, BITS, int32_t) GUARDED_SHIFTS(T, S, u, W, BITS, uint32_t)
#define GUARDED_SHIFTS(T, S, BY, W, BITS, COUNT) \
    static T safe_lshift_func_##T##_##S##_##BY(T a, COUNT b) \
    { \
        return (uint32_t)b >= BITS ? a : (T)((W)a << b); \
    } \
    static T safe_rshift_func_##T##_##S##_##BY(T a, COUNT b) { return (uint32_t)b >= BITS ? a : (T)(a >> b); }
GUARDED(int8_t, s, uint32_t, 8) GUARDED(uint8_t, u, uint32_t, 8)
GUARDED(int16_t, s, uint32_t, 16) GUARDED(uint16_t, u, uint32_t, 16)
GUARDED(int32_t, s, uint32_t, 32) GUARDED(uint32_t, u, uint32_t, 32)
GUARDED(int64_t, s, uint64_t, 64) GUARDED(uint64_t, u, uint64_t, 64)
"""
EPILOGUE = """#ifdef __OPENCL_C_VERSION__
kernel void program(global ulong *out)
{
    int lane = get_global_id(0);
    if (lane < %d)
        out[lane] = run(lane);
}
#else
int main(void)
{
    for (int lane = 0; lane < %d; lane++)
        printf("%%lu\\n", run(lane));
}
#endif
""" % (LANES, LANES)


def by_lane(r, line, density):
    """A statement's large constants, and its condition, for some lanes other ones."""
    if re.match(r"\s*(for |(static|const|volatile|u?int\d+_t|struct|union) )", line):
        return line

    def constant(m):
        return ("(%s ^ (G->lane & %d))" % (m[0], r.choice([1, 3, 7, 0x55, 0xff, 1023]))
                if r.random() < density else m[0])

    line = re.sub(r"\b0x[0-9A-F]{4,}U?L{0,2}\b", constant, line)
    if r.random() < .15 and line.rstrip().endswith("))"):
        chosen = "if ((G->lane %% %d) == %d || " % (r.randint(2, 7), r.randint(0, 1))
        line = re.sub(r"^(\s*)if \(", r"\1" + chosen, line)
    return line


def with_state(line):
    """Globals are members of *G, which every function gets."""
    state = "struct state *G" if line.startswith("static ") else "G"
    line = re.sub(r"\b(func_\d+)\((void\)|\))?", lambda m: m[1] + "(" + state + (")" if m[2] else ", "), line)
    return re.sub(r"\b(g_\d+)\b", r"G->\1", line)


def converted(text, r, density):
    """csmith's program as one of lanes, both OpenCL C and C."""
    text = re.sub(r'#include "csmith.h"|#define NO_LONGLONG|static long __undefined;|"[^"]*"', "", text)
    text = re.sub(r"^inline static", "static", text, flags=re.M)
    before, main = text.split("int main (void)\n{\n")
    types, members, values, functions = [], ["int lane;"], ["lane"], []
    for line in before.split("\n"):
        variable = re.match(r"static (.*?\bg_\d+(?:\[\d+\])*) = (.*);$", line)
        if variable:
            members.append(variable[1] + ";")
            values.append(re.sub(r"\b(g_\d+)\b", r"state.\1", variable[2]))
        elif line.startswith("static ") or functions:
            functions.append(with_state(line if line.startswith("static ") else by_lane(r, line, density)))
        else:
            types.append(line)
    unused = r"printf|platform_main|crc32_gentab|return 0;|print_hash_value = 0"
    main = main.rstrip().rstrip("}").replace(", print_hash_value", ", 0").split("\n")
    checks = [with_state(line) for line in main if not re.search(unused, line)]
    return "\n".join([PROLOGUE] + types + ["struct state {"] + members + ["};"] +
                     functions + ["static uint64_t run(int lane)", "{", "    struct state state = {"] +
                     [",\n".join(values) + "};", "    struct state *G = &state;"] +
                     ["    uint64_t hash = 0x123456789UL;"] + checks + ["    return hash;", "}", EPILOGUE])


def written(seed, longest):
    """The program of a seed, or None where it has more characters; and what chooses the rest."""
    r = random.Random(seed)
    size, density = r.choice(SIZES), r.choice([.1, .3, .6])
    with tempfile.TemporaryDirectory() as folder:  # csmith leaves platform.info
        try:
            made = subprocess.run(CSMITH + ["--seed", str(seed)] + size, cwd=folder, check=True, timeout=60,
                                  stdout=subprocess.PIPE, universal_newlines=True)
        except subprocess.TimeoutExpired:
            return None, r
    text = converted(made.stdout, random.Random(seed), density)
    return (text if len(text) <= longest else None), r
