/* SPDX-License-Identifier: MIT */
/* The just-in-time linker: one LLJIT per process, one resource tracker per piece of code.
 *
 * Objects go into a JITDylib of our own that sees nothing but the table below: LLJIT's main one would resolve
 * any symbol of the process.
 */
#include "jit.h"

#include "../src/native/library_calls.def"

#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/OrcEE.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

/* Only their addresses are wanted; their types use what C17 does not name. */
#define X(f) extern void f(void);
LW_COMPILER_CALLS(X)
#undef X

struct symbol {
    const char *name;
    void *address;
};

static const struct symbol symbols[] = {
#define X(f) {#f, (void *)(uintptr_t)f},
    LW_COMPILER_CALLS(X) LW_LIBRARY_CALLS(X)
#undef X
};

#define SYMBOL_COUNT (sizeof symbols / sizeof symbols[0])

struct lw_jit {
    LLVMOrcLLJITRef lljit;              /* never disposed of: code may run until the process ends */
    LLVMOrcExecutionSessionRef session; /* the LLJIT's */
    LLVMOrcJITDylibRef code;            /* the session's */
    pthread_mutex_t lock;
    char reported[600]; /* the session's last error, under `lock` */
};

/* Consumes `failed`. */
static bool
fail_with(lw_error *error, const char *what, LLVMErrorRef failed)
{
    char *message = LLVMGetErrorMessage(failed);

    lw_jit_fail(error, LW_INTERNAL, "%s: %s", what, message);
    LLVMDisposeErrorMessage(message);
    return false;
}

/* ---- creation ---- */

static LLVMOrcObjectLayerRef
create_layer(void *data, LLVMOrcExecutionSessionRef session, const char *triple)
{
    LLVMOrcObjectLayerRef layer = NULL;

    (void)triple;
    LLVMErrorRef failed = LLVMOrcCreateObjectLinkingLayerWithInProcessMemoryManager(&layer, session);
    if (!failed)
        return layer; /* the LLJIT's */
    fail_with(data, "cannot create the linking layer", failed);
    return NULL;
}

/* Session errors would go to stderr; the caller's error takes them up instead. Takes `failed` over. */
static void
take_report(void *data, LLVMErrorRef failed)
{
    struct lw_jit *jit = data;
    char *message = LLVMGetErrorMessage(failed);

    pthread_mutex_lock(&jit->lock);
    snprintf(jit->reported, sizeof jit->reported, "%s", message);
    pthread_mutex_unlock(&jit->lock);
    LLVMDisposeErrorMessage(message);
}

static bool
define_symbols(struct lw_jit *jit, lw_error *error)
{
    LLVMOrcCSymbolMapPair pairs[SYMBOL_COUNT];

    for (size_t k = 0; k < SYMBOL_COUNT; k++) {
        /* The map takes the reference to the name over. */
        pairs[k].Name = LLVMOrcLLJITMangleAndIntern(jit->lljit, symbols[k].name);
        pairs[k].Sym.Address = (uintptr_t)symbols[k].address;
        pairs[k].Sym.Flags =
            (LLVMJITSymbolFlags){LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0};
    }
    LLVMOrcMaterializationUnitRef unit = LLVMOrcAbsoluteSymbols(pairs, SYMBOL_COUNT);
    LLVMErrorRef failed = LLVMOrcJITDylibDefine(jit->code, unit);
    if (!failed)
        return true; /* the unit is the JITDylib's now */
    LLVMOrcDisposeMaterializationUnit(unit);
    return fail_with(error, "cannot define the library calls", failed);
}

static bool
fill_jit(struct lw_jit *jit, lw_error *error)
{
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    lw_error layer = {0};

    LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator(builder, create_layer, &layer);
    LLVMErrorRef failed = LLVMOrcCreateLLJIT(&jit->lljit, builder); /* takes the builder over */
    if (failed)
        return fail_with(error, "cannot create the JIT", failed);
    jit->session = LLVMOrcLLJITGetExecutionSession(jit->lljit);
    LLVMOrcExecutionSessionSetErrorReporter(jit->session, take_report, jit);
    jit->code = LLVMOrcExecutionSessionCreateBareJITDylib(jit->session, "lanewise");
    return define_symbols(jit, error);
}

