/* SPDX-License-Identifier: MIT */
/* What a kernel stores and what it loads next, where nobody can tell from the kernel whether that is the same memory: buffers
 * apart, one buffer twice, buffers that overlap (compiler.h: buffers_apart), by pointers that come from everywhere.
 * test_alias.c runs each on the host too, one work-item after the other. A work-item has ROW elements of x, y and z, the
 * first half of which it touches; `to` has the addresses of the three. */
#define ROW 32

#ifdef __OPENCL_C_VERSION__
#define KEPT __attribute__((noinline))
#define ATOMIC_ADD(p, v) atomic_add(p, v)
#define SCRATCH(l) local int l##_all[256], *l = l##_all + get_local_id(0) * 4
typedef ulong address;
#define TAKE(T, from) ((global T *)(from))
#else
#define KEPT
static int
add_to(int *p, int v)
{
    int old = *p;
    *p += v;
    return old;
}
#define ATOMIC_ADD(p, v) add_to(p, v)
#define SCRATCH(l) int l##_all[4], *l = l##_all
typedef unsigned long long address;
typedef unsigned char uchar;
#define TAKE(T, from) ((T *)(uintptr_t)(from))
#endif

struct pointers {
    global int *x, *y, *z;
};

struct quad {
    int a, b, c, d;
};

/* Twice: rows anywhere, and rows side by side, as other forms of access want them. */
#define KERNEL(name, ...)                                                                                              \
    kernel void name(global const int *index, global int *x, global int *y, global int *z, global const address *to,   \
                     int n)                                                                                            \
    {                                                                                                                  \
        int i = get_global_id(0), row = index[i] * ROW;                                                                \
        global int *p = x + row, *q = y + row, *s = z + row;                                                           \
        (void)n, (void)to;                                                                                             \
        __VA_ARGS__                                                                                                    \
        (void)p, (void)q, (void)s;                                                                                     \
    }                                                                                                                  \
    kernel void name##_rows(global const int *index, global int *x, global int *y, global int *z,                      \
                            global const address *to, int n)                                                           \
    {                                                                                                                  \
        int i = get_global_id(0), row = i * ROW;                                                                       \
        global int *p = x + row, *q = y + row, *s = z + row;                                                           \
        (void)n, (void)to, (void)index;                                                                                \
        __VA_ARGS__                                                                                                    \
        (void)p, (void)q, (void)s;                                                                                     \
    }

/* Three buffers, each read behind stores to the others. */
KERNEL(three,
    int t = p[0] + q[1];
    s[1] = t;
    q[0] = p[1] + s[2];
    p[2] = q[0] + s[1];
    s[0] = p[2] ^ q[2];
    q[3] = p[0] - s[0];
)

/* From memory, as an integer. */
KERNEL(stored,
    global int *r = TAKE(int, to[1]) + row;
    int t = p[0] + q[1];
    r[1] = t;
    q[0] = r[2] + q[1];
    r[0] = q[0] + p[1];
    s[2] = r[0] + q[0] + p[2];
)

/* Another one for each work-item. */
KERNEL(stored_any,
    global int *r = TAKE(int, to[i % 3]) + row;
    for (int k = 0; k < 5; k++) {
        r[k] += p[k] + q[k + 1];
        s[k + 1] = r[k] - p[k];
    }
)

/* Pointers in a struct in memory. */
KERNEL(of_struct,
    global struct pointers *all = TAKE(struct pointers, to);
    global int *r = all->y + row;
    q[1] = p[0];
    r[2] = q[1] + r[1] + p[2];
    all->x[row + 3] = q[2] - r[3];
    q[0] = p[3] + r[2];
)

/* Through an integer and back. */
KERNEL(converted,
    global int *r = TAKE(int, (address)p + 8);
    q[2] = p[3] + r[0];
    r[1] = q[2] * 3;
    q[3] = p[3] + r[0];
    p[2] = q[3] - r[1];
)

