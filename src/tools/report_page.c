// SPDX-License-Identifier: Apache-2.0
#include "tools/report_page.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/locale.h"
#include "tools/files.h"

void cr_page_put(cr_page* p, const char* format, ...) {
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  int n = cri_print_list(NULL, 0, format, list);
  va_end(list);
  size_t need = p->n + (size_t)(n > 0 ? n : 0) + 1;
  if (need > p->room && !p->failed) {
    char* larger = realloc(p->text, 2 * need);
    p->failed = larger == NULL;
    p->text = p->failed ? p->text : larger;
    p->room = p->failed ? p->room : 2 * need;
  }
  if (!p->failed && n > 0) {
    (void)cri_print_list(p->text + p->n, p->room - p->n, format, again);
    p->n += (size_t)n;
  }
  va_end(again);
}

void cr_page_escaped(cr_page* p, const char* text) {
  for (const char* c = text; *c != 0; c++) {
    if (*c == '<' || *c == '>' || *c == '&' || *c == '"') {
      cr_page_put(p, "&#%d;", *c);
    } else {
      cr_page_put(p, "%c", *c);
    }
  }
}

static const char style[] =
    "<style>body{font:15px "
    "sans-serif;max-width:900px;margin:2em auto;color:#222}table{border-collapse:collapse}td,th{"
    "padding:2px 12px 2px 0;text-align:left;border-bottom:1px solid "
    "#ddd}svg{width:100%;background:#fafafa}path{fill:none;stroke-width:1.5}.seen{stroke:#bbb;"
    "stroke-width:3}.model{stroke:#c33}.other{stroke:#393;stroke-dasharray:5 "
    "4}.error{stroke:#47a;stroke-width:1}.axis{stroke:#ccc;stroke-"
    "width:1}text{font:11px sans-serif;fill:#666;text-anchor:end}.begin{text-anchor:start}.untold{"
    "color:#999}figure{margin:1em 0}</style>\n";

void cr_page_begin(cr_page* p, const char* command, const char* model) {
  cr_page_put(p, "<!DOCTYPE html><meta charset='utf-8'><title>carom %s</title>%s<h1>carom %s: ",
              command, style, command);
  cr_page_escaped(p, model);
  cr_page_put(p, "</h1>");
}

cr_status cr_page_save(cr_page* p, const char* folder, const char* name, cr_error* error) {
  char path[CR_MAX_PATH];
  cr_status status = cri_path_join(path, folder, name, error);
  if (status == CR_OK) {
    status = p->failed ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path)
                       : cri_file_write(path, p->text != NULL ? p->text : "", p->n, error);
  }
  cr_page_free(p);
  return status;
}

void cr_page_free(cr_page* p) {
  free(p->text);
  *p = (cr_page){0};
}
