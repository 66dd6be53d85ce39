/* SPDX-License-Identifier: MIT */
/* A set-user-id program that builds OpenCL C: nothing in its environment, which its user chose, is run, read
 * or written. Run by root this makes such a program of itself and becomes an ordinary user; else it is
 * skipped.
 *
 *   test_privileged LIBRARY            the test
 *   test_privileged LIBRARY MARK HERE  the program: MARK is the file that what must not run would make
 */
#define CL_TARGET_OPENCL_VERSION 300
#include "../runtime/compiler_processes.h"

#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIPPED = 77, NOBODY = 65534 };

#define CHECK(what)                                                                                          \
    do {                                                                                                     \
        if (!(what)) {                                                                                       \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                                       \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

struct object {
    const cl_icd_dispatch *dispatch;
};

/* ---- The program ---- */

static const cl_icd_dispatch *
open_platform(const char *library, cl_platform_id *platform)
{
    typedef cl_int CL_API_CALL find_platforms(cl_uint, cl_platform_id *, cl_uint *);
    typedef void *CL_API_CALL find_function(const char *);
    void *handle = dlopen(library, RTLD_NOW);
    find_function *find =
        handle ? __extension__(find_function *) dlsym(handle, "clGetExtensionFunctionAddress") : NULL;
    find_platforms *platforms = find ? __extension__(find_platforms *) find("clIcdGetPlatformIDsKHR") : NULL;
    if (!platforms || platforms(1, platform, NULL) != CL_SUCCESS) {
        fprintf(stderr, "no platform: %s\n", handle ? "" : dlerror());
        return NULL;
    }
    return ((struct object *)*platform)->dispatch;
}

static cl_int
build(const cl_icd_dispatch *cl, cl_device_id device, cl_context context, const char *source, char *log)
{
    cl_int error;
    cl_program program = cl->clCreateProgramWithSource(context, 1, &source, NULL, &error);
    if (!error)
        error = cl->clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 4000, log, NULL);
    cl->clReleaseProgram(program);
    return error;
}

/* It is compiled by a process that has the program's rights, and nothing of its user's environment. */
static int
run(const cl_icd_dispatch *cl, cl_device_id device, cl_context context)
{
    static const char source[] = "kernel void k(global int *o) { o[get_global_id(0)] = 7; }";
    const char *text = source;
    char environment[1000];
    cl_int error, out[64] = {0};
    cl_program program = cl->clCreateProgramWithSource(context, 1, &text, NULL, &error);
    CHECK(cl->clBuildProgram(program, 1, &device, "", NULL, NULL) == CL_SUCCESS);
    cl_kernel kernel = cl->clCreateKernel(program, "k", &error);
    cl_command_queue queue = cl->clCreateCommandQueueWithProperties(context, device, NULL, &error);
    cl_mem buffer = cl->clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof out, out, &error);
    CHECK(cl->clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS);
    CHECK(cl->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &(size_t){64}, NULL, 0, NULL,
                                     NULL) == CL_SUCCESS);
    CHECK(cl->clFinish(queue) == CL_SUCCESS && out[0] == 7 && out[63] == 7);
    CHECK(compiler_of(getpid()) > 0);
    read_process_file(compiler_of(getpid()), "environ", environment, sizeof environment);
    CHECK(strcmp(environment, "") == 0);
    cl->clReleaseMemObject(buffer);
    cl->clReleaseCommandQueue(queue);
    cl->clReleaseKernel(kernel);
    cl->clReleaseProgram(program);
    return 0;
}

