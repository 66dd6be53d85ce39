/* SPDX-License-Identifier: MIT */
/* Objects that the loader must refuse, one for each macro. */
int entry(int x);

#ifdef CALL
int system(const char *command);
int
entry(int x)
{
    return x + system("true");
}
#endif
#ifdef TLS
static _Thread_local int count = 3;
int
entry(int x)
{
    return x + count++;
}
#endif
#ifdef WX
__asm__(".section .both,\"awx\",@progbits\n.byte 0xc3\n.text");
int
entry(int x)
{
    return x;
}
#endif
#ifdef ABSOLUTE
static int table[4];
int
entry(int x) /* compiled without -fPIC: 32-bit absolute addresses */
{
    return table[x & 3]++;
}
#endif
