/* SPDX-License-Identifier: MIT */
/* Sub-group functions written by hand: eight lanes, what the widener leaves. Each is
 *   (out, in: global i64*; loc: local i64*; stride: i64, k: i32), work-item l of work-group g writes
 *   out[g * stride + l]. */
#ifndef LW_TESTS_WORKGROUP_KERNELS_H
#define LW_TESTS_WORKGROUP_KERNELS_H

#define DECLARATIONS                                                                                         \
    "declare i64 @lw.global_size(i32)\ndeclare i64 @lw.local_size(i32)\ndeclare i64 @lw.group_id(i32)\n"     \
    "declare i64 @lw.num_groups(i32)\ndeclare i64 @lw.group_base(i32)\ndeclare i64 @lw.work_dim()\n"         \
    "declare i64 @lw.sub_group_size()\ndeclare i64 @lw.num_sub_groups()\ndeclare i64 @lw.sub_group_id()\n"   \
    "declare i64 @lw.enqueued_num_sub_groups()\ndeclare i64 @lw.enqueued_local_size(i32)\n"                  \
    "declare <8 x i1> @lw.entry_mask()\ndeclare <8 x i64> @lw.local_ids(i32)\n"                              \
    "declare ptr @lw.group_scratch(i32, i32)\ndeclare i1 @lw.sub_group_first()\n"                            \
    "declare i1 @lw.sub_group_last()\ndeclare void @lw.wg.barrier()\n"                                       \
    "declare void @llvm.masked.store.v8i64.p1(<8 x i64>, ptr addrspace(1), <8 x i1>)\n"                      \
    "declare void @llvm.masked.scatter.v8i64.v8p3(<8 x i64>, <8 x ptr addrspace(3)>, <8 x i1>)\n"            \
    "declare <8 x i64> @llvm.masked.gather.v8i64.v8p3(<8 x ptr addrspace(3)>, <8 x i1>, <8 x i64>)\n"

#define SPLAT(name, value)                                                                                   \
    "%" name ".one = insertelement <8 x i64> poison, i64 " value ", i64 0\n"                                 \
    "%" name " = shufflevector <8 x i64> %" name ".one, <8 x i64> poison, <8 x i32> zeroinitializer\n"

/* %mask, %lin: linear local ids, %n, %ns: work-items, %place: where the results go. */
#define BEGIN                                                                                                \
    DECLARATIONS "define void @lw.subgroup(ptr addrspace(1) %out, ptr addrspace(1) %in, ptr addrspace(3) " \
                 "%loc, " \
                 "i64 %stride, i32 %k) {\nentry:\n"                                                          \
                 "%mask = call <8 x i1> @lw.entry_mask()\n%sg = call i64 @lw.sub_group_id()\n"               \
                 "%sg8 = shl i64 %sg, 3\n" SPLAT("sgs", "%sg8")                                              \
                 "%lin = add <8 x i64> %sgs, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>\n"     \
                 "%n0 = call i64 @lw.local_size(i32 0)\n%n1 = call i64 @lw.local_size(i32 1)\n"              \
                 "%n2 = call i64 @lw.local_size(i32 2)\n%n01 = mul i64 %n0, %n1\n%n = mul i64 %n01, %n2\n"   \
                 SPLAT("ns", "%n")                                                                           \
                 "%g0 = call i64 @lw.group_id(i32 0)\n%g1 = call i64 @lw.group_id(i32 1)\n"                  \
                 "%g2 = call i64 @lw.group_id(i32 2)\n%m0 = call i64 @lw.num_groups(i32 0)\n"                \
                 "%m1 = call i64 @lw.num_groups(i32 1)\n%ga = mul i64 %g2, %m1\n%gb = add i64 %ga, %g1\n"    \
                 "%gc = mul i64 %gb, %m0\n%g = add i64 %gc, %g0\n%at = mul i64 %g, %stride\n" \
                 "%start = add i64 %at, %sg8\n" \
                 "%place = getelementptr i64, ptr addrspace(1) %out, i64 %start\n"                           \
                 "%mine = getelementptr i64, ptr addrspace(3) %loc, <8 x i64> %lin\n"

