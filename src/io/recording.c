// SPDX-License-Identifier: Apache-2.0
// Writing a rollout to HDF5.
#include "io/recording.h"

#include <hdf5.h>
#include <stdio.h>

static bool write_set(hid_t file, const char* name, const cr_real* data, int rows, int width) {
  hsize_t size[2] = {(hsize_t)rows, (hsize_t)width};
  hid_t space = H5Screate_simple(width == 0 ? 1 : 2, size, NULL);  // width 0: one number a row
  hid_t set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
  ok = (set < 0 || H5Dclose(set) >= 0) && ok;
  (void)H5Sclose(space);
  return ok;
}

static bool write_number(hid_t file, const char* name, double value) {
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value) >= 0;
  (void)H5Aclose(attribute);
  (void)H5Sclose(space);
  return ok;
}

static bool write_text(hid_t file, const char* name, const char* text) {
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  (void)H5Tset_size(type, strlen(text) + 1);
  hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
  (void)H5Aclose(attribute);
  (void)H5Sclose(space);
  (void)H5Tclose(type);
  return ok;
}

static bool write_all(hid_t file, const cr_model* m, const cr_rollout* r) {
  int n = r->nstep + 1;
  bool ok = write_set(file, "time", r->time, n, 0);
  ok = ok && (m->nq == 0 || write_set(file, "qpos", r->qpos, n, m->nq));
  ok = ok && (m->nv == 0 || write_set(file, "qvel", r->qvel, n, m->nv));
  ok = ok && (m->na == 0 || write_set(file, "act", r->act, n, m->na));
  ok = ok && (m->nu == 0 || write_set(file, "ctrl", r->ctrl, r->nstep, m->nu));
  ok = ok && write_number(file, "timestep", (double)m->timestep);
  return ok && write_text(file, "carom_version", cr_version()) &&
         H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
}

cr_status cri_recording_write(const char* path, const cr_model* m, const cr_rollout* r,
                              cr_error* error) {
  char temporary[4096];
  if ((size_t)snprintf(temporary, sizeof temporary, "%s.partial", path) >= sizeof temporary) {
    return cri_fail(error, CR_ERR_FILE, "%s: the path is too long", path);
  }
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  hid_t file = H5Fcreate(temporary, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be written", path);
  }
  bool ok = write_all(file, m, r);
  ok = H5Fclose(file) >= 0 && ok && rename(temporary, path) == 0;
  if (!ok) {
    (void)remove(temporary);
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be written whole (disk full?)", path);
  }
  return CR_OK;
}
