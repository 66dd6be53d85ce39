/* SPDX-License-Identifier: MIT */
/* Adaptive quadrature by device-side enqueue: the integral of a function with a sharp peak, by Simpson's rule. Each
 * work-item has an interval; where its halves give another value than the whole, it enqueues a child of two
 * work-items, one for each half. Sums are of whole numbers, 2^-40 each, so that their order does not matter. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

double f(double x)
{
    return 1 / (1e-4 + (x - 0.3) * (x - 0.3));
}

double simpson(double a, double b)
{
    return (b - a) / 6 * (f(a) + 4 * f(0.5 * (a + b)) + f(b));
}

void integrate(global long *sum, global uint *intervals, double a, double b, double tolerance, uint depth)
{
    double middle = 0.5 * (a + b), whole = simpson(a, b), halves = simpson(a, middle) + simpson(middle, b);
    if (fabs(halves - whole) <= 15 * tolerance || depth == 0) {
        atom_add(sum, convert_long_rte((halves + (halves - whole) / 15) * 0x1p40));
        atomic_inc(intervals);
        return;
    }
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(2), ^{
        double half_width = 0.5 * (b - a), begin = a + get_global_id(0) * half_width;
        integrate(sum, intervals, begin, begin + half_width, 0.5 * tolerance, depth - 1);
    });
}

/* From a to b, a work-item to each of equal intervals. */
kernel void quadrature(global long *sum, global uint *intervals, double a, double b, double tolerance)
{
    size_t n = get_global_size(0) * get_global_size(1) * get_global_size(2);
    double width = (b - a) / n, begin = a + get_global_linear_id() * width;
    integrate(sum, intervals, begin, begin + width, tolerance / n, 40);
}
