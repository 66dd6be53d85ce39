/* SPDX-License-Identifier: MIT */
/* What the processor and the operating system run, asked of CPUID itself: __builtin_cpu_supports knows the
 * processors of some vendors only. */
#include "../objects.h"

#include <cpuid.h>

#include <string.h>

#define ALL(value, bits) (((value) & (bits)) == (bits))

#define V2_ECX (bit_SSE3 | bit_SSSE3 | bit_CMPXCHG16B | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT)
#define V3_ECX (bit_AVX | bit_F16C | bit_FMA | bit_MOVBE | bit_OSXSAVE)
#define V3_EBX7 (bit_AVX2 | bit_BMI | bit_BMI2)
#define V4_EBX7 (bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL)
#define VBMI_EBX7 bit_AVX512IFMA
#define VBMI_ECX7                                                                                            \
    (bit_AVX512VBMI | bit_AVX512VBMI2 | bit_AVX512BITALG | bit_AVX512VPOPCNTDQ | bit_AVX512VNNI | bit_GFNI)
#define FP16_EDX7 (1u << 23)

/* What the operating system saves, XCR0: XMM and YMM; mask registers and both parts of ZMM. */
#define SAVED_YMM 0x06u
#define SAVED_ZMM 0xe0u

static unsigned
saved_registers(void)
{
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* The psABI levels are what jit/target.c generates code for: v4 is AVX-512 F, BW, CD, DQ and VL, v3 is AVX2
 * with FMA, BMI and F16C, v2 is SSE4.2 with POPCNT. Above v4 is what came with VBMI, and arithmetic in half.
 */
lw_isa
lw_isa_host(void)
{
    unsigned eax, ebx, ecx, edx, ebx7 = 0, ecx7 = 0, edx7 = 0, extended = 0, saved;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !ALL(ecx, V2_ECX))
        return LW_ISA_AUTO;
    const unsigned basic = ecx;
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
        ebx7 = ebx;
        ecx7 = ecx;
        edx7 = edx;
    }
    if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx))
        extended = ecx;
    if (!ALL(extended, bit_LAHF_LM))
        return LW_ISA_AUTO;
    if (!ALL(basic, V3_ECX) || !ALL(ebx7, V3_EBX7) || !ALL(extended, bit_ABM))
        return LW_ISA_SSE42;
    saved = saved_registers();
    if (!ALL(saved, SAVED_YMM))
        return LW_ISA_SSE42;
    if (!ALL(ebx7, V4_EBX7) || !ALL(saved, SAVED_ZMM))
        return LW_ISA_AVX2;
    if (!ALL(ebx7, VBMI_EBX7) || !ALL(ecx7, VBMI_ECX7))
        return LW_ISA_AVX512;
    return ALL(edx7, FP16_EDX7) ? LW_ISA_AVX512_FP16 : LW_ISA_AVX512_VBMI;
}

/* Those of AMD, and of Hygon, who build them: 1.3 to 2.7 times the time of single loads on a Zen 5. */
bool
lw_host_gathers_slowly(void)
{
    unsigned most, vendor[3];
    if (!__get_cpuid(0, &most, &vendor[0], &vendor[2], &vendor[1]))
        return false;
    return memcmp(vendor, "AuthenticAMD", sizeof vendor) == 0 ||
           memcmp(vendor, "HygonGenuine", sizeof vendor) == 0;
}
