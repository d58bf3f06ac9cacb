// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700  // realpath
#include "io/asset_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// a folder with all links and dots resolved, and a slash behind it
static bool whole(char path[CR_MAX_PATH], const char* folder) {
  char* resolved = realpath(folder[0] != 0 ? folder : ".", NULL);
  int n = resolved != NULL
              ? snprintf(path, CR_MAX_PATH, "%s%s", resolved, resolved[1] != 0 ? "/" : "")
              : CR_MAX_PATH;
  free(resolved);
  return n < CR_MAX_PATH;
}

bool cri_asset_folder(char path[CR_MAX_PATH], const char* folder, const char* from) {
  char to[CR_MAX_PATH], base[CR_MAX_PATH];
  if (!whole(to, folder) || !whole(base, from)) {
    return false;
  }
  size_t common = 0, n = 0;  // behind the last slash that both have
  for (size_t i = 0; to[i] == base[i] && to[i] != 0; i++) {
    common = to[i] == '/' ? i + 1 : common;
  }
  path[0] = 0;
  for (const char* c = base + common; common > 1 && *c != 0 && n + 4 < CR_MAX_PATH; c++) {
    if (*c == '/') {
      n += (size_t)snprintf(path + n, CR_MAX_PATH - n, "../");
    }
  }
  n += (size_t)snprintf(path + n, CR_MAX_PATH - n, "%s", common > 1 ? to + common : to);
  return n < CR_MAX_PATH;
}

// the compiler's folder for files of one kind, as seen from the new place
static void move_folder(mjString* dir, const char* source, const char* to) {
  char folder[CR_MAX_PATH], found[CR_MAX_PATH], path[CR_MAX_PATH];
  const char* name = mjs_getString(dir);
  name = name != NULL ? name : "";
  if (name[0] != '/' && cri_path_folder(folder, source, NULL) == CR_OK &&
      cri_path_join(found, folder, name, NULL) == CR_OK && cri_asset_folder(path, found, to)) {
    mjs_setString(dir, path);
  }
}

static bool has(mjSpec* spec, mjtObj type) { return mjs_firstElement(spec, type) != NULL; }

// names without the folders that a reading with strippath leaves out
static void strip_meshes(mjSpec* spec) {
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_MESH); e != NULL;
       e = mjs_nextElement(spec, e)) {
    char name[CR_MAX_PATH];
    const char* file = mjs_getString(mjs_asMesh(e)->file);
    const char* slash = file != NULL ? strrchr(file, '/') : NULL;
    if (slash != NULL) {
      (void)snprintf(name, sizeof name, "%s", slash + 1);
      mjs_setString(mjs_asMesh(e)->file, name);
    }
  }
  spec->strippath = 0;
}

void cri_assets_move(mjSpec* spec, const char* source, const char* to) {
  char folder[CR_MAX_PATH];
  if (spec->strippath) {
    strip_meshes(spec);
  }
  if (has(spec, mjOBJ_MESH) || has(spec, mjOBJ_HFIELD) || has(spec, mjOBJ_SKIN)) {
    move_folder(spec->compiler.meshdir, source, to);
  }
  if (has(spec, mjOBJ_TEXTURE)) {
    move_folder(spec->compiler.texturedir, source, to);
  }
  (void)snprintf(folder, sizeof folder, "%s%s", to, to[0] != 0 ? "/" : "");
  mjs_setString(spec->modelfiledir, folder);
}
