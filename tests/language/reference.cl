/* SPDX-License-Identifier: MIT */
/* Group functions, and the few others that the kernels call, for the reference machine: each written as the OpenCL
 * texts define it, over the values of those who came. Compiled to x86-64 with the reference of every kernel. */
#include <opencl-c-base.h>
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
#define OVERLOAD __attribute__((overloadable))
#define SITE __builtin_return_address(0)

struct meeting { uint size, self; const uchar *came; const uchar *values; };
const struct meeting *ref_meet(uint scope, const void *site, const void *value, uint bytes);

#define AT(T, m, k) (*(const T *)((m)->values + (ulong)(k) * 128))

void OVERLOAD barrier(cl_mem_fence_flags f) { ref_meet(1, SITE, 0, 0); }
void OVERLOAD work_group_barrier(cl_mem_fence_flags f) { ref_meet(1, SITE, 0, 0); }
void OVERLOAD work_group_barrier(cl_mem_fence_flags f, memory_scope s) { ref_meet(1, SITE, 0, 0); }
void OVERLOAD sub_group_barrier(cl_mem_fence_flags f) { ref_meet(0, SITE, 0, 0); }
void OVERLOAD sub_group_barrier(cl_mem_fence_flags f, memory_scope s) { ref_meet(0, SITE, 0, 0); }
void OVERLOAD mem_fence(cl_mem_fence_flags f) {}
/* Where the work-items of a sub-group join again after divergent flow; nothing in the kernel under test. */
void ref_join(void) { ref_meet(0, SITE, 0, 0); }

#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((a) < (b) ? (b) : (a))
#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))
#define LAND(a, b) ((a) && (b))
#define LOR(a, b) ((a) || (b))
#define LXOR(a, b) (!(a) != !(b))

#define FOLD(name, T, f, scope, identity, from, to)                                                                \
    T OVERLOAD name(T x)                                                                                           \
    {                                                                                                              \
        const struct meeting *m = ref_meet(scope, SITE, &x, sizeof x);                                             \
        T y = identity;                                                                                            \
        for (uint k = from; k < (to); k++)                                                                         \
            if (m->came[k])                                                                                        \
                y = f(y, AT(T, m, k));                                                                             \
        return y;                                                                                                  \
    }