struct lw_jit *
lw_jit_get(lw_error *error)
{
    /* The one thing that the process has once: linked code lives as long as any of its users. */
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct lw_jit *the;

    pthread_mutex_lock(&lock);
    if (!the) {
        lw_error target_error = {0};
        LLVMTargetMachineRef machine =
            lw_target_create(LW_ISA_SSE42, LW_EFFORT_LESS, &target_error); /* initializes */
        LLVMDisposeTargetMachine(machine);
        struct lw_jit *jit = calloc(1, sizeof *jit);
        if (!jit) {
            lw_jit_fail(error, LW_OUT_OF_MEMORY, "no memory for the JIT");
        } else if (pthread_mutex_init(&jit->lock, NULL) != 0 || !fill_jit(jit, error)) {
            if (jit->lljit)
                LLVMConsumeError(LLVMOrcDisposeLLJIT(jit->lljit));
            free(jit);
        } else {
            the = jit;
        }
    }
    struct lw_jit *jit = the;
    pthread_mutex_unlock(&lock);
    return jit;
}

bool
lw_jit_knows(const char *symbol)
{
    for (size_t k = 0; k < SYMBOL_COUNT; k++)
        if (strcmp(symbols[k].name, symbol) == 0)
            return true;
    return false;
}

/* ---- code ---- */

struct lookup {
    sem_t ready;
    uintptr_t address;
    LLVMErrorRef failed;
};

/* May be called on any thread. `failed` is ours. */
static void
take_address(LLVMErrorRef failed, LLVMOrcCSymbolMapPairs found, size_t count, void *data)
{
    struct lookup *l = data;

    l->failed = failed;
    l->address = !failed && count ? (uintptr_t)found[0].Sym.Address : 0;
    sem_post(&l->ready);
}

static void *
find_address(struct lw_jit *jit, const char *symbol, lw_error *error)
{
    struct lookup l = {.address = 0};
    LLVMOrcCJITDylibSearchOrderElement order = {jit->code, LLVMOrcJITDylibLookupFlagsMatchAllSymbols};
    /* The lookup takes the reference to the name over. */
    LLVMOrcCLookupSetElement wanted = {LLVMOrcLLJITMangleAndIntern(jit->lljit, symbol),
                                       LLVMOrcSymbolLookupFlagsRequiredSymbol};

    sem_init(&l.ready, 0, 0);
    LLVMOrcExecutionSessionLookup(jit->session, LLVMOrcLookupKindStatic, &order, 1, &wanted, 1, take_address,
                                  &l);
    while (sem_wait(&l.ready) != 0)
        ; /* interrupted by a signal */
    sem_destroy(&l.ready);
    if (!l.failed)
        return (void *)l.address; /* NOLINT */
    fail_with(error, "cannot link the code", l.failed);
    pthread_mutex_lock(&jit->lock);
    size_t n = strlen(error->text);
    snprintf(error->text + n, sizeof error->text - n, "; %s", jit->reported);
    pthread_mutex_unlock(&jit->lock);
    return NULL;
}

void *
lw_jit_add(struct lw_jit *jit, LLVMMemoryBufferRef object, const char *symbol, void **tracker,
           lw_error *error)
{
    LLVMOrcResourceTrackerRef t = LLVMOrcJITDylibCreateResourceTracker(jit->code);
    LLVMErrorRef failed = LLVMOrcLLJITAddObjectFileWithRT(jit->lljit, t, object); /* takes `object` over */
    void *address = NULL;

    if (failed)
        fail_with(error, "cannot add the code", failed);
    else
        address = find_address(jit, symbol, error);
    if (!address) {
        lw_jit_remove(jit, t);
        return NULL;
    }
    *tracker = t;
    return address;
}

void
lw_jit_remove(struct lw_jit *jit, void *tracker)
{
    (void)jit;
    LLVMErrorRef failed = LLVMOrcResourceTrackerRemove(tracker);
    if (failed)
        LLVMConsumeError(failed); /* what could not be removed stays, unused */
    LLVMOrcReleaseResourceTracker(tracker);
}
