// SPDX-License-Identifier: Apache-2.0
#include "tools/tags.h"

#include <ctype.h>
#include <string.h>

static char* behind(char* text, const char* word) {
  char* found = strstr(text, word);
  return found == NULL ? text + strlen(text) : found + strlen(word);
}

static bool of_name(char c) { return c != 0 && strchr("<>/=\"'", c) == NULL && !isspace(c); }

// to the end of the tag; a > between quotes does not end it
static char* end_of_tag(char* c) {
  char quote = 0;
  for (; *c != 0 && (quote != 0 || *c != '>'); c++) {
    if (quote == 0 && (*c == '"' || *c == '\'')) {
      quote = *c;
    } else if (*c == quote) {
      quote = 0;
    }
  }
  return c;
}

bool cri_tags_next(cr_tags* t) {
  for (;;) {
    char* open = strchr(t->next, '<');
    if (open == NULL) {
      return false;
    }
    if (strncmp(open, "<!--", 4) == 0) {
      t->next = behind(open, "-->");
    } else if (!of_name(open[1]) || open[1] == '!' || open[1] == '?') {
      t->next = behind(open, ">");
    } else {
      char* c = open + 1;
      while (of_name(*c)) {
        c++;
      }
      char* end = end_of_tag(c);
      t->name = (cr_piece){open + 1, (size_t)(c - open - 1)};
      t->attributes = (cr_piece){c, (size_t)(end - c)};
      t->next = end;
      return true;
    }
  }
}

bool cri_piece_is(cr_piece piece, const char* word) {
  return piece.n == strlen(word) && memcmp(piece.at, word, piece.n) == 0;
}

bool cri_tags_attribute(const cr_tags* t, const char* name, cr_piece* whole, cr_piece* value) {
  char *c = t->attributes.at, *end = c + t->attributes.n;
  while (c < end) {
    while (c < end && !of_name(*c)) {
      c++;
    }
    cr_piece key = {c, 0};
    while (c < end && of_name(*c)) {
      c++;
    }
    key.n = (size_t)(c - key.at);
    while (c < end && *c != '"' && *c != '\'') {
      c++;
    }
    char* close = c < end ? memchr(c + 1, *c, (size_t)(end - c - 1)) : NULL;
    if (close == NULL) {
      return false;
    }
    if (cri_piece_is(key, name)) {
      if (whole != NULL) {
        *whole = (cr_piece){key.at, (size_t)(close + 1 - key.at)};
      }
      if (value != NULL) {
        *value = (cr_piece){c + 1, (size_t)(close - c - 1)};
      }
      return true;
    }
    c = close + 1;
  }
  return false;
}
