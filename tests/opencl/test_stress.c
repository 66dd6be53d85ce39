/* SPDX-License-Identifier: MIT */
/* Many threads on shared queues, in order and out of order: buffers of every origin, kernels of one program
 * and clones of one kernel, gates that another thread opens or breaks, callbacks, and everything released
 * while commands still use it. What is read back must be what the host computes; every callback comes once.
 *
 *   test_stress [THREADS [ROUNDS [SEED]]]        with ThreadSanitizer: tools/run-sanitizers thread
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ITEMS 48
#define QUEUES 4
#define MAX_THREADS 64

static struct {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queues[QUEUES];
    cl_program program;
    cl_kernel kernel; /* cloned by all, changed by none */
    void *module;
    size_t module_size;
    unsigned threads, rounds, seed;
    atomic_uint wrong, wanted, called, made, destroyed;
    /* Gates on their way to the thread that opens them. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct gate {
        cl_event event;
        cl_int status;
    } gates[MAX_THREADS];
    unsigned waiting;
    bool closing;
} s = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void
fail(const char *what, cl_int error)
{
    fprintf(stderr, "%s: %d (test_stress %u %u %u)\n", what, error, s.threads, s.rounds, s.seed);
    exit(1);
}

#define OK(call)                                                                                             \
    do {                                                                                                     \
        cl_int status_ = (call);                                                                             \
        if (status_ != CL_SUCCESS)                                                                           \
            fail(#call, status_);                                                                            \
    } while (0)

static void CL_CALLBACK
count_call(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    atomic_fetch_add(&s.called, 1);
}

static void CL_CALLBACK
count_destruction(cl_mem memory, void *data)
{
    (void)memory;
    free(data); /* the memory behind a use-host-ptr buffer */
    atomic_fetch_add(&s.destroyed, 1);
}

/* ---- The thread that opens gates ---- */

static void
hand_over(cl_event event, cl_int status)
{
    pthread_mutex_lock(&s.lock);
    s.gates[s.waiting++] = (struct gate){event, status};
    pthread_cond_signal(&s.changed);
    pthread_mutex_unlock(&s.lock);
}

static void *
keep_gates(void *data)
{
    pthread_mutex_lock(&s.lock);
    while (s.waiting || !s.closing) {
        if (!s.waiting) {
            pthread_cond_wait(&s.changed, &s.lock);
            continue;
        }
        struct gate gate = s.gates[--s.waiting];
        pthread_mutex_unlock(&s.lock);
        OK(clSetUserEventStatus(gate.event, gate.status));
        OK(clReleaseEvent(gate.event));
        pthread_mutex_lock(&s.lock);
    }
    pthread_mutex_unlock(&s.lock);
    return data;
}

/* ---- A round ---- */

struct round {
    unsigned *seed;
    int input[ITEMS], output[ITEMS];
    cl_mem from, to, part;
    cl_kernel kernel;
    cl_event gate, wrote, added, copied;
    int value;
    bool broken;
};

static unsigned
pick(struct round *r, unsigned count)
{
    return (unsigned)rand_r(r->seed) % count;
}

/* What fails in order takes with it what is behind it, which is other threads'. */
static cl_command_queue
some_queue(struct round *r)
{
    return s.queues[r->broken ? 1 + 2 * pick(r, 2) : pick(r, QUEUES)];
}

static cl_mem
make_buffer(struct round *r)
{
    cl_int error;
    void *data = NULL;
    cl_mem_flags flags = CL_MEM_READ_WRITE;
    unsigned origin = pick(r, 3);
    const size_t bytes = 1024;
    if (origin == 1)
        flags |= CL_MEM_ALLOC_HOST_PTR;
    if (origin == 2) {
        flags |= CL_MEM_USE_HOST_PTR;
        data = aligned_alloc(128, bytes);
    }
    cl_mem memory = clCreateBuffer(s.context, flags, bytes, data, &error);
    OK(error);
    OK(clSetMemObjectDestructorCallback(memory, count_destruction, data));
    atomic_fetch_add(&s.made, 1);
    return memory;
}