static int
be_privileged(const char *library, const char *mark, const char *folder)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    char log[4000] = "";
    if (!getauxval(AT_SECURE))
        return SKIPPED; /* the file system lets no program have privileges */
    const cl_icd_dispatch *cl = open_platform(library, &platform);
    CHECK(cl);
    CHECK(cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS);
    cl_context context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    CHECK(error == CL_SUCCESS);
    error = build(cl, device, context, "kernel void k(global int *o) { o[0] = 1; }", log);
    /* Where clang is in none of the fixed folders, there is none for such a program. */
    if (error == CL_COMPILER_NOT_AVAILABLE)
        CHECK(access("/usr/bin/clang-22", X_OK) != 0);
    else if (error) {
        fprintf(stderr, "%d: %s\n", error, log);
        return 1;
    }
    CHECK(access(mark, F_OK) != 0);
    if (!error && run(cl, device, context) != 0)
        return 1;
    /* clang reads by the user's rights. */
    error = build(cl, device, context, "#include \"/etc/shadow\"\nkernel void k(global int *o) { o[0] = 1; }",
                  log);
    CHECK(error != CL_SUCCESS && !strstr(log, "root:"));
    /* Nor is anything of the folder that the user chose to work in. */
    CHECK(chdir(folder) == 0);
    error = build(cl, device, context, "#include <here.h>\nkernel void k(global int *o) { o[0] = 1; }",
                  log);
    CHECK(error != CL_SUCCESS);
    cl->clReleaseContext(context);
    return 0;
}

/* ---- The test ---- */

static int
copy_to(const char *from, const char *to, mode_t mode)
{
    char block[65536];
    ssize_t got;
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    CHECK(in >= 0 && out >= 0);
    while ((got = read(in, block, sizeof block)) > 0)
        CHECK(write(out, block, (size_t)got) == got);
    CHECK(fchmod(out, mode) == 0);
    close(in);
    return close(out);
}

static void
set_traps(const char *folder)
{
    static const char *const folders[] = {"TMPDIR", "HOME", "XDG_CACHE_HOME", "LANEWISE_CACHE_DIR", "PATH"};
    char clang[200];
    snprintf(clang, sizeof clang, "%s/clang-22", folder);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        setenv(folders[i], folder, 1);
    setenv("LANEWISE_CLANG", clang, 1);
    setenv("LANEWISE_COMPILER", clang, 1);
    setenv("LANEWISE_DUMP", "all", 1);
    setenv("CCC_OVERRIDE_OPTIONS", "#+-frob", 1);
}

static int
run_as_user(const char *program, const char *library, const char *mark, const char *folder)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        set_traps(folder);
        if (setgid(NOBODY) == 0 && setuid(NOBODY) == 0)
            execl(program, program, library, mark, folder, (char *)NULL);
        _exit(1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

int
main(int count, char **arguments)
{
    char folder[] = "/tmp/lanewise-privileged-XXXXXX", program[100], clang[100], mark[100], command[200];
    if (count == 4)
        return be_privileged(arguments[1], arguments[2], arguments[3]);
    CHECK(count == 2);
    if (geteuid() != 0)
        return SKIPPED;
    CHECK(mkdtemp(folder) && chmod(folder, 0777) == 0);
    snprintf(program, sizeof program, "%s/program", folder);
    snprintf(clang, sizeof clang, "%s/clang-22", folder);
    snprintf(mark, sizeof mark, "%s/mark", folder);
    CHECK(copy_to("/proc/self/exe", program, 04755) == 0);
    FILE *file = fopen(clang, "w");
    CHECK(file);
    fprintf(file, "#!/bin/sh\n: > %s\n", mark);
    CHECK(fclose(file) == 0 && chmod(clang, 0755) == 0);
    snprintf(clang, sizeof clang, "%s/here.h", folder);
    file = fopen(clang, "w");
    CHECK(file);
    fputs("#define HERE 1\n", file);
    CHECK(fclose(file) == 0 && chmod(clang, 0644) == 0);
    int result = run_as_user(program, arguments[1], mark, folder);
    snprintf(command, sizeof command, "test \"$(ls -A %s | tr '\\n' ' ')\" = 'clang-22 here.h program '",
             folder);
    if (!result)
        CHECK(system(command) == 0); /* nothing was written */
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
    return result;
}
