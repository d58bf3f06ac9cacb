// SPDX-License-Identifier: Apache-2.0
// Writing a rollout to HDF5.
#include "io/recording.h"

#include "io/hdf5.h"

static cr_status write_all(cr_h5* file, const cr_model* m, const cr_rollout* r, cr_error* error) {
  const struct {
    const char* name;
    const cr_real* data;
    int rows, width;
  } sets[] = {{"qpos", r->qpos, r->nstep + 1, m->nq},
              {"qvel", r->qvel, r->nstep + 1, m->nv},
              {"act", r->act, r->nstep + 1, m->na},
              {"ctrl", r->ctrl, r->nstep, m->nu}};
  CR_TRY(cri_h5_write(file, "time", r->time, r->nstep + 1, 0, error));
  for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
    if (sets[i].width > 0) {
      CR_TRY(cri_h5_write(file, sets[i].name, sets[i].data, sets[i].rows, sets[i].width, error));
    }
  }
  CR_TRY(cri_h5_write_attribute(file, "/", "timestep", (double)m->timestep, error));
  CR_TRY(cri_h5_write_text(file, "/", "carom_version", cr_version(), error));
  return cri_h5_save(file, error);
}

cr_status cri_recording_write(const char* path, const cr_model* m, const cr_rollout* r,
                              cr_error* error) {
  cr_h5* file = NULL;
  CR_TRY(cri_h5_create(&file, path, error));
  cr_status status = write_all(file, m, r, error);
  cri_h5_close(file);
  return status;
}
