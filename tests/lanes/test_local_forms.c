/* SPDX-License-Identifier: MIT */
/* Runs the kernels of local_forms.cl at every instruction set, sub-group size and several local sizes, and
 * compares with what the whole work-group should have, worked out one element after the other.
 *
 *     test_local_forms MODULE.spv [KERNEL]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { MOST = 2048 };

static const size_t locals[] = {256, 64, 16, 32, 1, 60, 7};

static void
want_sum(const int *a, int *b, int n)
{
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[k];
    for (int k = 0; k < n; k++)
        b[k] = sum;
}

static void
want_scan(const int *a, int *b, int n)
{
    int sum = 0;
    for (int k = 0; k < n; k++)
        b[k] = sum += a[k];
}

static int
compare(const void *x, const void *y)
{
    int a = *(const int *)x, b = *(const int *)y;
    return a < b ? -1 : a > b;
}

static void
want_sorted(const int *a, int *b, int n)
{
    memcpy(b, a, (size_t)n * sizeof *b);
    qsort(b, (size_t)n, sizeof *b, compare);
}

static void
want_rounds(const int *a, int *b, int n)
{
    int old[MOST];
    for (int k = 0; k < n; k++)
        b[k] = a[k] & 255;
    for (int k = 0; k < 12 && (b[0] & 15) != k; k++) {
        memcpy(old, b, (size_t)n * sizeof *b);
        for (int i = 0; i < n; i++)
            b[i] = (old[i] + old[(i + 3) % n]) & 255;
    }
}

static void
want_turned(const int *a, int *b, int n)
{
    for (int k = 0; k < n; k++)
        b[k] = a[n - 1 - k] * 3 + a[(k + 1) % n];
}

static void
filter(const int *a, int *b, int n, int hole)
{
    int kept = 0;
    for (int k = 0; k < n; k++)
        b[k] = -1;
    for (int k = 0; k < n; k++) {
        if (a[k] % 3 == 0)
            continue;
        if (a[k] % 4 != hole)
            b[kept] = a[k];
        kept++;
    }
}

static void
want_filter(const int *a, int *b, int n)
{
    filter(a, b, n, 4);
}

static void
want_filter_holes(const int *a, int *b, int n)
{
    filter(a, b, n, 1);
}

/* Of five work-groups, hence five rounds. */
static void
want_runs(const int *a, int *b, int n)
{
    int sums[MOST], mixed[MOST];
    for (int k = 0; k < n; k++) {
        sums[k] = 0;
        mixed[k] = a[k];
        for (int i = 0; i < 5; i++) {
            sums[k] += a[(k + i) % n];
            mixed[k] = mixed[k] * 3 ^ a[(k + i) % n];
        }
    }
    for (int k = 0; k < n; k++)
        b[k] = sums[(k + 1) % n] * 5 + sums[k] + mixed[k];
}

static void
want_columns(const int *a, int *b, int n)
{
    for (int k = 0; k < n; k++) {
        int from = k % 16 * 16 + k / 16;
        b[k] = k / 16 < 16 && from < n ? a[from] : -1;
    }
}

/* Sorted, whatever the steps are; how often an item took which way is told by the same steps one by one. */
static void
want_network(const int *a, int *b, int n)
{
    int keys[2 * MOST], sorted[2 * MOST], moved[MOST] = {0};
    for (int k = 0; k < n; k++) {
        sorted[k] = keys[k] = a[k];
        sorted[k + n] = keys[k + n] = 500 - a[k] * 7 % 911;
    }
    for (int size = 2; size <= 2 * n; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2)
            for (int k = 0; k < n; k++) {
                int low = 2 * k - (k & (stride - 1)), *x = &keys[low], *y = &keys[low + stride], was = *x;
                bool up = (low & size) == 0;
                moved[k] += ((unsigned)*x * 3 < (unsigned)*y) == !up ? 5 : 2;
                if (up ? *x > *y : *x < *y) {
                    *x = *y;
                    *y = was;
                }
            }
    qsort(sorted, 2 * (size_t)n, sizeof *sorted, compare);
    for (int k = 0; k < n; k++)
        b[k] = sorted[k] * 3 + sorted[k + n] + moved[(k + 1) % n] * 10000;
}

/* Of five work-groups, hence five rounds. */
static void
want_product(const int *a, int *b, int n)
{
    for (int l = 0; l < n; l++) {
        b[l] = 0;
        for (int round = 0; round < 5; round++)
            for (int k = 0; k < 16; k++)
                b[l] += (a[(l / 16 * 16 + k) % n] + round) % 16 * (a[(16 * k + l % 16) % n] / 16 % 16);
    }
}

static void
want_taps(const int *a, int *b, int n)
{
    for (int l = 0; l < n; l++) {
        b[l] = 0;
        for (int k = 0; k < 25; k++)
            b[l] += (k + 1) * (a[(l / 16 + k / 5 + l % 16 + k % 5) % n] % 64);
    }
}

