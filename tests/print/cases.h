/* SPDX-License-Identifier: MIT */
/* Formats and arguments that OpenCL C's printf and C's print alike: read by the kernels and by the test.
 * CASE(number, format, arguments...); `x` is the work-item's id. */
CASE(0, "plain%% 100%%")
CASE(1, "[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.3d]", x, x, x, x, x, x, x)
CASE(2, "[%i] [%u] [%o] [%x] [%X] [%#x] [%#o]", -x, x + 100u, x + 100u, x + 250u, x + 250u, x + 250u,
     x + 250u)
CASE(3, "[%ld] [%lu] [%lx] [%li]", (LONG)x * 10000000000, (ULONG)x + 18446744073709551000u, (ULONG)x << 40,
     -(LONG)x)
CASE(4, "[%hd] [%hu] [%hhd] [%hhu] [%hx]", (short)(x * 20000), (unsigned short)(x * 20000),
     (signed char)(x * 60), (unsigned char)(x * 60), (unsigned short)(x * 20000))
CASE(5, "[%f] [%.2f] [%10.3f] [%-10.1f] [%+.0f] [%#.0f]", x * 1.5, x * 1.5, x * 1.5, x * 1.5, x * 1.5,
     x * 1.5)
CASE(6, "[%e] [%.3E] [%g] [%G] [%#g]", x * 1e10, x * 1e10, x * 1e10, x * 1e-10, x * 1.5)
CASE(7, "[%a] [%A] [%.2a] [%20a]", x * 0.1, x * 0.3, x * 0.7, x + 0.5)
CASE(8, "[%f] [%F] [%e] [%g] [%a]", INFINITY *(x - 2), -INFINITY *(x - 2.5), INFINITY * 1.0, -INFINITY * 1.0,
     INFINITY * 1.0)
CASE(9, "[%f] [%8.3f] [%g]", x * 0.25f, x * 0.25f, x * 1e20f)
CASE(10, "[%c] [%c%c] [%3c] [%-3c|]", 'a' + x, 'A' + x, '0' + x % 10, 'z', 'y')
CASE(11, "[%s] [%10s] [%-10s] [%.2s] [%s]", "text", "right", "left", "cut", x % 2 ? "odd" : "even")
CASE(12, "%d%d%s%c%f%ld", x, -x, "", '.', 0.0, (LONG)-1)
CASE(13, "[%.0d] [%.0f] [%5.0x] [%.10d]", 0, 0.5, 0, x)
CASE(14, "tab\t\"quoted\" \\ done %d", x)
CASE(15, "[%.20f] [%40.30e]", x * 0.1, x * 0.1)
CASE(16, "%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d", x, x + 1, x + 2, x + 3, x + 4, x + 5,
     x + 6, x + 7, x + 8, x + 9, x + 10, x + 11, x + 12, x + 13, x + 14, x + 15, x + 16, x + 17, x + 18,
     x + 19)
CASE(17, "[%300d]", x)
CASE(18, "[%*d] [%-*d] [%.*f]", 6, x, 4, x, x % 5, x * 0.5)
