// SPDX-License-Identifier: Apache-2.0
#include "view/view_page.h"

#include <string.h>

#include "fit/report_page.h"
#include "tools/files.h"
#include "view/shown_model.h"
#include "view/view_assets.h"

// the data of the page
static void put_data(cr_json* j, const cr_model* m, const char* title, int triangles,
                     cr_shown_motion* motions, int n) {
  enum { FORMAT = 1 };
  cr_json_open(j, NULL, '{');
  cr_json_int(j, "format", FORMAT);
  cr_json_string(j, "carom", cr_version());
  cr_json_string(j, "model", title);
  cr_shown_model(j, m, triangles);
  cr_plotted_put(j, m, &motions[0].plotted);
  cr_json_open(j, "motions", '[');
  for (int i = 0; i < n; i++) {
    cr_shown_motion_put(j, m, &motions[i]);
  }
  cr_json_close(j, ']');
  cr_json_close(j, '}');
}

// a name may hold "</script>": in JSON a '<' may be written as an escape
static void put_json(cr_page* p, const char* text) {
  while (*text != 0) {
    int plain = (int)strcspn(text, "<");
    cr_page_put(p, "%.*s%s", plain, text, text[plain] == '<' ? "\\u003c" : "");
    text += plain + (text[plain] == '<');
  }
}

cr_status cr_view_page_write(const cr_model* m, const char* title, int triangles,
                             cr_shown_motion* motions, int n, const char* path, cr_error* error) {
  cr_json j = {0};
  cr_page p = {0};
  put_data(&j, m, title, triangles, motions, n);
  p.failed = j.failed;
  cr_page_put(&p,
              "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
  cr_page_escaped(&p, title);
  cr_page_put(&p, "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n%s</style>\n</head>\n",
              cr_view_style);
  cr_page_put(&p, "<body>\n%s<script type=\"application/json\" id=\"carom-data\">", cr_view_body);
  put_json(&p, j.failed ? "" : j.text);
  cr_page_put(&p, "</script>\n<script type=\"module\">\n%s</script>\n</body>\n</html>\n",
              cr_view_script);
  cr_json_free(&j);
  return cr_page_save(&p, "", path, error);
}