#define END(result)                                                                                          \
    "call void @llvm.masked.store.v8i64.p1(<8 x i64> " result ", ptr addrspace(1) align 8 %place, <8 x " \
                                                              "i1> %mask)\n" \
    "ret void\n}\n"

#define PUT(value)                                                                                           \
    "call void @llvm.masked.scatter.v8i64.v8p3(<8 x i64> " value                                             \
    ", <8 x ptr addrspace(3)> align 8 %mine, <8 x i1> %mask)\n"
/* Local memory at `index` modulo the number of work-items. */
#define GET(name, index)                                                                                     \
    "%" name ".m = urem <8 x i64> " index ", %ns\n"                                                          \
    "%" name ".p = getelementptr i64, ptr addrspace(3) %loc, <8 x i64> %" name ".m\n"                        \
    "%" name " = call <8 x i64> @llvm.masked.gather.v8i64.v8p3(<8 x ptr addrspace(3)> align 8 " \
             "%" name ".p, <8 x i1> %mask, " \
    "<8 x i64> zeroinitializer)\n"
#define BARRIER "call void @lw.wg.barrier()\n"
#define LANES(x) "<i64 " x ", i64 " x ", i64 " x ", i64 " x ", i64 " x ", i64 " x ", i64 " x ", i64 " x ">"

/* Every query, weighted. */
static const char ids_kernel[] =
    BEGIN
    "%l0 = call <8 x i64> @lw.local_ids(i32 0)\n%l1 = call <8 x i64> @lw.local_ids(i32 1)\n"
    "%l2 = call <8 x i64> @lw.local_ids(i32 2)\n"
    "%w1 = mul <8 x i64> %l1, " LANES("100") "\n%w2 = mul <8 x i64> %l2, " LANES("10000") "\n"
    "%v1 = add <8 x i64> %l0, %w1\n%v2 = add <8 x i64> %v1, %w2\n"
    "%q0 = call i64 @lw.num_sub_groups()\n%x0 = mul i64 %q0, 11\n"
    "%q1 = call i64 @lw.enqueued_num_sub_groups()\n%x1 = mul i64 %q1, 13\n"
    "%q2 = call i64 @lw.sub_group_size()\n%x2 = mul i64 %q2, 17\n"
    "%q3 = call i64 @lw.group_base(i32 0)\n%x3 = mul i64 %q3, 19\n"
    "%q4 = call i64 @lw.group_base(i32 1)\n%x4 = mul i64 %q4, 23\n"
    "%q5 = call i64 @lw.global_size(i32 0)\n%x5 = mul i64 %q5, 29\n"
    "%f = call i1 @lw.sub_group_first()\n%q6 = zext i1 %f to i64\n%x6 = mul i64 %q6, 31\n"
    "%e = call i1 @lw.sub_group_last()\n%q7 = zext i1 %e to i64\n%x7 = mul i64 %q7, 37\n"
    "%q8 = call i64 @lw.work_dim()\n%x8 = mul i64 %q8, 41\n%x9 = zext i32 %k to i64\n"
    "%q10 = call i64 @lw.enqueued_local_size(i32 1)\n%x10 = mul i64 %q10, 43\n"
    "%s0 = add i64 %x0, %x1\n%s1 = add i64 %s0, %x2\n%s2 = add i64 %s1, %x3\n%s3 = add i64 %s2, %x4\n"
    "%s4 = add i64 %s3, %x5\n%s5 = add i64 %s4, %x6\n%s6 = add i64 %s5, %x7\n%s7 = add i64 %s6, %x8\n"
    "%s8 = add i64 %s7, %x9\n%s9 = add i64 %s8, %x10\n%s10 = mul i64 %s9, 1000000\n" SPLAT("ss", "%s10")
    "%r = add <8 x i64> %v2, %ss\n" END("%r");

/* loc[l] = 5 l + k; barrier; out = loc[n - 1 - l] */
static const char reverse_kernel[] =
    BEGIN "%kk = zext i32 %k to i64\n" SPLAT("ks", "%kk")
    "%five = mul <8 x i64> %lin, " LANES("5") "\n%x = add <8 x i64> %five, %ks\n" PUT("%x") BARRIER
    "%b = sub <8 x i64> %ns, %lin\n%c = sub <8 x i64> %b, " LANES("1") "\n" GET("y", "%c") END("%y");