KERNEL(chosen,
    global int *r = i % 2 ? p : q;
    global int *u = n > 5 ? q : s;
    r[0] = u[0] + p[1];
    u[1] = r[0] + q[0];
    p[0] = u[1] + r[1];
    s[1] = p[0] + r[0] + u[0];
)

/* By branches that do more. */
KERNEL(branches,
    global int *r;
    if (p[3] > n) {
        r = q;
        q[3] += 5;
    } else if (p[3] & 1) {
        r = s + 1;
        s[2] -= p[0];
    } else {
        r = p + 2;
    }
    r[0] += p[2] + q[3];
    q[0] = r[0] + s[1];
    r[1] = q[0] ^ p[0];
)

/* In turns. */
KERNEL(turns,
    global int *a = p, *b = q;
    for (int k = 0; k < n; k++) {
        b[k % 4] = a[k % 3] + a[(k + 1) % 4];
        global int *c = a;
        a = b;
        b = c;
        s[k % 2] += a[0];
    }
)

/* Three, and not all the time. */
KERNEL(turns_of_three,
    global int *a = p, *b = q, *c = s;
    for (int k = 0; k < n; k++) {
        c[k % 4] = a[k % 3] - b[(k + 1) % 4];
        if (c[k % 4] & 1) {
            global int *d = a;
            a = c;
            c = d;
        }
        b[1] += a[2] + c[0];
    }
)

/* From one buffer into the other. */
KERNEL(walk,
    global int *r = p;
    int t = 0;
    for (int k = 0; k < 10; k++) {
        *r += t;
        t += q[k % 5] + s[k % 3];
        r = k == 4 ? q : r + 1;
    }
)

/* More steps than are looked at. */
KERNEL(steps,
    global int *r = p;
    for (int k = 0; k < 40; k++)
        r = n >> (k % 4) & 1 ? r + (k % 5 == 0) : r - (k % 7 == 0 && r > p);
    r[0] = q[0] + 1;
    q[1] = r[0] + r[1];
    p[3] = q[1] - r[2];
)

KERNEL(table,
    global int *r[4] = {p, q, s, p + 1};
    for (int k = 0; k < n; k++)
        r[(k + i) % 4][k % 3] += r[(k + 1) % 4][1] - r[k % 4][0];
)

KEPT static int
moved(global int *a, global int *b, int n)
{
    a[0] = b[1] + n;
    b[0] = a[1] - a[0];
    a[2] = b[0] + b[2];
    return a[2] ^ b[1];
}

KERNEL(calls,
    q[3] = moved(p, q, n);
    s[3] = moved(q, s, i) + moved(p, p + 1, n);
    p[3] = moved(i % 2 ? s : p, q, 3);
)

KEPT static global int *
pick(global int *a, global int *b, int which)
{
    return which % 3 ? a + 1 : b;
}

KERNEL(picked,
    global int *r = pick(p, q, i);
    global int *u = pick(s, q, n);
    r[0] = u[1] + q[2];
    u[0] = r[1] - r[0];
    q[1] = u[0] + r[2];
    r[2] = u[2] + q[1];
)

/* Pointers that do not say of which memory. */
KERNEL(any_space,
    SCRATCH(l);
    int own[4] = {n, i, 3, 4};
    for (int k = 0; k < 4; k++)
        l[k] = i + k;
    int *r = i % 3 == 0 ? (int *)p : i % 3 == 1 ? (int *)l : (int *)q;
    int *u = n & 1 ? (int *)q : own;
    r[0] = u[1] + p[1];
    u[1] = r[0] + q[0];
    l[1] += r[1];
    q[2] = r[0] + u[1] + l[0] + l[1] + own[0];
)

KERNEL(atomics,
    q[1] = p[0];
    int old = ATOMIC_ADD(&p[1], q[0]);
    q[0] = p[1] + old;
    ATOMIC_ADD(&q[2], p[1]);
    p[2] += q[2];
    s[0] = ATOMIC_ADD(&s[1], q[2] + p[2]) + s[1];
)

/* A loop that reads what it stored the round before, where q is near p. */
KERNEL(chain,
    for (int k = 0; k < 12; k++)
        q[k] = p[k] + k;
)

