// SPDX-License-Identifier: Apache-2.0
// Quasi-dynamic steps as a system of smoothed predictive control.
#include <stdlib.h>

#include "control/mpc_system.h"
#include "model/misuse.h"
#include "quasidynamic/quasidynamic_work.h"

typedef struct {
  const cr_model* m;
  cr_quasidynamic_options exact_options, smooth_options;
  cr_real growth;
  int nworker;
  cr_quasidynamic **exact, **smooth;  // nworker each; smooth NULL: no barrier
  cr_real* next;                      // nworker nq
} quasi;

static void destroy(void* context) {
  quasi* s = context;
  for (int i = 0; i < s->nworker; i++) {
    if (s->exact != NULL) {
      cr_quasidynamic_destroy(s->exact[i]);
    }
    if (s->smooth != NULL) {
      cr_quasidynamic_destroy(s->smooth[i]);
    }
  }
  free(s->exact);
  free(s->smooth);
  free(s->next);
  free(s);
}

static cr_status prepare(void* context, int nworker, cr_error* error) {
  quasi* s = context;
  const size_t n = (size_t)nworker;
  const bool smooth = s->smooth_options.weight > 0;
  s->exact = calloc(n, sizeof(cr_quasidynamic*));
  s->smooth = smooth ? calloc(n, sizeof(cr_quasidynamic*)) : NULL;
  s->next = calloc(n * (size_t)s->m->nq, sizeof *s->next);
  if (s->exact == NULL || (smooth && s->smooth == NULL) || s->next == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "smoothed MPC: no memory");
  }
  s->nworker = nworker;
  for (int i = 0; i < nworker; i++) {
    CR_TRY(cr_quasidynamic_create(&s->exact[i], s->m, &s->exact_options, error));
    CR_TRY(smooth ? cr_quasidynamic_create(&s->smooth[i], s->m, &s->smooth_options, error) : CR_OK);
    // noise goes beyond the range; plans do not, by their limits
    s->exact[i]->any_setpoint = true;
    if (smooth) {
      s->smooth[i]->any_setpoint = true;
    }
  }
  return CR_OK;
}

static void begin(void* context, int iteration, cr_real* spread) {
  quasi* s = context;
  if (s->smooth != NULL) {
    *spread = s->smooth_options.weight * cr_pow(s->growth, (cr_real)(iteration - 1));
    for (int i = 0; i < s->nworker; i++) {
      s->smooth[i]->cone.weight = *spread;
    }
  }
}

static cr_status take(cr_quasidynamic* x, const cr_real* qpos, const cr_real* u, cr_real* next,
                      cr_real* A, cr_real* B, cr_error* error) {
  cr_status status = cr_quasidynamic_step(x, qpos, u, next);
  if (status == CR_OK && (A != NULL || B != NULL)) {
    status = cr_quasidynamic_jacobian(x, A, B);
  }
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", cr_quasidynamic_error(x));
}

static cr_status step(void* context, int worker, const cr_real* x, const cr_real* u, cr_real* next,
                      cr_real* A, cr_real* B, cr_error* error) {
  const quasi* s = context;
  return take(s->exact[worker], x, u, next, A, B, error);
}

static cr_status derive(void* context, int worker, const cr_real* x, const cr_real* u, cr_real* A,
                        cr_real* B, cr_error* error) {
  const quasi* s = context;
  cr_quasidynamic* steps = s->smooth != NULL ? s->smooth[worker] : s->exact[worker];
  return take(steps, x, u, s->next + (ptrdiff_t)worker * s->m->nq, A, B, error);
}

static void hold(void* context, const cr_real* x, cr_real* u) {
  const quasi* s = context;
  (void)cr_quasidynamic_hold(s->exact[0], x, u);
}