/* for i < k: loc[l] = acc + i; barrier; acc = 3 acc + loc[l + 1]; barrier */
static const char loop_kernel[] =
    BEGIN "br label %head\nhead:\n"
    "%i = phi i32 [0, %entry], [%i1, %body]\n%acc = phi <8 x i64> [%lin, %entry], [%acc1, %body]\n"
    "%go = icmp ult i32 %i, %k\nbr i1 %go, label %body, label %done\nbody:\n"
    "%iw = zext i32 %i to i64\n" SPLAT("is", "%iw") "%x = add <8 x i64> %acc, %is\n" PUT("%x") BARRIER
    "%l1 = add <8 x i64> %lin, " LANES("1") "\n" GET("y", "%l1")
    "%t = mul <8 x i64> %acc, " LANES("3") "\n%acc1 = add <8 x i64> %t, %y\n" BARRIER
    "%i1 = add i32 %i, 1\nbr label %head\ndone:\n" END("%acc");

/* The condition is loaded: in[i] is 0: stop, 1, 2. A join reached from two barriers; a counter that is equal
 * over the work-group, a mask and a bit that live across. */
static const char flag_kernel[] =
    BEGIN "br label %head\nhead:\n"
    "%i = phi i64 [0, %entry], [%i1, %join]\n%ones = phi i64 [0, %entry], [%ones1, %join]\n"
    "%acc = phi <8 x i64> [%lin, %entry], [%acc3, %join]\n"
    "%fp = getelementptr i64, ptr addrspace(1) %in, i64 %i\n%flag = load i64, ptr addrspace(1) %fp\n"
    "%odd = icmp ult <8 x i64> %acc, " LANES("40") "\n%high = icmp ugt i64 %flag, 1\n"
    "switch i64 %flag, label %two [i64 0, label %done\n i64 1, label %one]\n"
    "one:\n" PUT("%acc") BARRIER "%b = sub <8 x i64> %ns, %lin\n"
                                 "%c = sub <8 x i64> %b, " LANES("1") "\n" GET("y", "%c")
    "%a1 = add <8 x i64> %acc, %y\n%up = add i64 %ones, 1\nbr label %join\n"
    "two:\n%a2 = mul <8 x i64> %acc, " LANES("3") "\n" BARRIER "%a2b = add <8 x i64> %a2, "
                                                               "" LANES("1") "\nbr label %join\n"
    "join:\n%acc1 = phi <8 x i64> [%a1, %one], [%a2b, %two]\n%ones1 = phi i64 [%up, %one], [%ones, %two]\n"
    "%add = select <8 x i1> %odd, <8 x i64> " LANES("7") ", <8 x i64> zeroinitializer\n"
    "%acc2 = add <8 x i64> %acc1, %add\n%hz = zext i1 %high to i64\n" SPLAT("hs", "%hz")
    "%acc3 = add <8 x i64> %acc2, %hs\n" BARRIER "%i1 = add i64 %i, 1\nbr label %head\n"
    "done:\n%t = mul i64 %ones, 1000000007\n" SPLAT("ts", "%t") "%r = add <8 x i64> %acc, %ts\n" END("%r");

