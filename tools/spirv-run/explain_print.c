/* SPDX-License-Identifier: MIT */
/* --explain: the vectorizer's report (docs/explain.md) as text, beside the source lines where they are found.
 */
#include <stdlib.h>
#include <string.h>
#include "spirv/text.h"
#include "src/compiler/report_text.h"
#include "cli.h"

char *
cli_explain_source(const void *data, const char *file)
{
    const struct cli *cli = data;
    if (!strcmp(file, "<spirv>"))
        return lw_text_disassemble((const uint32_t *)(const void *)cli->module, cli->module_size / 4);
    return lw_report_read_file(file);
}

void
cli_explain_print(struct cli *cli, const char *report)
{
    struct json_object *document = lw_json_read(report, NULL, 0);

    if (!document)
        return;
    fprintf(cli->text, "kernel %s as %.0f lanes of %s, sub-group size %u\n", cli->info.name,
            lw_json_get_number(document, "/lanes"), lw_json_get_text(document, "/isa"),
            lw_kernel_sub_group_size(cli->kernel));
    lw_report_print(cli->text, report, cli_explain_source, cli);
    json_object_put(document);
}