static void
want_counted(const int *a, int *b, int n)
{
    int bins[64] = {0};

    for (int l = 0; l < n; l++)
        for (int i = l; i < n; i += (n + 3) / 4)
            bins[a[i] & 63]++;
    for (int l = 0; l < n; l++)
        b[l] = bins[l & 63];
}

static void
digits(const int *a, int *b, int n, bool numbered)
{
    static int counts[16 * MOST];
    int sums[MOST], sum;

    for (int k = 0; k < 16 * n; k++)
        counts[k] = numbered && k >= 15 * n ? k % n : 0;
    for (int l = 0; l < n; l++)
        for (int k = 0; k < 3; k++)
            counts[(a[(l + k) % n] & 15) * n + l] += k + 1;
    for (int l = 0; l < n; l++) {
        sums[l] = 0;
        for (int i = 0; i < 16; i++)
            sums[l] += counts[l * 16 + i];
    }
    for (int l = 0; l < n; l++) {
        int before = sums[(l + 1) % n];
        for (int i = 0; i < 16; i++) {
            int count = counts[l * 16 + i];
            counts[l * 16 + i] = before;
            before += count;
        }
    }
    for (int l = 0; l < n; l++) {
        sum = sums[l];
        for (int k = 0; k < 2; k++)
            sum = sum * 7 + counts[(a[(l + 5 * k) % n] & 15) * n + l]++;
        b[l] = sum;
    }
}

static void
want_digits(const int *a, int *b, int n)
{
    digits(a, b, n, false);
}

static void
want_digits_numbered(const int *a, int *b, int n)
{
    digits(a, b, n, true);
}

static void
want_digits_in_pairs(const int *a, int *b, int n)
{
    for (int l = 0; l < n; l++) {
        b[l] = a[l];
        for (int i = 0; i < 16; i++)
            b[l] += (i % 2 + 1) * i * i;
    }
}

static const struct form {
    const char *name;
    void (*want)(const int *a, int *b, int n);
    bool powers;   /* of two only */
    bool argument; /* local memory */
} forms[] = {
    {"tree", want_sum, true, true},
    {"scan", want_scan, false, true},
    {"sort", want_sorted, true, true},
    {"rounds", want_rounds, false, true},
    {"runs", want_runs, false, true},
    {"tree_inside", want_sum, true, true},
    {"turned", want_turned, false, false},
    {"product", want_product, true, false},
    {"taps", want_taps, true, false},
    {"counted", want_counted, false, false},
    {"filter", want_filter, false, false},
    {"filter_holes", want_filter_holes, false, false},
    {"columns", want_columns, false, false},
    {"network", want_network, true, true},
    {"digits", want_digits, false, false},
    {"digits_waiting", want_digits, false, false},
    {"digits_volatile", want_digits, false, false},
    {"digits_numbered", want_digits_numbered, false, false},
    {"digits_in_pairs", want_digits_in_pairs, false, false},
};

static bool
run_one(const struct attempt *attempt)
{
    static int a[MOST], want[MOST], got[MOST];
    const struct form *form = &forms[attempt->form];
    size_t local = locals[attempt->range], global = 5 * local;
    lw_error error = {0};

    lanes_fill_ints(a, global, 0);
    for (size_t g = 0; g < global; g += local)
        form->want(a + g, want + g, (int)local);
    lw_kernel *kernel = lanes_kernel(attempt, form->name, &error);
    lw_ndrange range = {.dimensions = 1, .global = {global}, .local = {local}};
    bool ok = kernel && lw_kernel_set_arg_pointer(kernel, 0, a, global * sizeof *a, &error) &&
              lw_kernel_set_arg_pointer(kernel, 1, got, global * sizeof *got, &error) &&
              (!form->argument || lw_kernel_set_arg_local(kernel, 2, local * sizeof(int), &error));
    bool same = true;
    for (int pass = 0; ok && same && pass < 12; pass++) { /* until it is hot */
        memset(got, 0x55, sizeof got);
        ok = lw_kernel_run(kernel, &range, &error);
        same = ok && !memcmp(want, got, global * sizeof *got);
    }
    if (!ok || !same) {
        lanes_failed(attempt, form->name);
        printf("global %zu, local %zu %s\n", global, local, ok ? "" : error.text);
    }
    lw_kernel_release(kernel);
    return ok && same;
}

static bool
wants(const struct attempt *attempt, size_t turn)
{
    size_t local = locals[attempt->range];
    return turn % 5 == 0 && (!forms[attempt->form].powers || (local & (local - 1)) == 0);
}

int
main(int argc, char **argv)
{
    struct driver driver = {.forms = forms,
                            .form_size = sizeof *forms,
                            .form_count = sizeof forms / sizeof *forms,
                            .range_count = sizeof locals / sizeof *locals,
                            .most_threads = 1,
                            .wants = wants,
                            .run = run_one};
    return lanes_main(argc, argv, &driver);
}
