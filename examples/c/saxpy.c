/* SPDX-License-Identifier: MIT */
/* A kernel from a C program through the library, without OpenCL. Takes the path of saxpy.spv:
 *
 *     clang-22 --target=spirv64 -x cl -cl-std=CL3.0 -O2 -c ../saxpy.cl -o saxpy.spv
 *     cc saxpy.c $(pkg-config --cflags --libs lanewise) -o saxpy && ./saxpy saxpy.spv
 */
#include <lanewise/lanewise.h>

#include <stdio.h>

#define N 1000

static bool
run(lw_kernel *kernel, float *x, float *y, lw_error *error)
{
    uint32_t n = N;
    float a = 2;

    return lw_kernel_set_arg(kernel, 0, &n, sizeof n, error) &&
           lw_kernel_set_arg(kernel, 1, &a, sizeof a, error) &&
           lw_kernel_set_arg_pointer(kernel, 2, x, N * sizeof *x, error) &&
           lw_kernel_set_arg_pointer(kernel, 3, y, N * sizeof *y, error) &&
           lw_kernel_run(kernel, &(lw_ndrange){.dimensions = 1, .global = {N}}, error);
}

int
main(int argc, char **argv)
{
    static float x[N], y[N];
    lw_error error = {0};

    if (argc != 2) {
        fprintf(stderr, "usage: %s saxpy.spv\n", argv[0]);
        return 2;
    }
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    lw_device *device = lw_device_create(NULL, &error);
    lw_program *program = device ? lw_program_load_file(device, argv[1], &error) : NULL;
    lw_kernel *kernel = program ? lw_kernel_create(program, "saxpy", &error) : NULL;
    bool good = kernel && run(kernel, x, y, &error);

    for (int i = 0; i < N && good; i++)
        if (y[i] != 2 * (float)i + 1) {
            snprintf(error.text, sizeof error.text, "element %d is %g", i, (double)y[i]);
            good = false;
        }
    if (good)
        printf("%d elements of 2 * x + y are right, by %s code on %u threads\n", N,
               lw_isa_name(lw_device_isa(device)), lw_device_threads(device));
    else
        fprintf(stderr, "%s: %s\n", argv[0], error.text);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
    return good ? 0 : 1;
}
