// SPDX-License-Identifier: Apache-2.0
// The tree of an XML file. An element and the copies of its strings are one block of memory.
#include "tools/xml.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include "tools/files.h"

// ---- one element

static size_t text_size(const char* name, const char** attributes, int* n) {
  size_t size = strlen(name) + 1;
  for (*n = 0; attributes[*n] != NULL; (*n)++) {
    size += strlen(attributes[*n]) + 1;
  }
  return size;
}

static const char* append(char** at, const char* text) {
  char* start = *at;
  size_t size = strlen(text) + 1;
  memcpy(start, text, size);
  *at += size;
  return start;
}

static cr_xml* make_element(const char* name, const char** attributes, int line) {
  int n;
  size_t text = text_size(name, attributes, &n), pointers = ((size_t)n + 1) * sizeof(char*);
  cr_xml* e = malloc(sizeof *e + pointers + text);
  if (e == NULL) {
    return NULL;
  }
  const char** copies = (const char**)(e + 1);
  char* at = (char*)copies + pointers;
  *e = (cr_xml){.name = append(&at, name), .attributes = copies, .line = line};
  for (int i = 0; i < n; i++) {
    copies[i] = append(&at, attributes[i]);
  }
  copies[n] = NULL;
  return e;
}

// ---- the tree, as expat calls us

typedef struct {
  XML_Parser parser;
  cr_xml *root, *open, *last;  // `last`: the youngest child of `open`
  int depth;
  bool failed, too_deep;
} builder;

static void begin(void* context, const char* name, const char** attributes) {
  builder* b = context;
  cr_xml* e = b->depth == CR_XML_DEPTH
                  ? NULL
                  : make_element(name, attributes, (int)XML_GetCurrentLineNumber(b->parser));
  if (e == NULL) {
    b->too_deep = b->depth == CR_XML_DEPTH;
    b->failed = true;
    (void)XML_StopParser(b->parser, XML_FALSE);
    return;
  }
  e->parent = b->open;
  if (b->last != NULL) {
    b->last->next = e;
  } else if (b->open != NULL) {
    b->open->child = e;
  } else {
    b->root = e;
  }
  b->open = e;
  b->last = NULL;
  b->depth++;
}

static void end(void* context, const char* name) {
  (void)name;
  builder* b = context;
  if (b->failed) {
    return;
  }
  b->last = b->open;
  b->open = b->open->parent;
  b->depth--;
}

static cr_status parse(builder* b, const char* path, const char* text, size_t n, cr_error* error) {
  if (n > 1 << 30) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: the file is longer than 1 GiB", path);
  }
  if (XML_Parse(b->parser, text, (int)n, XML_TRUE) == XML_STATUS_OK) {
    return CR_OK;
  }
  unsigned long line = XML_GetCurrentLineNumber(b->parser);
  if (b->too_deep) {
    return cri_fail(error, CR_ERR_FORMAT, "%s:%lu: elements are nested more than %d deep", path,
                    line, CR_XML_DEPTH);
  }
  if (b->failed) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  return cri_fail(error, CR_ERR_FORMAT, "%s:%lu: not well-formed XML: %s", path, line,
                  XML_ErrorString(XML_GetErrorCode(b->parser)));
}

cr_status cri_xml_read(cr_xml** root, const char* path, cr_error* error) {
  char* text;
  size_t n;
  CR_TRY(cri_file_read(path, &text, &n, error));
  builder b = {.parser = XML_ParserCreate(NULL)};
  cr_status status = CR_ERR_MEMORY;
  if (b.parser != NULL) {
    XML_SetUserData(b.parser, &b);
    XML_SetElementHandler(b.parser, begin, end);
    status = parse(&b, path, text, n, error);
    XML_ParserFree(b.parser);
  } else {
    (void)cri_fail(error, status, "%s: no memory", path);
  }
  free(text);
  if (status != CR_OK) {
    cri_xml_free(b.root);
    return status;
  }
  *root = b.root;
  return CR_OK;
}

// no deeper than CR_XML_DEPTH
void cri_xml_free(cr_xml* e) {
  while (e != NULL) {
    cr_xml* next = e->next;
    cri_xml_free(e->child);
    free(e);
    e = next;
  }
}

// ---- the first element only

typedef struct {
  XML_Parser parser;
  const char* name;
  bool is;
} first_element;

static void look(void* context, const char* name, const char** attributes) {
  (void)attributes;
  first_element* f = context;
  f->is = strcmp(name, f->name) == 0;
  (void)XML_StopParser(f->parser, XML_FALSE);
}

bool cri_xml_root_is(const char* path, const char* name) {
  char* text;
  size_t n;
  first_element f = {.parser = XML_ParserCreate(NULL), .name = name};
  if (f.parser != NULL && cri_file_read(path, &text, &n, NULL) == CR_OK) {
    XML_SetUserData(f.parser, &f);
    XML_SetStartElementHandler(f.parser, look);
    if (n <= 1 << 30) {
      (void)XML_Parse(f.parser, text, (int)n, XML_TRUE);
    }
    free(text);
  }
  XML_ParserFree(f.parser);
  return f.is;
}

// ---- reading a tree

const char* cri_xml_attribute(const cr_xml* e, const char* name) {
  for (const char* const* a = e->attributes; *a != NULL; a += 2) {
    if (strcmp(a[0], name) == 0) {
      return a[1];
    }
  }
  return NULL;
}

static const cr_xml* named(const cr_xml* e, const char* name) {
  while (e != NULL && strcmp(e->name, name) != 0) {
    e = e->next;
  }
  return e;
}

const cr_xml* cri_xml_child(const cr_xml* e, const char* name) { return named(e->child, name); }

const cr_xml* cri_xml_next(const cr_xml* e) { return named(e->next, e->name); }
