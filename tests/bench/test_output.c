/* SPDX-License-Identifier: MIT */
/* The parts of lanewise-bench behind the data: statistics, JSON, plots, messages, sub-group sizes in modules,
 * the command line. */
#include <check.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "message.h"
#include "options.h"
#include "plot.h"
#include "spirv_patch.h"
#include "statistics.h"
#include "tools/shared/json.h"
#include "units.h"

static char error[1024];

/* ---- Statistics ---- */

START_TEST(statistics)
{
    double values[] = {5, 1, 4, 2, 3}, even[] = {4, 1, 3, 2};
    double a[] = {1, 2, NAN, 4}, b[] = {2, 8, 3, NAN};
    struct geometric geometric = {0};
    struct ratio ratio = statistics_ratio(a, b, 4);

    ck_assert(statistics_median(values, 5) == 3 && statistics_median(even, 4) == 2.5);
    ck_assert(statistics_percentile(values, 5, 0) == 1 && statistics_percentile(values, 5, 100) == 5);
    ck_assert(fabs(statistics_percentile(values, 5, 10) - 1.4) < 1e-12);
    ck_assert(values[0] == 5); /* left as it was */
    ck_assert(isnan(statistics_median(values, 0)));
    ck_assert(ratio.median == 3 && fabs(ratio.low - 2.2) < 1e-12);
    geometric_add(&geometric, 2, 7);
    geometric_add(&geometric, 8, 8);
    geometric_add(&geometric, NAN, 9);
    geometric_add(&geometric, 0, 10);
    ck_assert(fabs(geometric_mean(&geometric) - 4) < 1e-12 && geometric.count == 2);
    ck_assert(geometric.least == 2 && geometric.least_at == 7 && geometric.most == 8 &&
              geometric.most_at == 8);
    geometric = (struct geometric){0};
    ck_assert(isnan(geometric_mean(&geometric)));
}
END_TEST

/* ---- JSON, SVG, messages ---- */

START_TEST(json)
{
    struct lw_json writer = {0};
    struct json_object *read;

    lw_json_text(&writer, "nothing has begun", "and nothing is written");
    lw_json_open(&writer, NULL, '{');
    ck_assert_ptr_null(lw_json_written(&writer, true));
    lw_json_begin(&writer);
    lw_json_text(&writer, "quote \"\\\n\t\x01", "line\nbreak \xe9 \xc3\xa9 \xed\xa0\x80 \xe2\x82");
    lw_json_number(&writer, "x", 1.25e-7);
    lw_json_number(&writer, "nan", NAN);
    lw_json_open(&writer, "list", '[');
    lw_json_integer(&writer, NULL, -3);
    lw_json_bool(&writer, NULL, true);
    lw_json_text(&writer, NULL, NULL);
    lw_json_open(&writer, NULL, '{');
    lw_json_close(&writer);
    lw_json_close(&writer);
    lw_json_unsigned(&writer, "most", UINT64_MAX);
    lw_json_spelt(&writer, "spelt", "1.50");
    lw_json_close(&writer);
    ck_assert_ptr_nonnull(strstr(lw_json_written(&writer, false),
                                 "\"most\":18446744073709551615,\"spelt\":1.50}"));
    for (int lines = 0; lines < 2; lines++) {
        char *text = text_copy(lw_json_written(&writer, lines));

        read = lw_json_read(text, error, sizeof error);
        ck_assert_msg(read != NULL, "%s: %s", error, text);
        ck_assert_str_eq(lw_json_get_text(read, "/quote \"\\\n\t\x01"),
                         "line\nbreak \xc3\xa9 \xc3\xa9 \xc3\xad\xc2\xa0\xc2\x80 \xc3\xa2\xc2\x82");
        ck_assert(lw_json_get_number(read, "/x") == 1.25e-7 && isnan(lw_json_get_number(read, "/nan")));
        ck_assert_uint_eq(lw_json_count(lw_json_get(read, "/list")), 4);
        ck_assert(lw_json_get_number(read, "/list/0") == -3);
        ck_assert(isnan(lw_json_get_number(read, "/list/x")) && !*lw_json_get_text(read, "/no/such/thing"));
        json_object_put(read);
        /* any prefix is refused, not read beyond */
        for (size_t length = 0; length < strlen(text); length++) {
            char *cut = text_make("%.*s", (int)length, text);

            ck_assert_ptr_null(lw_json_read(cut, error, sizeof error));
            free(cut);
        }
        free(text);
    }
    lw_json_free(&writer);
    ck_assert_ptr_null(lw_json_read("{\"a\": tru}", error, sizeof error));
    ck_assert_ptr_null(lw_json_read("[1,\n2,]", error, sizeof error));
    ck_assert_ptr_nonnull(strstr(error, "line 2"));
    ck_assert_ptr_null(lw_json_read("{\"a\": 1} 2", error, sizeof error));
    ck_assert_ptr_null(lw_json_read("\"\\u12g4\"", error, sizeof error));
    ck_assert_ptr_null(lw_json_read("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
                                    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
                                    error, sizeof error));
}
END_TEST

