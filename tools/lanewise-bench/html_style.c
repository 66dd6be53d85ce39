/* SPDX-License-Identifier: MIT */
/* The style sheet of the page. */
#include "html.h"
#include "tools/shared/page.h"

void
html_style(struct text *out)
{
    static const char *const lines[] = {
        ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:12px;margin-top:"
        "20px}",
        ".tile{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 18px}",
        ".tile b{display:block;font-size:30px;line-height:1.15;font-weight:650;letter-spacing:-.02em}",
        ".tile span{color:var(--soft);font-size:13px;display:block}.tile "
        ".sub{color:var(--faint);font-size:12px}",
        "svg{display:block;width:100%;height:auto;min-width:760px}svg text{font:12px "
        "system-ui,-apple-system,'Segoe UI',",
        "Roboto,'Noto Sans',sans-serif;fill:var(--ink)}",
        "svg .t-soft{fill:var(--soft)}svg .t-faint{fill:var(--faint);font-size:11px}svg "
        ".t-head{font-weight:650}",
        "svg .t-group{font-weight:650;fill:var(--soft)}svg .t-bad{fill:var(--bad);font-size:11px}",
        "svg .t-num{font-variant-numeric:tabular-nums;font-size:11px;fill:var(--soft)}",
        ".grid{stroke:var(--grid);stroke-width:1}.axis{stroke:var(--faint);stroke-width:1.25}",
        ".goal{stroke:var(--faint);stroke-width:1;stroke-dasharray:3 3}.band{fill:var(--band)}",
        ".c0{fill:var(--c0)}.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}",
        ".hand{fill:var(--hand)}.ring{stroke:var(--card);stroke-width:1.5}",
        "polyline{fill:none;stroke-width:2;stroke-linejoin:round}polyline.c0{stroke:var(--c0);fill:none}",
        "polyline.c1{stroke:var(--c1);fill:none}polyline.c2{stroke:var(--c2);fill:none}polyline.c3{stroke:"
        "var(--c3);",
        "fill:none}polyline.c4{stroke:var(--c4);fill:none}polyline.hand{stroke:var(--hand);stroke-dasharray:"
        "5 4;fill:none}",
        ".legend i.dot{border-radius:50%}",
        "i.c0{background:var(--c0)}i.c1{background:var(--c1)}i.c2{background:var(--c2)}i.c3{background:var(--"
        "c3)}",
        "i.c4{background:var(--c4)}i.hand{background:var(--hand)}",
        "table{border-collapse:collapse;width:100%;font-size:13px;font-variant-numeric:tabular-nums}",
        "th{font-weight:600;color:var(--soft);text-align:right;padding:4px 8px;border-bottom:1px solid "
        "var(--line);",
        "white-space:nowrap;vertical-align:bottom}td{text-align:right;padding:4px 8px;border-bottom:1px "
        "solid var(--grid);",
        "white-space:nowrap;vertical-align:top}th:first-child,td:first-child{text-align:left;padding-left:0}",
        "td.l,th.l{text-align:left}td.w{white-space:normal;text-align:left}tr.group "
        "td{color:var(--soft);font-weight:650;",
        "padding-top:14px;border-bottom-color:var(--line)}td "
        "small{color:var(--faint);display:block;font-size:12px}",
        "tr:last-child "
        "td{border-bottom:0}.good{color:var(--good);font-weight:600}.bad{color:var(--bad);font-weight:600}",
        ".doubt,.tile em{color:var(--faint);font-style:italic;text-decoration:underline dotted}",
        ".faint{color:var(--faint)}.small{display:grid;grid-template-columns:repeat(auto-fill,minmax(330px,"
        "1fr));gap:12px;",
        "margin-top:12px}.small .card{margin:0;padding:12px 14px}.small svg{min-width:0}",
        "details{margin:6px "
        "0}summary{cursor:pointer}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--band);",
        "border-radius:6px;padding:8px 12px;margin:6px 0}",
        "header .meta{color:var(--soft);margin-top:6px;font-size:14px}",
    };

    text_add(out, "<style>\n%s", lw_page_style);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        text_add(out, "%s\n", lines[i]);
    text_add(out, "</style>\n");
}
