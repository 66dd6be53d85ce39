/* SPDX-License-Identifier: MIT */
/* Accesses beside each other at addresses of each work-item's own (forms/clusters.c), and buffers that overlap or not
 * (compiler.h: buffers_apart). test_clusters.c runs each on the host too, one work-item after the other. Work-item i has
 * ROW elements of x and of y, from index[i] * ROW on; it may touch the first half of them. */
#define ROW 32

struct __attribute__((aligned(32))) wide {
    long a, b, c, d;
};

struct point {
    int a, b, c, d, e, f;
};

#define KERNEL(name)                                                                                         \
    kernel void name(global const int *index, global int *x, global int *y, int n)                           \
    {                                                                                                        \
        int i = get_global_id(0), row = index[i] * ROW;                                                      \
        global int *p = x + row, *q = y + row;                                                               \
        (void)n;

/* Four loads and four stores, of which the last reads what the first wrote where x and y are one. */
KERNEL(four)
    q[0] = p[0] + p[3];
    q[1] = p[1] * 3;
    q[2] = p[2] - p[0];
    q[3] = p[3] ^ n;
}

/* Loads with holes; stores in any order. */
KERNEL(holes)
    int t = p[7] + p[1] - p[2] + p[4] * p[5];
    q[6] = t;
    q[4] = t - 1;
    q[5] = t + p[3];
    q[7] = n;
}

/* The access that comes first is better aligned than the lowest one. */
KERNEL(aligned)
    const global struct wide *t = (const global struct wide *)p;
    global struct wide *s = (global struct wide *)q;
    long sum = t->c - t->b;
    s->c = sum;
    s->b = sum * 3;
}

/* Stores between loads of the same fields. */
KERNEL(between)
    int t = p[0] + p[1];
    q[2] = t;
    t += p[2] + p[3];
    q[1] = t;
    t += p[1] + p[4];
    q[0] = t;
    q[3] = p[0];
}

/* A load of what was just stored: stores may not be put off over it. */
KERNEL(read_back)
    q[0] = i;
    q[1] = i + 1;
    q[2] = p[1] + p[0];
    q[3] = p[2];
    q[4] = p[3] + q[0];
}

/* In a loop, the sum kept in memory. */
KERNEL(kept_sum)
    for (int k = 0; k < n; k++)
        q[2] += p[k] * (k + 1);
}

KERNEL(kept_sums)
    for (int k = 0; k + 3 < n; k += 4) {
        q[0] += p[k];
        q[1] += p[k + 1];
        q[2] += p[k + 2];
        q[3] += p[k + 3];
    }
}

/* Behind a guard; lanes that are not active have addresses of nowhere. */
KERNEL(guarded)
    if (i % 3 != 1 && p[0] > n) {
        int t = p[1] + p[2] + p[3] + p[4];
        q[1] = t;
        q[2] = p[5];
        q[3] = t ^ p[2];
        q[4] = n;
    }
}

/* Two of them, and three. */
KERNEL(two)
    q[4] = p[1] - p[0];
    q[5] = p[0];
}

KERNEL(three)
    q[8] = p[2];
    q[9] = p[3] + p[1];
    q[10] = p[1];
}

/* Nine, as blocks of 3 x 3; the last 16 bytes begin in others. */
KERNEL(nine)
    q[0] = p[4] * p[8] - p[5] * p[7];
    q[3] = p[5] * p[6] - p[3] * p[8];
    q[6] = p[3] * p[7] - p[4] * p[6];
    q[1] = p[2] * p[7] - p[1] * p[8];
    q[4] = p[0] * p[8] - p[2] * p[6];
    q[7] = p[1] * p[6] - p[0] * p[7];
    q[2] = p[1] * p[5] - p[2] * p[4];
    q[5] = p[2] * p[3] - p[0] * p[5];
    q[8] = p[0] * p[4] - p[1] * p[3];
}

KERNEL(members)
    global struct point *s = (global struct point *)p, *t = (global struct point *)q;
    t->a = s->b + s->c;
    t->b = s->d;
    s->e = t->a;
    t->f = s->e + s->a;
    t->c = s->f;
}

/* Of 64 bits. */
KERNEL(longs)
    global long *s = (global long *)p, *t = (global long *)q;
    long u = s[0] + s[1] * s[2];
    t[0] = s[2];
    t[1] = u;
    t[2] = s[1] - u;
}

/* A pointer of two buffers. */
KERNEL(either)
    global int *r = i % 2 ? p : q;
    int t = 0;
    for (int k = 0; k < n; k++) {
        r[k] += t;
        t += p[k] + q[k];
    }
}

/* Rows at a known distance, too long to be moved whole: not by index. */
kernel void
rows(global const int *index, global int *x, global int *y, int n)
{
    int i = get_global_id(0);
    global int *p = x + i * ROW, *q = y + i * ROW;

    q[1] = p[1] + p[2];
    q[2] = p[2] * p[3];
    q[3] = p[4] - n;
    q[4] = p[4] + p[1] + index[i];
}

/* Neighbours' elements: lanes' clusters overlap. */
kernel void
neighbours(global const int *index, global int *x, global int *y, int n)
{
    int i = get_global_id(0), at = i / 5 * 7 + i % 5;

    y[i * ROW] = x[at] + x[at + 1] + x[at + 2] + x[at + 3] + n + index[i];
}

/* Two and four elements of each lane side by side, with loads between that no stores may touch. */
kernel void
tiles(global const int *index, global int *x, global int *y, int n)
{
    int i = get_global_id(0);

    y[2 * i] = x[i + 1] - n;
    y[2 * i + 1] = x[i + 7] * 3 + index[i];
}

kernel void
some_tiles(global const int *index, global int *x, global int *y, int n)
{
    int i = get_global_id(0);

    if (index[i] % 3) {
        y[4 * i + 3] = x[i + 1] - n;
        y[4 * i + 1] = x[i + 7] * 3;
        y[4 * i] = x[i + 2] ^ index[i];
        y[4 * i + 2] = x[i];
    }
}
