// SPDX-License-Identifier: Apache-2.0
#include "io/mujoco_state.h"

#include "carom/mujoco.h"
#include "model/misuse.h"

void cri_mujoco_state(const cr_model* m, const mjData* s, cr_data* d) {
  const struct {
    cr_real* to;
    const mjtNum* from;
    int n;
  } inputs[] = {{d->qpos, s->qpos, m->nq},
                {d->qvel, s->qvel, m->nv},
                {d->act, s->act, m->na},
                {d->ctrl, s->ctrl, m->nu},
                {d->qfrc_applied, s->qfrc_applied, m->nv},
                {d->xfrc_applied, s->xfrc_applied, 6 * m->nbody},
                {d->mocap_pos, s->mocap_pos, 3 * m->nmocap},
                {d->mocap_quat, s->mocap_quat, 4 * m->nmocap},
                {d->qacc_warmstart, s->qacc_warmstart, m->nv}};
  for (int i = 0; i < (int)(sizeof inputs / sizeof inputs[0]); i++) {
    for (int k = 0; k < inputs[i].n; k++) {
      inputs[i].to[k] = (cr_real)inputs[i].from[k];
    }
  }
  for (int i = 0; i < m->neq; i++) {
    d->eq_active[i] = s->eq_active[i];
  }
  d->time = (cr_real)s->time;
}

cr_status cr_state_from_mujoco(const cr_model* m, const mjModel* mj, const mjData* from,
                               cr_data* to) {
  const cri_call call = {"cr_state_from_mujoco", cri_error_of(to)};
  CR_TRY(cri_check_data(&call, m, to, CR_DATA_PLAIN, "to"));
  CR_TRY(cri_given(&call, mj, "MuJoCo's model"));
  CR_TRY(cri_given(&call, from, "MuJoCo's data"));
  const struct {
    const char* name;
    int64_t ours, theirs;
  } counts[] = {{"nq", m->nq, mj->nq},
                {"nv", m->nv, mj->nv},
                {"na", m->na, mj->na},
                {"nu", m->nu, mj->nu},
                {"nbody", m->nbody, mj->nbody},
                {"neq", m->neq, mj->neq},
                {"nmocap", m->nmocap, mj->nmocap}};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    if (counts[i].ours != counts[i].theirs) {
      return cri_fail(&to->error, CR_ERR_ARG,
                      "cr_state_from_mujoco: of another model, with %s %d where it is %d",
                      counts[i].name, (int)counts[i].theirs, (int)counts[i].ours);
    }
  }
  cri_mujoco_state(m, from, to);
  to->done = 0;
  return CR_OK;
}