/* An array that lives across barriers in a loop, and a big one of one region. */
static const char private_kernel[] =
    BEGIN "%array = alloca [4 x <8 x i64>], align 64\n%big = alloca [400 x <8 x i64>], align 64\n"
    "%in0 = load i64, ptr addrspace(1) %in\n%slot = urem i64 %in0, 400\n"
    "%bp = getelementptr [400 x <8 x i64>], ptr %big, i64 0, i64 %slot\nstore <8 x i64> %lin, ptr %bp\n"
    "%slot2 = add i64 %slot, 1\n%bq = getelementptr [400 x <8 x i64>], ptr %big, i64 0, i64 %slot2\n"
    "store volatile <8 x i64> " LANES("9") ", ptr %bq\n%first = load volatile <8 x i64>, ptr %bp\n"
    "br label %fill\nfill:\n%f = phi i64 [0, %entry], [%f1, %fill]\n"
    "%fp = getelementptr [4 x <8 x i64>], ptr %array, i64 0, i64 %f\n" SPLAT("fs", "%f")
    "%fv = add <8 x i64> %first, %fs\nstore <8 x i64> %fv, ptr %fp\n%f1 = add i64 %f, 1\n"
    "%fg = icmp ult i64 %f1, 4\nbr i1 %fg, label %fill, label %head\n"
    "head:\n%i = phi i32 [0, %fill], [%i1, %body]\n%go = icmp ult i32 %i, %k\n"
    "br i1 %go, label %body, label %done\n"
    "body:\n%iq = and i32 %i, 3\n%iw = zext i32 %iq to i64\n"
    "%ap = getelementptr [4 x <8 x i64>], ptr %array, i64 0, i64 %iw\n%a = load <8 x i64>, ptr %ap\n"
    "" PUT("%a") BARRIER
    "%l1 = add <8 x i64> %lin, " LANES("2") "\n" GET("y", "%l1")
    "%t = mul <8 x i64> %y, " LANES("3") "\n%o = load <8 x i64>, ptr %ap\n%s = add <8 x i64> %t, %o\n"
    "store <8 x i64> %s, ptr %ap\n" BARRIER "%i1 = add i32 %i, 1\nbr label %head\n"
    "done:\n%p1 = getelementptr <8 x i64>, ptr %array, i64 1\n"
    "%p3 = getelementptr <8 x i64>, ptr %array, i64 3\n"
    "%r0 = load <8 x i64>, ptr %array\n%r1 = load <8 x i64>, ptr %p1\n%r3 = load <8 x i64>, ptr %p3\n"
    "%r01 = add <8 x i64> %r0, %r1\n%r = add <8 x i64> %r01, %r3\n" END("%r");

/* The sub-groups in order, through the work-group's memory: out = l + 100 * (total seen so far) + 10000 *
 * total */
static const char scratch_kernel[] =
    BEGIN "%c = call ptr @lw.group_scratch(i32 1, i32 8)\n%d = call ptr @lw.group_scratch(i32 0, i32 64)\n"
    "%first = call i1 @lw.sub_group_first()\nbr i1 %first, label %clear, label %go\n"
    "clear:\nstore i64 0, ptr %c\nstore i64 5, ptr %d\nbr label %go\n"
    "go:\n%seen = load i64, ptr %c\n%size = call i64 @lw.sub_group_size()\n%now = add i64 %seen, %size\n"
    "store i64 %now, ptr %c\n" BARRIER "%all = load i64, ptr %c\n%five = load i64, ptr %d\n"
    "%a = mul i64 %seen, 100\n%b = mul i64 %all, 10000\n%ab = add i64 %a, %b\n%abc = add i64 %ab, %five\n"
    "" SPLAT("s", "%abc")
    "%r = add <8 x i64> %lin, %s\n" END("%r");

/* A phi in a cut whose edges are chosen differently by the sub-groups: equal operands are not enough. */
static const char split_kernel[] =
    BEGIN "%c = icmp eq i32 %k, 3\nbr i1 %c, label %left, label %right\n"
    "left:\n" BARRIER "%z = icmp eq i64 %sg, 0\nbr i1 %z, label %join, label %other\nother:\nbr label %join\n"
    "right:\n" BARRIER "br label %join\n"
    "join:\n%x = phi i64 [1, %left], [2, %other], [3, %right]\n" SPLAT("xs", "%x")
    BARRIER "%r = add <8 x i64> %lin, %xs\n" END("%r");

/* loc[l] = l + 5; barrier; x = loc[0]; barrier; loc[l] = l; barrier; out = l + x. The first load may be seen
 * to be equal over the work-group; behind a fence it may not. */
#define SHARED(before)                                                                                       \
    BEGIN "%five = add <8 x i64> %lin, " LANES("5") "\n" PUT("%five") BARRIER                                \
    before "%x = load i64, ptr addrspace(3) %loc\n" BARRIER PUT("%lin") BARRIER                  \
    SPLAT("xs", "%x") GET("z", "%lin") "%zx = add <8 x i64> %z, %xs\n" END("%zx")
static const char shared_kernel[] = SHARED("");
static const char fenced_kernel[] = SHARED("fence seq_cst\n");

#endif