static cr_status check(const cri_call* call, const cr_model* m, const cr_quasidynamic_options* o) {
  CR_TRY(cri_given(call, m, "the model"));
  CR_TRY(o != NULL ? cri_check_size(call, o->size, sizeof *o, "cr_quasidynamic_options") : CR_OK);
  for (int i = 0; i < m->njnt; i++) {
    if (m->jnt_type[i] != CR_JNT_HINGE && m->jnt_type[i] != CR_JNT_SLIDE) {
      return cri_fail(call->error, CR_ERR_UNSUPPORTED, "smoothed MPC: %s is no hinge or slide",
                      cri_label(m, CRI_OBJECT_joint, i).text);
    }
  }
  return CR_OK;
}

// the coordinate of each control's joint, and the limits of setpoints where the options have none
static cr_status find_servos(const cr_model* m, const cr_quasidynamic_options* o, int* follows,
                             cr_error* error) {
  cri_servo* servo = calloc((size_t)m->nactuator + 1, sizeof *servo);
  int n = 0;
  if (servo == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "smoothed MPC: no memory");
  }
  const cr_status status = cri_servos_find(m, o->stiffness, servo, &n, error);
  for (int i = 0; i < n && status == CR_OK; i++) {
    follows[servo[i].ctrl] = servo[i].qpos;
  }
  free(servo);
  return status;
}

static void find_limits(const cr_model* m, cr_real* lower, cr_real* upper) {
  for (int i = 0; i < m->nu; i++) {
    const bool limited = m->actuator_ctrllimited[i] != 0;
    lower[i] = limited ? m->actuator_ctrlrange[2 * i] : -(cr_real)INFINITY;
    upper[i] = limited ? m->actuator_ctrlrange[2 * i + 1] : (cr_real)INFINITY;
  }
}

static cr_status open(cr_smoothed_mpc** mpc, quasi* s, const cr_mpc_options* options,
                      cr_error* error) {
  const size_t n = (size_t)s->m->nu + 1;
  int* follows = calloc(n, sizeof *follows);
  cr_real* limits = calloc(2 * n, sizeof *limits);
  cr_status status = follows != NULL && limits != NULL
                         ? find_servos(s->m, &s->exact_options, follows, error)
                         : cri_fail(error, CR_ERR_MEMORY, "smoothed MPC: no memory");
  if (status != CR_OK) {
    destroy(s);
  } else {
    cr_mpc_options o = *options;
    find_limits(s->m, limits, limits + n);
    o.u_lower = o.u_lower != NULL ? o.u_lower : limits;
    o.u_upper = o.u_upper != NULL ? o.u_upper : limits + n;
    const cri_mpc_system system = {.system = {sizeof system.system, s->m->nq, s->m->nu, step, s},
                                   .prepare = prepare,
                                   .begin = begin,
                                   .derive = derive,
                                   .hold = hold,
                                   .destroy = destroy};
    status = cri_mpc_make(mpc, &system, &o, follows, error);
  }
  free(follows);
  free(limits);
  return status;
}

cr_status cr_smoothed_mpc_create_quasidynamic(cr_smoothed_mpc** mpc, const cr_model* m,
                                              const cr_quasidynamic_options* steps,
                                              const cr_mpc_options* options, cr_error* error) {
  const cri_call call = {"cr_smoothed_mpc_create_quasidynamic", error};
  CR_TRY(cri_given(&call, mpc, "where the planner goes"));
  *mpc = NULL;
  CR_TRY(check(&call, m, steps));
  CR_TRY(cri_given(&call, options, "the options"));
  CR_TRY(cri_check_size(&call, options->size, sizeof *options, "cr_mpc_options"));
  quasi* s = calloc(1, sizeof *s);
  if (s == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "smoothed MPC: no memory");
  }
  s->m = m;
  s->growth = options->growth > 0 ? options->growth : 1;
  s->smooth_options = steps != NULL ? *steps : (cr_quasidynamic_options){.size = sizeof *steps};
  s->exact_options = s->smooth_options;
  s->exact_options.weight = 0;
  return open(mpc, s, options, error);
}
