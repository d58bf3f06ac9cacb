// SPDX-License-Identifier: Apache-2.0
#include "command/model_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/files.h"
#include "tools/tags.h"

static cr_status add(cr_model_list* list, const char* path, size_t nfolder, cr_error* error) {
  if (list->n == list->capacity) {
    int capacity = 2 * list->capacity + 64;
    cr_model_file* file = realloc(list->file, (size_t)capacity * sizeof *file);
    if (file == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "%s: no memory to list it", path);
    }
    list->file = file;
    list->capacity = capacity;
  }
  char* copy = strdup(path);
  if (copy == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory to list it", path);
  }
  const char* name = copy + nfolder + (nfolder > 0 ? strspn(copy + nfolder, "/") : 0);
  list->file[list->n++] = (cr_model_file){.path = copy, .name = name};
  return CR_OK;
}

// ---- a folder

static bool ends_with(const char* text, const char* end) {
  size_t n = strlen(text), k = strlen(end);
  return n >= k && strcmp(text + n - k, end) == 0;
}

enum { MAX_DEPTH = 32 };

// links to folders are not followed: they may lead in a circle
static cr_status visit(cr_model_list* list, const char* folder, size_t nroot, int depth,
                       cr_error* error) {
  DIR* entries = opendir(folder);
  if (entries == NULL) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be listed: %s", folder, strerror(errno));
  }
  cr_status status = CR_OK;
  for (const struct dirent* e; status == CR_OK && (e = readdir(entries)) != NULL;) {
    char path[CR_MAX_PATH];
    struct stat info;
    if (e->d_name[0] == '.') {
      continue;
    }
    status = cri_path_join(path, folder, e->d_name, error);
    if (status != CR_OK || lstat(path, &info) != 0) {
      continue;
    }
    if (S_ISDIR(info.st_mode) && depth < MAX_DEPTH) {
      status = visit(list, path, nroot, depth + 1, error);
    } else if (!S_ISDIR(info.st_mode) &&
               (ends_with(path, ".xml") || ends_with(path, ".mjcf") || ends_with(path, ".urdf"))) {
      status = add(list, path, nroot, error);
    }
  }
  (void)closedir(entries);
  return status;
}

static int by_name(const void* a, const void* b) {
  const cr_model_file *x = a, *y = b;
  return strcmp(x->name, y->name);
}

// ---- a list

static cr_status read_list(cr_model_list* list, const char* path, cr_error* error) {
  char folder[CR_MAX_PATH], *text;
  size_t n;
  CR_TRY(cri_path_folder(folder, path, error));
  CR_TRY(cri_file_read(path, &text, &n, error));
  cr_status status = CR_OK;
  char* rest;
  for (char* line = strtok_r(text, "\r\n", &rest); status == CR_OK && line != NULL;
       line = strtok_r(NULL, "\r\n", &rest)) {
    char entry[CR_MAX_PATH];
    line += strspn(line, " \t");
    line[strcspn(line, "#")] = 0;
    for (size_t k = strlen(line); k > 0 && (line[k - 1] == ' ' || line[k - 1] == '\t'); k--) {
      line[k - 1] = 0;
    }
    if (line[0] == 0) {
      continue;
    }
    status = cri_path_join(entry, folder, line, error);
    status =
        status != CR_OK ? status : add(list, entry, line[0] == '/' ? 0 : strlen(folder), error);
  }
  free(text);
  return status;
}

// ---- kinds of files, and which file includes which

// files whose path ends in what an include says, without ../ and ./ before it
static void mark_included(cr_model_list* list, const cr_model_file* parent, cr_piece value) {
  while (value.n > 2 && value.at[0] == '.' && (value.at[1] == '/' || value.at[1] == '.')) {
    size_t skip = value.at[1] == '/' ? 2 : 3;
    value.at += skip;
    value.n -= skip < value.n ? skip : value.n;
  }
  for (int i = 0; i < list->n; i++) {
    cr_model_file* f = &list->file[i];
    size_t n = strlen(f->path);
    bool ends = value.n > 0 && n > value.n && f->path[n - value.n - 1] == '/' &&
                memcmp(f->path + n - value.n, value.at, value.n) == 0;
    if (ends && f != parent && f->parent == NULL) {
      f->parent = parent->name;
    }
  }
}

static void look_into(cr_model_list* list, cr_model_file* f) {
  char* text;
  size_t n;
  if (cri_file_read(f->path, &text, &n, NULL) != CR_OK) {
    return;  // the check reports it
  }
  cr_piece value;
  for (cr_tags tags = {.next = text}; cri_tags_next(&tags);) {
    if (f->root[0] == 0) {
      size_t k = tags.name.n < sizeof f->root ? tags.name.n : sizeof f->root - 1;
      memcpy(f->root, tags.name.at, k);
    }
    if (cri_piece_is(tags.name, "include") && cri_tags_attribute(&tags, "file", NULL, &value)) {
      mark_included(list, f, value);
    }
  }
  free(text);
}

cr_status cr_model_list_make(cr_model_list* list, const char* path, cr_error* error) {
  struct stat info;
  *list = (cr_model_list){0};
  if (stat(path, &info) != 0) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
  }
  bool folder = S_ISDIR(info.st_mode);
  cr_status status =
      folder ? visit(list, path, strlen(path), 0, error) : read_list(list, path, error);
  if (status == CR_OK && list->n == 0) {
    status =
        cri_fail(error, CR_ERR_ARG, "%s: no models in this %s", path, folder ? "folder" : "list");
  }
  if (status != CR_OK) {
    cr_model_list_free(list);
    return status;
  }
  if (folder) {
    qsort(list->file, (size_t)list->n, sizeof *list->file, by_name);
  }
  for (int i = 0; i < list->n; i++) {
    look_into(list, &list->file[i]);
  }
  return CR_OK;
}

void cr_model_list_free(cr_model_list* list) {
  for (int i = 0; i < list->n; i++) {
    free(list->file[i].path);
  }
  free(list->file);
  *list = (cr_model_list){0};
}