static cl_kernel
make_kernel(struct round *r)
{
    cl_int error;
    cl_kernel kernel =
        pick(r, 2) ? clCloneKernel(s.kernel, &error) : clCreateKernel(s.program, "add", &error);
    OK(error);
    return kernel;
}

static void
add_callbacks(struct round *r, cl_event event)
{
    static const cl_int states[] = {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE};
    for (unsigned i = pick(r, 4); i < 3; i++) {
        atomic_fetch_add(&s.wanted, 1);
        OK(clSetEventCallback(event, states[pick(r, 3)], count_call, NULL));
    }
}

/* The objects of a round, and what they will be used for, enqueued. */
static void
enqueue_round(struct round *r)
{
    cl_int error;
    const size_t items = ITEMS;
    const cl_buffer_region region = {256, sizeof r->input};
    const int zero = 0;
    bool gated = pick(r, 3) == 0;
    r->broken = gated && pick(r, 4) == 0;
    r->from = make_buffer(r);
    r->to = make_buffer(r);
    r->part = clCreateSubBuffer(r->to, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    OK(error);
    r->kernel = make_kernel(r);
    r->gate = NULL;
    if (gated) {
        r->gate = clCreateUserEvent(s.context, &error);
        OK(error);
    }
    OK(clEnqueueWriteBuffer(some_queue(r), r->from, CL_FALSE, 0, sizeof r->input, r->input, r->gate ? 1 : 0,
                            r->gate ? &r->gate : NULL, &r->wrote));
    OK(clSetKernelArg(r->kernel, 0, sizeof r->part, &r->part));
    OK(clSetKernelArg(r->kernel, 1, sizeof r->from, &r->from));
    OK(clSetKernelArg(r->kernel, 2, sizeof r->value, &r->value));
    OK(clEnqueueNDRangeKernel(some_queue(r), r->kernel, 1, NULL, &items, NULL, 1, &r->wrote, &r->added));
    OK(clEnqueueFillBuffer(some_queue(r), r->to, &zero, sizeof zero, 512, 64, 0, NULL, NULL));
    if (pick(r, 4) == 0)
        OK(clEnqueueBarrierWithWaitList(some_queue(r), 1, &r->added, NULL));
    if (pick(r, 4) == 0)
        OK(clEnqueueMarkerWithWaitList(some_queue(r), 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(some_queue(r), r->part, r->from, 0, 512, sizeof r->input, 1, &r->added,
                           &r->copied));
    add_callbacks(r, r->wrote);
    add_callbacks(r, r->added);
    add_callbacks(r, r->copied);
}

/* Waits in one of the ways there are; false: the round's gate was broken. */
static bool
finish_round(struct round *r)
{
    cl_int error = CL_SUCCESS, status;
    cl_command_queue queue = some_queue(r);
    const cl_event list[] = {r->copied};
    switch (pick(r, 3)) {
    case 0:
        error = clEnqueueReadBuffer(queue, r->from, CL_TRUE, 512, sizeof r->output, r->output, 1, list, NULL);
        break;
    case 1:
        error = clWaitForEvents(1, list);
        if (error == CL_SUCCESS)
            OK(clEnqueueReadBuffer(queue, r->from, CL_TRUE, 512, sizeof r->output, r->output, 0, NULL, NULL));
        break;
    default: {
        void *p = clEnqueueMapBuffer(queue, r->from, CL_TRUE, CL_MAP_READ, 512, sizeof r->output, 1, list,
                                     NULL, &error);
        if (p) {
            memcpy(r->output, p, sizeof r->output);
            OK(clEnqueueUnmapMemObject(some_queue(r), r->from, p, 0, NULL, NULL));
        }
    }
    }
    if (!r->broken)
        OK(error);
    else if (error != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        fail("a broken gate", error);
    OK(clGetEventInfo(r->copied, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    if ((status < 0) != r->broken || status > CL_COMPLETE)
        fail("the status of a finished round", status);
    return !r->broken;
}

static void
run_round(struct round *r)
{
    for (int i = 0; i < ITEMS; i++)
        r->input[i] = rand_r(r->seed);
    r->value = rand_r(r->seed) / 2;
    enqueue_round(r);
    /* All but what is still read back is released under way. */
    bool early = pick(r, 2);
    if (r->gate)
        hand_over(r->gate, r->broken ? -7 : CL_COMPLETE);
    if (early) {
        OK(clReleaseKernel(r->kernel));
        OK(clReleaseMemObject(r->part));
        OK(clReleaseMemObject(r->to));
        OK(clReleaseEvent(r->wrote));
        OK(clReleaseEvent(r->added));
    }
    if (finish_round(r))
        for (int i = 0; i < ITEMS; i++)
            if (r->output[i] != (int)((unsigned)r->input[i] + (unsigned)r->value))
                atomic_fetch_add(&s.wrong, 1);
    OK(clReleaseMemObject(r->from));
    OK(clReleaseEvent(r->copied));
    if (!early) {
        OK(clReleaseKernel(r->kernel));
        OK(clReleaseMemObject(r->part));
        OK(clReleaseMemObject(r->to));
        OK(clReleaseEvent(r->wrote));
        OK(clReleaseEvent(r->added));
    }
}

/* ---- A whole life: context, queue, an asynchronous build, all released while the last command waits ---- */

static void CL_CALLBACK
count_context(cl_context context, void *data)
{
    (void)context, (void)data;
    atomic_fetch_add(&s.destroyed, 1);
}

static void CL_CALLBACK
note_build(cl_program program, void *data)
{
    (void)program;
    atomic_store((atomic_int *)data, 1);
}

static void
run_life(struct round *r)
{
    cl_int error;
    atomic_int built = 0;
    const size_t items = ITEMS;
    const cl_queue_properties kind = pick(r, 2) ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, kind, 0};
    cl_context context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &error);
    OK(error);
    OK(clSetContextDestructorCallback(context, count_context, NULL));
    atomic_fetch_add(&s.made, 1);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, s.device, properties, &error);
    OK(error);
    cl_program program = clCreateProgramWithIL(context, s.module, s.module_size, &error);
    OK(error);
    OK(clBuildProgram(program, 0, NULL, NULL, note_build, &built));
    int *data = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof r->output, 0);
    memset(data, 0, sizeof r->output);
    while (!atomic_load(&built))
        usleep(100);
    cl_kernel kernel = clCreateKernel(program, "add", &error);
    OK(error);
    cl_event gate = clCreateUserEvent(context, &error), added;
    OK(clSetKernelArgSVMPointer(kernel, 0, data));
    OK(clSetKernelArgSVMPointer(kernel, 1, data));
    OK(clSetKernelArg(kernel, 2, sizeof r->value, &r->value));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 1, &gate, &added));
    OK(clEnqueueSVMMemcpy(queue, CL_FALSE, r->output, data, sizeof r->output, 1, &added, &r->copied));
    OK(clEnqueueSVMFree(queue, 1, (void *[]){data}, NULL, NULL, 1, &r->copied, NULL));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
    OK(clReleaseEvent(added));
    hand_over(gate, CL_COMPLETE);
    OK(clWaitForEvents(1, &r->copied));
    OK(clReleaseEvent(r->copied));
    for (int i = 0; i < ITEMS; i++)
        if (r->output[i] != r->value)
            atomic_fetch_add(&s.wrong, 1);
}

