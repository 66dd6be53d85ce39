/* SPDX-License-Identifier: MIT */
/* See page.h. */
#include "page.h"

const char lw_page_style[] =
    ":root{color-scheme:light dark;--page:#f7f7f5;--card:#fff;--ink:#15181c;--soft:#5b626b;--faint:#8a9099;\n"
    "--line:#e3e4e2;--grid:#ecedea;--c0:#2a78d6;--c1:#e0762a;--c2:#1a9c74;--c3:#8256c8;--c4:#c2408c;\n"
    "--hand:#6a717a;--good:#18794e;--bad:#c62f2f;--band:#f1f2ef}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#121416;--card:#1a1d20;--ink:#eceef0;--soft:#a7aeb6;\n"
    "--faint:#7d858e;--line:#2c3135;--grid:#262a2e;--c0:#5b9df0;--c1:#f0934e;--c2:#3dbd93;--c3:#a685e2;\n"
    "--c4:#e072b1;--hand:#9aa2ab;--good:#4cc38a;--bad:#f2777a;--band:#202428}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--ink);\n"
    "font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif}\n"
    "main{max-width:1120px;margin:0 auto;padding:32px 24px 64px}\n"
    "h1{font-size:26px;margin:0;letter-spacing:-.01em}h2{font-size:18px;margin:40px 0 4px}\n"
    "p{margin:4px 0 12px;color:var(--soft);max-width:78ch}\n"
    "code,pre{font:13px/1.5 ui-monospace,'DejaVu Sans Mono',Menlo,monospace}\n"
    "code{color:var(--ink);overflow-wrap:anywhere}a{color:var(--c0)}\n"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:18px 20px;\n"
    "margin-top:12px;overflow-x:auto}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:6px 18px;font-size:13px;color:var(--soft);margin:0 0 10px}\n"
    ".legend i{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:6px;\n"
    "vertical-align:-1px}\n";

const char *
lw_page_entity(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return (unsigned char)c >= 32 || c == '\n' || c == '\t' ? NULL : "";
    }
}

void
lw_page_text(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length && text[i]; i++) {
        const char *entity = lw_page_entity(text[i]);
        if (entity)
            fputs(entity, out);
        else
            fputc(text[i], out);
    }
}