#define GROUP(prefix, scope, op, T, f, identity)                                                                   \
    FOLD(prefix##_reduce_##op, T, f, scope, identity, 0, m->size)                                                  \
    FOLD(prefix##_scan_inclusive_##op, T, f, scope, identity, 0, m->self + 1)                                      \
    FOLD(prefix##_scan_exclusive_##op, T, f, scope, identity, 0, m->self)
#define CLUSTERED(op, T, f, identity)                                                                              \
    T OVERLOAD sub_group_clustered_reduce_##op(T x, uint n)                                                        \
    {                                                                                                              \
        const struct meeting *m = ref_meet(0, SITE, &x, sizeof x);                                                 \
        T y = identity;                                                                                            \
        for (uint k = m->self / n * n; k < m->self / n * n + n && k < m->size; k++)                                \
            if (m->came[k])                                                                                        \
                y = f(y, AT(T, m, k));                                                                             \
        return y;                                                                                                  \
    }
#define EVERYWHERE(op, T, f, identity)                                                                             \
    GROUP(sub_group, 0, op, T, f, identity)                                                                        \
    GROUP(sub_group_non_uniform, 0, op, T, f, identity)                                                            \
    GROUP(work_group, 1, op, T, f, identity)                                                                       \
    CLUSTERED(op, T, f, identity)
#define INTEGER(T, lowest, highest)                                                                                \
    EVERYWHERE(add, T, ADD, 0)                                                                                     \
    EVERYWHERE(mul, T, MUL, 1)                                                                                     \
    EVERYWHERE(min, T, MIN, highest)                                                                               \
    EVERYWHERE(max, T, MAX, lowest)                                                                                \
    EVERYWHERE(and, T, AND, (T)~(T)0)                                                                              \
    EVERYWHERE(or, T, OR, 0)                                                                                       \
    EVERYWHERE(xor, T, XOR, 0)
#define FLOATING(T)                                                                                                \
    EVERYWHERE(add, T, ADD, 0)                                                                                     \
    EVERYWHERE(mul, T, MUL, 1)                                                                                     \
    EVERYWHERE(min, T, MIN, (T)INFINITY)                                                                           \
    EVERYWHERE(max, T, MAX, -(T)INFINITY)

INTEGER(char, CHAR_MIN, CHAR_MAX)
INTEGER(uchar, 0, UCHAR_MAX)
INTEGER(short, SHRT_MIN, SHRT_MAX)
INTEGER(ushort, 0, USHRT_MAX)
INTEGER(int, INT_MIN, INT_MAX)
INTEGER(uint, 0, UINT_MAX)
INTEGER(long, LONG_MIN, LONG_MAX)
INTEGER(ulong, 0, ULONG_MAX)
FLOATING(half)
FLOATING(float)
FLOATING(double)
EVERYWHERE(logical_and, int, LAND, 1)
EVERYWHERE(logical_or, int, LOR, 0)
EVERYWHERE(logical_xor, int, LXOR, 0)

#define VOTE(name, scope, start, step)                                                                             \
    int OVERLOAD name(int x)                                                                                       \
    {                                                                                                              \
        const struct meeting *m = ref_meet(scope, SITE, &x, sizeof x);                                             \
        int y = start;                                                                                             \
        for (uint k = 0; k < m->size; k++)                                                                         \
            if (m->came[k])                                                                                        \
                y = step;                                                                                          \
        return y;                                                                                                  \
    }
VOTE(sub_group_all, 0, 1, y && AT(int, m, k))
VOTE(sub_group_any, 0, 0, y || AT(int, m, k))
VOTE(sub_group_non_uniform_all, 0, 1, y && AT(int, m, k))
VOTE(sub_group_non_uniform_any, 0, 0, y || AT(int, m, k))
VOTE(work_group_all, 1, 1, y && AT(int, m, k))
VOTE(work_group_any, 1, 0, y || AT(int, m, k))

/* A value read from a work-item that did not come is undefined: the kernels do not look at it. */
#define MOVE(name, T, declare, from)                                                                               \
    T OVERLOAD name declare                                                                                        \
    {                                                                                                              \
        const struct meeting *m = ref_meet(0, SITE, &x, sizeof x);                                                 \
        uint k = from;                                                                                             \
        return k < m->size ? AT(T, m, k) : (T)0;                                                                   \
    }
#define MOVES(T)                                                                                                   \
    MOVE(sub_group_broadcast, T, (T x, uint lane), lane)                                                           \
    MOVE(sub_group_non_uniform_broadcast, T, (T x, uint lane), lane)                                               \
    MOVE(sub_group_shuffle, T, (T x, uint lane), lane)                                                             \
    MOVE(sub_group_shuffle_xor, T, (T x, uint lane), m->self ^ lane)                                               \
    MOVE(sub_group_shuffle_up, T, (T x, uint lane), m->self - lane)                                                \
    MOVE(sub_group_shuffle_down, T, (T x, uint lane), m->self + lane)                                              \
    MOVE(sub_group_rotate, T, (T x, int d), (m->self + d) % ref_max())                                             \
    MOVE(sub_group_clustered_rotate, T, (T x, int d, uint c), m->self / c * c + (m->self + d) % c)                 \
    MOVE(sub_group_broadcast_first, T, (T x), ref_first(m))
#define SAME(T)                                                                                                    \
    int OVERLOAD sub_group_non_uniform_all_equal(T x)                                                              \
    {                                                                                                              \
        const struct meeting *m = ref_meet(0, SITE, &x, sizeof x);                                                 \
        int y = 1;                                                                                                 \
        for (uint k = 0; k < m->size; k++)                                                                         \
            y = y && (!m->came[k] || AT(T, m, k) == x);                                                            \
        return y;                                                                                                  \
    }
#define SPREAD(T)                                                                                                  \
    T OVERLOAD work_group_broadcast(T x, size_t i)                                                                 \
    {                                                                                                              \
        const struct meeting *m = ref_meet(1, SITE, &x, sizeof x);                                                 \
        return AT(T, m, i);                                                                                        \
    }                                                                                                              \
    T OVERLOAD work_group_broadcast(T x, size_t i, size_t j)                                                       \
    {                                                                                                              \
        const struct meeting *m = ref_meet(1, SITE, &x, sizeof x);                                                 \
        return AT(T, m, i + j * get_local_size(0));                                                                \
    }                                                                                                              \
    T OVERLOAD work_group_broadcast(T x, size_t i, size_t j, size_t l)                                             \
    {                                                                                                              \
        const struct meeting *m = ref_meet(1, SITE, &x, sizeof x);                                                 \
        return AT(T, m, i + get_local_size(0) * (j + get_local_size(1) * l));                                      \
    }
size_t OVERLOAD get_local_size(uint);
uint OVERLOAD get_max_sub_group_size(void);
static uint ref_max(void) { return get_max_sub_group_size(); }
static uint ref_first(const struct meeting *m)
{
    uint k = 0;
    while (!m->came[k])
        k++;
    return k;
}
#define VECTORS(f, T) f(T) f(T##2) f(T##3) f(T##4) f(T##8) f(T##16)
#define SCALARS(f) f(char) f(uchar) f(short) f(ushort) f(int) f(uint) f(long) f(ulong) f(half) f(float) f(double)
#define ALL(f)                                                                                                     \
    VECTORS(f, char) VECTORS(f, uchar) VECTORS(f, short) VECTORS(f, ushort) VECTORS(f, int) VECTORS(f, uint)       \
    VECTORS(f, long) VECTORS(f, ulong) VECTORS(f, half) VECTORS(f, float) VECTORS(f, double)
ALL(MOVES)
SCALARS(SAME)
SCALARS(SPREAD)

int OVERLOAD sub_group_elect(void)
{
    const struct meeting *m = ref_meet(0, SITE, 0, 0);
    return ref_first(m) == m->self;
}
uint4 OVERLOAD sub_group_ballot(int x)
{
    const struct meeting *m = ref_meet(0, SITE, &x, sizeof x);
    uint y[4] = {0, 0, 0, 0};
    for (uint k = 0; k < m->size; k++)
        if (m->came[k] && AT(int, m, k))
            y[k / 32] |= 1u << k % 32;
    return (uint4)(y[0], y[1], y[2], y[3]);
}
uint OVERLOAD get_sub_group_size(void);
uint OVERLOAD get_sub_group_local_id(void);
static int bit(uint4 v, uint k) { return (v[k / 32] >> k % 32) & 1; }
static uint bits(uint4 v, uint from, uint end)
{
    uint n = 0;
    for (uint k = from; k < end; k++)
        n += bit(v, k);
    return n;
}
int OVERLOAD sub_group_inverse_ballot(uint4 v) { return bit(v, get_sub_group_local_id()); }
int OVERLOAD sub_group_ballot_bit_extract(uint4 v, uint k) { return bit(v, k); }
uint OVERLOAD sub_group_ballot_bit_count(uint4 v) { return bits(v, 0, get_sub_group_size()); }
uint OVERLOAD sub_group_ballot_inclusive_scan(uint4 v) { return bits(v, 0, get_sub_group_local_id() + 1); }
uint OVERLOAD sub_group_ballot_exclusive_scan(uint4 v) { return bits(v, 0, get_sub_group_local_id()); }
uint OVERLOAD sub_group_ballot_find_lsb(uint4 v)
{
    uint k = 0;
    while (k < 127 && !bit(v, k))
        k++;
    return k;
}
uint OVERLOAD sub_group_ballot_find_msb(uint4 v)
{
    uint k = 127;
    while (k > 0 && !bit(v, k))
        k--;
    return k;
}
#define MASK(name, condition)                                                                                      \
    uint4 OVERLOAD name(void)                                                                                      \
    {                                                                                                              \
        uint y[4] = {0, 0, 0, 0}, self = get_sub_group_local_id();                                                 \
        for (uint k = 0; k < ref_max(); k++)                                                                       \
            if (condition)                                                                                         \
                y[k / 32] |= 1u << k % 32;                                                                         \
        return (uint4)(y[0], y[1], y[2], y[3]);                                                                    \
    }
MASK(get_sub_group_eq_mask, k == self)
MASK(get_sub_group_ge_mask, k >= self)
MASK(get_sub_group_gt_mask, k > self)
MASK(get_sub_group_le_mask, k <= self)
MASK(get_sub_group_lt_mask, k < self)

/* ---- Atomics: one work-item runs at a time ------------------------------------------------------------------- */

#define UPDATE(name, S, T, U, declare, next)                                                                       \
    T OVERLOAD name declare                                                                                        \
    {                                                                                                              \
        T old = *(volatile S T *)p;                                                                                \
        *(volatile S T *)p = next;                                                                                 \
        return old;                                                                                                \
    }
#define UPDATES(prefix, S, T)                                                                                      \
    UPDATE(prefix##_add, S, T, T, (volatile S T *p, T v), old + v)                                                 \
    UPDATE(prefix##_sub, S, T, T, (volatile S T *p, T v), old - v)                                                 \
    UPDATE(prefix##_inc, S, T, T, (volatile S T *p), old + 1)                                                      \
    UPDATE(prefix##_dec, S, T, T, (volatile S T *p), old - 1)                                                      \
    UPDATE(prefix##_xchg, S, T, T, (volatile S T *p, T v), v)                                                      \
    UPDATE(prefix##_cmpxchg, S, T, T, (volatile S T *p, T c, T v), old == c ? v : old)                             \
    UPDATE(prefix##_min, S, T, T, (volatile S T *p, T v), MIN(old, v))                                             \
    UPDATE(prefix##_max, S, T, T, (volatile S T *p, T v), MAX(old, v))                                             \
    UPDATE(prefix##_and, S, T, T, (volatile S T *p, T v), old & v)                                                 \
    UPDATE(prefix##_or, S, T, T, (volatile S T *p, T v), old | v)                                                  \
    UPDATE(prefix##_xor, S, T, T, (volatile S T *p, T v), old ^ v)
UPDATES(atomic, global, int) UPDATES(atomic, global, uint) UPDATES(atomic, local, int) UPDATES(atomic, local, uint)
UPDATES(atom, global, long) UPDATES(atom, global, ulong) UPDATES(atom, local, long) UPDATES(atom, local, ulong)
UPDATE(atomic_xchg, global, float, float, (volatile global float *p, float v), v)

#define EXPLICIT(A, T)                                                                                             \
    UPDATE(atomic_fetch_add_explicit, , T, T, (volatile A *p, T v, memory_order o, memory_scope s), old + v)       \
    UPDATE(atomic_fetch_add_explicit, , T, T, (volatile A *p, T v, memory_order o), old + v)                       \
    UPDATE(atomic_fetch_sub_explicit, , T, T, (volatile A *p, T v, memory_order o), old - v)                       \
    UPDATE(atomic_fetch_min_explicit, , T, T, (volatile A *p, T v, memory_order o), MIN(old, v))                   \
    UPDATE(atomic_fetch_max_explicit, , T, T, (volatile A *p, T v, memory_order o), MAX(old, v))                   \
    UPDATE(atomic_fetch_xor, , T, T, (volatile A *p, T v), old ^ v)                                                \
    UPDATE(atomic_fetch_or, , T, T, (volatile A *p, T v), old | v)                                                 \
    UPDATE(atomic_fetch_and, , T, T, (volatile A *p, T v), old & v)                                                \
    UPDATE(atomic_fetch_add, , T, T, (volatile A *p, T v), old + v)                                                \
    UPDATE(atomic_exchange, , T, T, (volatile A *p, T v), v)                                                       \
    T OVERLOAD atomic_load(volatile A *p) { return *(volatile T *)p; }                                             \
    void OVERLOAD atomic_store(volatile A *p, T v) { *(volatile T *)p = v; }                                       \
    bool OVERLOAD atomic_compare_exchange_strong(volatile A *p, T *e, T v)                                         \
    {                                                                                                              \
        T old = *(volatile T *)p;                                                                                  \
        bool same = old == *e;                                                                                     \
        if (same)                                                                                                  \
            *(volatile T *)p = v;                                                                                  \
        else                                                                                                       \
            *e = old;                                                                                              \
        return same;                                                                                               \
    }
EXPLICIT(atomic_int, int) EXPLICIT(atomic_uint, uint) EXPLICIT(atomic_long, long) EXPLICIT(atomic_ulong, ulong)
