/* SPDX-License-Identifier: MIT */
/* Keeps LLVM whole while the process ends: other threads may still compile then.
 *
 * exit() would run the destructors of LLVM's static objects under a thread that uses them ("pure virtual
 * method called"). Their constructors register them by this function, which inside the compiler library
 * stands in for the C library's: nobody else sees it (compiler.map), and the memory goes with the process.
 */
int __cxa_atexit(void (*destroy)(void *object), void *object, void *library);

__attribute__((visibility("hidden"))) int
__cxa_atexit(void (*destroy)(void *object), void *object, void *library)
{
    (void)destroy;
    (void)object;
    (void)library;
    return 0;
}
