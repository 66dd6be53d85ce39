/* SPDX-License-Identifier: MIT */
/* A kernel as a plain C function: a libffi closure that sets the arguments and runs the range.
 *
 * A call takes a kernel object of its own from the function's idle ones, so that calls may overlap and nest.
 */
#include "api.h"

#include <ffi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct idle_kernel {
    lw_kernel *kernel;
    struct idle_kernel *next;
};

struct lw_function {
    ffi_closure *closure;
    void *pointer;
    ffi_cif cif;
    ffi_type **types;
    lw_kernel *pattern;
    lw_ndrange range;
    pthread_mutex_t lock;
    struct idle_kernel *idle;
};

/* The C parameter type; NULL where C has none that libffi could pass. */
static ffi_type *
parameter_type(const lw_arg_info *info)
{
    if (info->kind == LW_ARG_POINTER)
        return &ffi_type_pointer;
    if (info->kind == LW_ARG_LOCAL)
        return &ffi_type_uint64;
    if (info->kind != LW_ARG_VALUE || info->components != 1)
        return NULL;
    if (strcmp(info->scalar, "f32") == 0)
        return &ffi_type_float;
    if (strcmp(info->scalar, "f64") == 0)
        return &ffi_type_double;
    switch (info->size) {
    case 1:
        return &ffi_type_uint8;
    case 2:
        return &ffi_type_uint16;
    case 4:
        return &ffi_type_uint32;
    case 8:
        return &ffi_type_uint64;
    }
    return NULL;
}

static bool
set_argument(lw_kernel *kernel, uint32_t index, void *value, lw_error *error)
{
    const lw_arg_info *info = lw_kernel_arg_info(kernel, index);
    if (info->kind == LW_ARG_POINTER)
        return lw_kernel_set_arg_pointer(kernel, index, *(void **)value, SIZE_MAX, error);
    if (info->kind == LW_ARG_LOCAL)
        return lw_kernel_set_arg_local(kernel, index, *(size_t *)value, error);
    return lw_kernel_set_arg(kernel, index, value, info->size, error);
}

static struct idle_kernel *
take_kernel(lw_function *function, lw_error *error)
{
    pthread_mutex_lock(&function->lock);
    struct idle_kernel *taken = function->idle;
    if (taken)
        function->idle = taken->next;
    pthread_mutex_unlock(&function->lock);
    if (taken)
        return taken;
    taken = calloc(1, sizeof *taken);
    if (!taken) {
        lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for a call");
        return NULL;
    }
    taken->kernel = lw_kernel_clone(function->pattern, error);
    if (taken->kernel)
        return taken;
    free(taken);
    return NULL;
}

static void
called(ffi_cif *cif, void *result, void **values, void *data)
{
    (void)cif;
    (void)result;
    lw_function *function = data;
    lw_error error = {0};
    struct idle_kernel *taken = take_kernel(function, &error);
    bool good = taken;
    for (uint32_t i = 0; good && i < lw_kernel_arg_count(function->pattern); i++)
        good = set_argument(taken->kernel, i, values[i], &error);
    if (!good || !lw_kernel_run(taken->kernel, &function->range, &error))
        fprintf(stderr, "lanewise: error: call of %s: %s\n", lw_kernel_name(function->pattern), error.text);
    if (!taken)
        return;
    pthread_mutex_lock(&function->lock);
    taken->next = function->idle;
    function->idle = taken;
    pthread_mutex_unlock(&function->lock);
}

static bool
find_types(lw_function *function, lw_error *error)
{
    uint32_t count = lw_kernel_arg_count(function->pattern);
    function->types = calloc(count ? count : 1, sizeof *function->types);
    if (!function->types)
        return lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for a function");
    for (uint32_t i = 0; i < count; i++) {
        const lw_arg_info *info = lw_kernel_arg_info(function->pattern, i);
        function->types[i] = parameter_type(info);
        if (!function->types[i])
            return lw_runtime_error(
                error, LW_UNSUPPORTED,
                "argument %u (`%s`) of kernel %s is no scalar or pointer: a C function cannot take it", i,
                info->type ? info->type : "", lw_kernel_name(function->pattern));
    }
    return true;
}

static bool
make_closure(lw_function *function, lw_error *error)
{
    function->closure = ffi_closure_alloc(sizeof *function->closure, &function->pointer);
    if (!function->closure)
        return lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for a function");
    if (ffi_prep_cif(&function->cif, FFI_DEFAULT_ABI, lw_kernel_arg_count(function->pattern), &ffi_type_void,
                     function->types) != FFI_OK ||
        ffi_prep_closure_loc(function->closure, &function->cif, called, function, function->pointer) !=
            FFI_OK)
        return lw_runtime_error(error, LW_INTERNAL, "libffi refuses the signature of kernel %s",
                                lw_kernel_name(function->pattern));
    return true;
}

lw_function *
lw_function_create(lw_kernel *kernel, const lw_ndrange *range, lw_error *error)
{
    lw_no_error(error);
    if (!kernel || !range) {
        lw_runtime_error(error, LW_BAD_ARGUMENT, "lw_function_create was given no %s",
                         kernel ? "range" : "kernel");
        return NULL;
    }
    /* A range that no call could run is refused now, not at each call. */
    if (!lw_kernel_check_range(kernel, range, error))
        return NULL;
    lw_function *function = calloc(1, sizeof *function);
    if (!function) {
        lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for a function");
        return NULL;
    }
    pthread_mutex_init(&function->lock, NULL);
    function->range = *range;
    function->pattern = lw_kernel_clone(kernel, error);
    if (function->pattern && find_types(function, error) && make_closure(function, error))
        return function;
    lw_function_release(function);
    return NULL;
}

void *
lw_function_pointer(const lw_function *function)
{
    return function ? function->pointer : NULL;
}

void
lw_function_release(lw_function *function)
{
    if (!function)
        return;
    while (function->idle) {
        struct idle_kernel *idle = function->idle;
        function->idle = idle->next;
        lw_kernel_release(idle->kernel);
        free(idle);
    }
    if (function->closure)
        ffi_closure_free(function->closure);
    lw_kernel_release(function->pattern);
    pthread_mutex_destroy(&function->lock);
    free(function->types);
    free(function);
}