static void *
run_thread(void *data)
{
    struct round round = {.seed = data};
    for (unsigned i = 0; i < s.rounds; i++) {
        run_round(&round);
        round.broken = false;
        if (pick(&round, 8) == 0)
            OK(clFlush(some_queue(&round)));
        if (pick(&round, 32) == 0)
            OK(clFinish(some_queue(&round)));
        if (pick(&round, 32) == 0)
            run_life(&round);
    }
    return data;
}

/* ---- All together ---- */

static void
read_module(void)
{
    char path[1000];
    const char *folder = getenv("LANEWISE_TEST_MODULES");
    snprintf(path, sizeof path, "%s/opencl_kernels.spv", folder ? folder : ".");
    FILE *file = fopen(path, "rb");
    if (!file)
        fail(path, 0);
    s.module = malloc(1 << 20);
    s.module_size = fread(s.module, 1, 1 << 20, file);
    fclose(file);
}

static void
open_world(void)
{
    cl_int error;
    OK(clGetPlatformIDs(1, &s.platform, NULL));
    OK(clGetDeviceIDs(s.platform, CL_DEVICE_TYPE_ALL, 1, &s.device, NULL));
    s.context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &error);
    OK(error);
    for (unsigned i = 0; i < QUEUES; i++) {
        const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES,
                                                  (i & 1 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0) |
                                                      (i & 2 ? CL_QUEUE_PROFILING_ENABLE : 0),
                                                  0};
        s.queues[i] = clCreateCommandQueueWithProperties(s.context, s.device, properties, &error);
        OK(error);
    }
    read_module();
    s.program = clCreateProgramWithIL(s.context, s.module, s.module_size, &error);
    OK(error);
    OK(clBuildProgram(s.program, 0, NULL, NULL, NULL, NULL));
    s.kernel = clCreateKernel(s.program, "add", &error);
    OK(error);
}