START_TEST(plots)
{
    struct plot_axis linear = {0, 10, 100, 200, false}, logarithmic = {0.5, 8, 0, 400, true};
    struct text text = {0};

    ck_assert(plot_at(&linear, 5) == 150 && plot_at(&linear, 20) == 200 && plot_at(&linear, -3) == 100);
    ck_assert(fabs(plot_at(&logarithmic, 2) - 200) < 1e-9 && plot_inside(&logarithmic, 8) &&
              !plot_inside(&linear, 11));
    html_text(&text, "<a b=\"c\">&'\x01");
    ck_assert_str_eq(text.data, "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
    text_free(&text);
}
END_TEST

START_TEST(messages)
{
    int pair[2];
    struct text text;
    struct message message;
    char broken[] = {9, 0, 0, 0, 'x'};

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    message_begin(&text, "verb");
    message_put(&text, "log", "two\nlines \\ %s", "and = more");
    message_put(&text, "number", "%.3f", 1.5);
    ck_assert(message_send(pair[0], &text));
    ck_assert_int_eq(message_receive(pair[1], 5, &message), MESSAGE_HERE);
    ck_assert_str_eq(message.verb, "verb");
    ck_assert_str_eq(message_get(&message, "log"), "two\nlines \\ and = more");
    ck_assert(message_number(&message, "number") == 1.5 && !*message_get(&message, "none"));
    message_free(&message);
    ck_assert_int_eq(message_receive(pair[1], 0.02, &message), MESSAGE_LATE);
    ck_assert_int_eq(write(pair[0], broken, 5), 5);
    ck_assert_int_eq(message_receive(pair[1], 0.02, &message), MESSAGE_LATE);
    close(pair[0]);
    ck_assert_int_eq(message_receive(pair[1], 5, &message), MESSAGE_GONE);
    close(pair[1]);
}
END_TEST

/* Two kernels, one with a size of its own; capability and modes stand where the specification has them. */
START_TEST(sub_group_sizes)
{
    uint32_t words[] = {0x07230203,
                        0x10400,
                        0,
                        20,
                        0,
                        2 << 16 | 17,
                        6,
                        3 << 16 | 14,
                        2,
                        2,
                        4 << 16 | 15,
                        6,
                        7,
                        0,
                        4 << 16 | 15,
                        6,
                        8,
                        0,
                        4 << 16 | 16,
                        8,
                        35,
                        4,
                        3 << 16 | 16,
                        7,
                        31};
    size_t count = 0;
    uint32_t *made = spirv_demand_subgroup(words, sizeof words / 4, 32, &count);
    uint32_t wanted[] = {0x07230203,
                         0x10400,
                         0,
                         20,
                         0,
                         2 << 16 | 17,
                         6,
                         2 << 16 | 17,
                         58,
                         3 << 16 | 14,
                         2,
                         2,
                         4 << 16 | 15,
                         6,
                         7,
                         0,
                         4 << 16 | 15,
                         6,
                         8,
                         0,
                         4 << 16 | 16,
                         7,
                         35,
                         32,
                         4 << 16 | 16,
                         8,
                         35,
                         32,
                         3 << 16 | 16,
                         7,
                         31};

    ck_assert_ptr_nonnull(made);
    ck_assert_uint_eq(count, sizeof wanted / 4);
    ck_assert_mem_eq(made, wanted, sizeof wanted);
    free(made);
    words[5] = 0;
    ck_assert_ptr_null(spirv_demand_subgroup(words, sizeof words / 4, 32, &count));
    words[5] = 200u << 16 | 17;
    ck_assert_ptr_null(spirv_demand_subgroup(words, sizeof words / 4, 32, &count));
    words[0] = 1;
    ck_assert_ptr_null(spirv_demand_subgroup(words, sizeof words / 4, 32, &count));
}
END_TEST

START_TEST(command_lines)
{
    struct options options;
    char *good[] = {"x",   "--kernel", "a*",  "--kernel=b", "--size",    "4k", "--local",
                    "8x4", "--sweep",  "isa", "--quick",    "--threads", "3",  NULL};
    static char *const bad[][4] = {
        {"x", "--size", "none", NULL},      {"x", "--size", "0", NULL},
        {"x", "--local", "8x", NULL},       {"x", "--isa", "avx", NULL},
        {"x", "--sweep", "all", NULL},      {"x", "--time", "-1", NULL},
        {"x", "--nothing", NULL, NULL},     {"x", "--size", NULL, NULL},
        {"x", "triad", NULL, NULL},         {"x", "--rounds", "1001", NULL},
        {"x", "--no-built-in", NULL, NULL}, {"x", "--sub-group", "1e3", NULL},
    };

    ck_assert_msg(options_parse(&options, 13, good, error, sizeof error), "%s", error);
    ck_assert_str_eq(options.kernels, "a*,b");
    ck_assert(options.overrides.size == 4096 && options.overrides.local_dimensions == 2);
    ck_assert(options.overrides.local[1] == 4 && options.sweep == SWEEP_ISA && options.no_figures &&
              options.threads == 3);
    options_free(&options);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char *arguments[4] = {bad[i][0], bad[i][1], bad[i][2], NULL};

        optind = 0;
        error[0] = 0;
        ck_assert_msg(!options_parse(&options, arguments[2] ? 3 : 2, arguments, error, sizeof error), "%s %s",
                      bad[i][1], bad[i][2] ? bad[i][2] : "");
        ck_assert_uint_gt(strlen(error), 0);
        options_free(&options);
    }
}
END_TEST

void
add_output(TCase *tests)
{
    const TTest *const all[] = {statistics, json, plots, messages, sub_group_sizes, command_lines};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        tcase_add_test(tests, all[i]);
}