KERNEL(chains,
    for (int k = 0; k < 12; k++) {
        q[k] = p[k] + s[k];
        s[k] = p[k + 1] - q[k];
    }
)

KERNEL(chain_down,
    for (int k = 11; k >= 0; k--)
        q[k] = p[k + 1] * 3 - p[k];
)

KERNEL(chain_of_few,
    for (int k = 0; k < n; k++)
        q[k & 7] += p[(k + 3) & 7] - s[k & 3];
)

/* Sums that stay in memory, in loops in loops. */
KERNEL(sums,
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < n; k++) {
            q[j] += p[k] * s[j + 1];
            s[0] -= q[j];
        }
)

/* Other sizes of the same bytes. */
KERNEL(bytes,
    global uchar *b = (global uchar *)q;
    global short *h = (global short *)s;
    p[1] = b[0] + b[5];
    b[4] = p[0] + h[1];
    h[2] = p[1] - b[4];
    q[3] = p[1] + s[1] + h[2];
    p[0] = q[1] + b[1];
)

KERNEL(longs,
    global long *a = (global long *)(q);
    p[1] = a[0] ^ 3;
    a[1] = p[0] + (long)p[2];
    p[3] = a[1] + s[2];
    s[1] = p[3] - (int)a[0];
)

/* Four at once. */
KERNEL(quads,
    global struct quad *a = (global struct quad *)p, *b = (global struct quad *)q, *c = (global struct quad *)s;
    b[0].c = a[0].a + c[1].d;
    b[0].a = a[0].c;
    b[0].d = a[0].b - c[0].a;
    b[0].b = a[0].d;
    a[1].a = b[0].a + c[0].b;
    c[0].b = b[0].b ^ a[1].a;
    c[0].a = b[0].c + a[0].b;
)

/* Stores that wait for the last of them, and loads that are drawn to the first, over each other. */
KERNEL(waiting,
    p[0] = i;
    int t = p[2];
    p[1] = n;
    t += p[3];
    q[5] = t;
    t -= p[0] * 3 + q[1];
    q[4] = t;
    s[6] = p[1] + p[0] + t + q[5];
)

KERNEL(waiting_more,
    q[0] = p[4];
    q[1] = p[5];
    int t = q[4];
    s[7] = t;
    q[2] = p[7];
    t += q[5] + q[6];
    q[3] = p[6];
    s[8] = t;
    t += q[7] + q[0];
    s[9] = t - q[2];
    s[10] = q[3] + p[4];
)

/* Under conditions of each work-item. */
KERNEL(guarded,
    if (p[0] > 100)
        q[0] = p[1] + 1;
    if (q[0] & 1) {
        s[1] = q[0] + p[0];
        p[1] = s[0] - 1;
        if (p[1] > 7)
            q[1] = p[1] + s[1];
    }
    s[2] = p[1] + q[1] + q[0];
)

/* Values that two buffers seem to have in common over a loop that changes them. */
KERNEL(kept_values,
    int a = p[0], b = q[0];
    for (int k = 0; k < n; k++) {
        s[k & 3] = a + k;
        a = p[k & 3] + b;
        b = q[k & 1];
    }
    q[2] = a - b + p[0];
)

/* Of eight elements each, all of which are stored: not with buffers that overlap in part. */
kernel void
records(global const int *index, global int *x, global int *y, global int *z, global const address *to, int n)
{
    int i = get_global_id(0);
    global int *p = x + i * 8, *q = y + i * 8, *s = z + i * 8;

    p[0] = i;
    p[1] = n;
    p[2] = i ^ n;
    p[3] = i - n;
    int t = p[4];
    t += p[5];
    p[6] = t;
    p[7] = i * 3;
    p[4] = t - i;
    p[5] = n - 4;
    q[1] = t;
    t += p[0] * 3 + p[1] * 5 + p[2] * 7 + p[3] * 11;
    s[2] = t + index[i] + (int)(to[0] != 0);
}
