// SPDX-License-Identifier: Apache-2.0
// A page of HTML, or any text, that grows and is written whole or not at all.
#ifndef CR_TOOLS_REPORT_PAGE_H
#define CR_TOOLS_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

typedef struct {
  char* text;
  size_t n, room;
  bool failed;  // no memory
} cr_page;

void cr_page_put(cr_page* page, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// Text without the marks of HTML.
void cr_page_escaped(cr_page* page, const char* text);

/// The head of a page with its styles, and the title "carom COMMAND: MODEL".
void cr_page_begin(cr_page* page, const char* command, const char* model);

/// Writes folder/name, and frees the page.
/// Errors   CR_ERR_FILE, CR_ERR_MEMORY
cr_status cr_page_save(cr_page* page, const char* folder, const char* name, cr_error* error);

void cr_page_free(cr_page* page);

#endif
