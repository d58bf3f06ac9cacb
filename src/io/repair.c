// SPDX-License-Identifier: Apache-2.0
#include "io/repair.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/files.h"
#include "tools/tags.h"

enum { MAX_DEPTH = 16, MAX_FILES = 256 };

typedef struct {
  dev_t device;  // these two identify the file
  ino_t number;
  char* name;  // last part of its path
} included_file;

typedef struct {
  mjVFS* vfs;
  const char* root;  // the first file: MuJoCo looks for includes beside it
  included_file visited[MAX_FILES];
  int nvisited;
  bool changed;
  cr_load_report* report;
} repair;

static const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

// records the file; *seen: it was there before
static cr_status visit(repair* r, const char* path, bool* seen, cr_error* error) {
  struct stat info;
  *seen = false;
  if (stat(path, &info) != 0) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be opened", path);
  }
  for (int i = 0; i < r->nvisited; i++) {
    if (r->visited[i].device == info.st_dev && r->visited[i].number == info.st_ino) {
      *seen = true;
      return CR_OK;
    }
  }
  if (r->nvisited == MAX_FILES) {
    return cri_fail(error, CR_ERR_MODEL, "%s: more than %d files", path, MAX_FILES);
  }
  char* name = strdup(base_name(path));
  r->visited[r->nvisited++] = (included_file){info.st_dev, info.st_ino, name};
  return name != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
}

static bool take_out(char* text) {
  bool changed = false;
  cr_piece attribute;
  for (cr_tags tags = {.next = text}; cri_tags_next(&tags);) {
    if (cri_piece_is(tags.name, "compiler") &&
        cri_tags_attribute(&tags, "convexhull", &attribute, NULL)) {
      memset(attribute.at, ' ', attribute.n);
      changed = true;
    }
  }
  return changed;
}

// the path of an included file: beside the first file, or beside the one that includes it
static cr_status find_include(char found[CR_MAX_PATH], const repair* r, const char* includer,
                              cr_piece value, cr_error* error) {
  char folder[CR_MAX_PATH], name[CR_MAX_PATH];
  if (value.n >= sizeof name) {
    return cri_fail(error, CR_ERR_ARG, "%s: the name of an included file is too long", includer);
  }
  memcpy(name, value.at, value.n);
  name[value.n] = 0;
  CR_TRY(cri_path_folder(folder, r->root, error));
  CR_TRY(cri_path_join(found, folder, name, error));
  if (access(found, R_OK) == 0) {
    return CR_OK;
  }
  CR_TRY(cri_path_folder(folder, includer, error));
  return cri_path_join(found, folder, name, error);
}

static cr_status repair_file(repair* r, const char* path, int depth, cr_error* error);

static cr_status repair_text(repair* r, const char* path, char* text, size_t n, int depth,
                             cr_error* error) {
  if (take_out(text)) {
    if (mj_addBufferVFS(r->vfs, path, text, (int)n) != 0) {
      return cri_fail(error, CR_ERR_MEMORY, "%s: no memory for a copy", path);
    }
    r->changed = true;
    if (r->report != NULL) {
      cri_sentence(&r->report->warnings,
                   "%s: the attribute 'convexhull' of compiler, which MuJoCo %s does not know, is "
                   "taken out",
                   base_name(path), mj_versionString());
    }
  }
  cr_piece value;
  for (cr_tags tags = {.next = text}; cri_tags_next(&tags);) {
    if (cri_piece_is(tags.name, "include") && cri_tags_attribute(&tags, "file", NULL, &value)) {
      char included[CR_MAX_PATH];
      CR_TRY(find_include(included, r, path, value, error));
      CR_TRY(repair_file(r, included, depth + 1, error));
    }
  }
  return CR_OK;
}

static cr_status repair_file(repair* r, const char* path, int depth, cr_error* error) {
  bool seen;
  char* text = NULL;
  size_t n;
  CR_TRY(visit(r, path, &seen, error));
  if (seen || depth > MAX_DEPTH) {
    return CR_OK;
  }
  CR_TRY(cri_file_read(path, &text, &n, error));
  cr_status status = repair_text(r, path, text, n, depth, error);
  free(text);
  return status;
}

// a vfs knows files only by the last part of their path
static cr_status check_names(const repair* r, cr_error* error) {
  for (int i = 0; i < r->nvisited; i++) {
    for (int k = 0; k < i; k++) {
      if (strcmp(r->visited[i].name, r->visited[k].name) == 0) {
        return cri_fail(error, CR_ERR_MODEL,
                        "%s: has an attribute 'convexhull' to take out, but includes two files "
                        "named '%s'",
                        r->root, r->visited[i].name);
      }
    }
  }
  return CR_OK;
}

cr_status cri_mjcf_repair(mjVFS* vfs, const char* path, bool* changed, cr_load_report* report,
                          cr_error* error) {
  repair r = {.vfs = vfs, .root = path, .report = report};
  cr_status status = repair_file(&r, path, 0, error);
  if (status == CR_OK && r.changed) {
    status = check_names(&r, error);
  }
  for (int i = 0; i < r.nvisited; i++) {
    free(r.visited[i].name);
  }
  *changed = r.changed;
  return status;
}
