/* SPDX-License-Identifier: MIT */
/* Processes whose main thread ends by pthread_exit: they end with the program's last thread, and signals are
 * the program's, as if the library had no threads. */
#include "support.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_THREAD__
#define HAS_THREAD_OF_SANITIZER true
#else
#define HAS_THREAD_OF_SANITIZER false
#endif

static int end_of_pipe;

static void CL_CALLBACK
write_byte(cl_event event, cl_int status, void *byte)
{
    (void)event;
    if (status != CL_COMPLETE || write(end_of_pipe, byte, 1) != 1)
        _exit(9);
}

/* Some tenth of a second of work that nobody waits for, and a callback. */
static void
enqueue_slow(void)
{
    const size_t items = 1 << 16;
    int rounds = 20000;
    cl_event event;
    cl_mem buffer = make_buffer(NULL, items);
    cl_kernel kernel = make_kernel("slow");
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof rounds, &rounds);
    if (clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event) ||
        clSetEventCallback(event, CL_COMPLETE, write_byte, "c") || clFlush(w.queue))
        _exit(8);
}

static void *
slow_thread(void *unused)
{
    enqueue_slow();
    clFinish(w.queue);
    return unused;
}

static sigset_t
terminations(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    return set;
}

static void *
blocking_thread(void *unused)
{
    sigset_t set = terminations();
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    clFinish(w.queue);
    if (write(end_of_pipe, "b", 1) == 1)
        sleep(60);
    return unused;
}

static void *
waiting_thread(void *unused)
{
    sigset_t set = terminations();
    int got;
    (void)unused;
    if (write(end_of_pipe, "w", 1) != 1)
        _exit(7);
    _exit(sigwait(&set, &got) == 0 && got == SIGTERM ? 3 : 4);
}

/* LeakSanitizer takes for lost what only the stack of a main thread knew that has ended. */
static bool has_no_main_thread;
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

int
__lsan_is_turned_off(void)
{
    return has_no_main_thread;
}

/* A child whose main thread starts `work`, where there is any, and ends. Returns it once it has written. */
static pid_t
start_child(void *(*work)(void *data), bool blocks)
{
    int ends[2];
    char byte;
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        sigset_t set = terminations();
        pthread_t thread;
        end_of_pipe = ends[1];
        has_no_main_thread = true;
        signal(SIGTERM, SIG_DFL); /* the test's frame has a handler */
        if (blocks)
            pthread_sigmask(SIG_BLOCK, &set, NULL);
        if (!work)
            enqueue_slow();
        else if (pthread_create(&thread, NULL, work, NULL) || pthread_detach(thread))
            _exit(6);
        pthread_exit(NULL);
    }
    close(ends[1]);
    ck_assert_int_eq(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    return child;
}

static int
status_of(pid_t child)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

START_TEST(test_ends_with_the_last_thread)
{
    ck_assert_int_eq(status_of(start_child(slow_thread, false)), 0);
}
END_TEST

START_TEST(test_does_its_work_first)
{
    ck_assert_int_eq(status_of(start_child(NULL, false)), 0);
}
END_TEST

START_TEST(test_takes_what_its_main_thread_took)
{
    pid_t child = start_child(blocking_thread, false);
    kill(child, SIGTERM);
    int status = status_of(child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}
END_TEST

START_TEST(test_leaves_signals_to_who_waits)
{
    pid_t child = start_child(waiting_thread, true);
    usleep(100000);
    kill(child, SIGTERM);
    int status = status_of(child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}
END_TEST

TCase *
process_tests(void)
{
    TCase *tests = tcase_create("process");
    if (!HAS_THREAD_OF_SANITIZER) {
        tcase_add_test(tests, test_ends_with_the_last_thread);
        tcase_add_test(tests, test_does_its_work_first);
    }
    tcase_add_test(tests, test_takes_what_its_main_thread_took);
    tcase_add_test(tests, test_leaves_signals_to_who_waits);
    return tests;
}