/* The last callbacks may still be on their way when the queues are done. */
static void
settle(atomic_uint *value, atomic_uint *wanted, const char *what)
{
    for (int i = 0; i < 10000 && atomic_load(value) != atomic_load(wanted); i++)
        usleep(1000);
    if (atomic_load(value) != atomic_load(wanted))
        fail(what, (cl_int)(atomic_load(value) - atomic_load(wanted)));
}

int
main(int count, char **words)
{
    pthread_t threads[MAX_THREADS], keeper;
    unsigned seeds[MAX_THREADS];
    s.threads = count > 1 ? (unsigned)atoi(words[1]) : 6;
    s.rounds = count > 2 ? (unsigned)atoi(words[2]) : 1000;
    s.seed = count > 3 ? (unsigned)atoi(words[3]) : 1;
    if (s.threads > MAX_THREADS)
        s.threads = MAX_THREADS;
    open_world();
    pthread_create(&keeper, NULL, keep_gates, NULL);
    for (unsigned i = 0; i < s.threads; i++) {
        seeds[i] = s.seed * 1000 + i;
        pthread_create(&threads[i], NULL, run_thread, &seeds[i]);
    }
    for (unsigned i = 0; i < s.threads; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&s.lock);
    s.closing = true;
    pthread_cond_signal(&s.changed);
    pthread_mutex_unlock(&s.lock);
    pthread_join(keeper, NULL);
    for (unsigned i = 0; i < QUEUES; i++)
        OK(clFinish(s.queues[i]));
    settle(&s.called, &s.wanted, "event callbacks");
    for (unsigned i = 0; i < QUEUES; i++)
        OK(clReleaseCommandQueue(s.queues[i]));
    OK(clReleaseKernel(s.kernel));
    OK(clReleaseProgram(s.program));
    OK(clReleaseContext(s.context));
    settle(&s.destroyed, &s.made, "destructor callbacks");
    free(s.module);
    if (atomic_load(&s.wrong))
        fail("wrong values", (cl_int)atomic_load(&s.wrong));
    printf("%u threads, %u rounds each, %u callbacks, %u objects destroyed\n", s.threads, s.rounds,
           atomic_load(&s.called), atomic_load(&s.destroyed));
    return 0;
}
