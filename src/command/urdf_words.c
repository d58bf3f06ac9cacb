// SPDX-License-Identifier: Apache-2.0
// From the words of the command line to the options of a URDF file.
#include "command/urdf_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "tools/files.h"
#include "tools/xml.h"

static cr_status read_gains(cr_urdf_options* o, const char* text, cr_error* error) {
  char *comma, *end;
  double kp = cri_number(text, &comma), kv = *comma == ',' ? cri_number(comma + 1, &end) : 0;
  bool two = comma != text && *comma == ',' && end != comma + 1 && *end == 0;
  if (!two || !isfinite(kp) || !isfinite(kv) || kp < 0 || kv < 0) {
    return cri_fail(error, CR_ERR_ARG, "--servo %s: two gains KP,KV expected, none negative", text);
  }
  o->servo_kp = (cr_real)kp;
  o->servo_kv = (cr_real)kv;
  return CR_OK;
}

const char* cr_urdf_given(const cr_urdf_words* w) {
  return w->base != NULL           ? "--base"
         : w->package_path != NULL ? "--package-path"
         : w->servo != NULL        ? "--servo"
         : w->ground               ? "--ground"
         : w->no_self_collision    ? "--no-self-collision"
                                   : NULL;
}

cr_status cr_urdf_arguments(cr_urdf_options* o, const cr_urdf_words* w, const char* path,
                            cr_error* error) {
  const char* given = cr_urdf_given(w);
  if (given != NULL && cri_file_check(path, NULL) == CR_OK && !cri_xml_root_is(path, "robot")) {
    return cri_fail(error, CR_ERR_ARG, "%s: only for URDF files; %s is none", given, path);
  }
  *o = (cr_urdf_options){.size = sizeof *o,
                         .package_path = w->package_path,
                         .ground = w->ground,
                         .no_self_collision = w->no_self_collision};
  if (w->base != NULL) {
    o->floating = strcmp(w->base, "floating") == 0;
    if (!o->floating && strcmp(w->base, "fixed") != 0) {
      return cri_fail(error, CR_ERR_ARG, "--base %s: fixed or floating expected", w->base);
    }
  }
  return w->servo != NULL ? read_gains(o, w->servo, error) : CR_OK;
}
