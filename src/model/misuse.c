// SPDX-License-Identifier: Apache-2.0
// Sentences for wrong arguments.
#include "model/misuse.h"

#include "model/added_contact.h"
#include "model/model_options.h"
#include "model/schedule.h"
#include "model/tableau.h"

cr_error* cri_error_of(const cr_data* d) {
  // every block was made by cri_data_make or cri_data_twin, so none is really constant
  return d != NULL ? &((cr_data*)(uintptr_t)d)->error : NULL;
}

cr_status cri_is_null(const cri_call* call, const char* what) {
  return cri_fail(call->error, CR_ERR_ARG, "%s: %s is NULL", call->name, what);
}

cr_status cri_check_size(const cri_call* call, size_t size, size_t least, const char* type) {
  return size >= least ? CR_OK
                       : cri_fail(call->error, CR_ERR_ARG,
                                  "%s: the member size of %s is %zu; set it to sizeof(%s)",
                                  call->name, type, size, type);
}

cr_status cri_give(const cri_call* call, void* to, const void* from, size_t size,
                   const char* type) {
  size_t room;
  memcpy(&room, to, sizeof room);
  CR_TRY(cri_check_size(call, room, size, type));
  memcpy((char*)to + sizeof room, (const char*)from + sizeof room, size - sizeof room);
  return CR_OK;
}

// ---- one block

static cr_status wrong_role(const cri_call* call, cr_data_role is, cr_data_role wanted,
                            const char* what) {
  static const char* const names[] = {"a plain data block", "tangents", "cotangents"};
  return cri_fail(call->error, CR_ERR_ARG, "%s: %s is %s, not %s", call->name, what, names[is],
                  names[wanted]);
}

static cr_status wrong_shape(const cri_call* call, const cr_model* m, const cri_shape* shape,
                             const char* what) {
  const cri_shape own = cri_shape_of(m);
  static const char* const names[] = {
#define CR_SIZE(name, text) #name,
#include "model/model_fields.h"
  };
  for (int i = 0; i < CRI_N_SIZE; i++) {
    if (own.size[i] != shape->size[i]) {
      return cri_fail(call->error, CR_ERR_ARG,
                      "%s: %s is of another model, with %s %d where it is %d", call->name, what,
                      names[i], shape->size[i], own.size[i]);
    }
  }
  return cri_fail(call->error, CR_ERR_ARG, "%s: %s is of another model of the same sizes",
                  call->name, what);
}

// room for the changes of added stages
static cr_status check_stages(const cri_call* call, const cr_model* m, const cr_data* d,
                              const char* what) {
  const cri_schedule* s = m->schedule;
  if (s == NULL || s->nadded == 0 || cri_schedule_before(s, s->n, m, d) <= d->nbefore) {
    return CR_OK;
  }
  return cri_fail(call->error, CR_ERR_ARG,
                  "%s: %s was made before a stage was added to the model; make it again",
                  call->name, what);
}

// room for the numbers of another contact model
static cr_status check_contact(const cri_call* call, const cr_model* m, const cr_data* d,
                               const char* what) {
  if (cri_contact_room(m) <= d->nH) {
    return CR_OK;
  }
  return cri_fail(call->error, CR_ERR_ARG,
                  "%s: %s was made for another contact model; make it again", call->name, what);
}

// contacts that look at the velocity after the step need steps of the model's length
cr_status cri_check_method(const cri_call* call, const cr_model* m) {
  if (!cri_contact_in_use(m, CR_CONTACT_NCP) ||
      (m->integrator != CR_INT_RK4 && cri_tableau_of(m->integrator) == NULL)) {
    return CR_OK;
  }
  return cri_fail(call->error, CR_ERR_ARG,
                  "%s: contact model 'ncp' makes forces of a whole step, which the stages of "
                  "integrator %s do not have; set it to euler, implicit, implicitfast or discrete",
                  call->name, cri_integrator_word(m->integrator));
}

// additional room for the integrator of the model; a rollout makes it if it is missing
static cr_status check_integrator(const cri_call* call, const cr_model* m, const cr_data* d,
                                  const char* what) {
  CR_TRY(check_stages(call, m, d, what));
  CR_TRY(check_contact(call, m, d, what));
  const cri_tableau* t = cri_tableau_of(m->integrator);
  bool stages = t != NULL && t->n > d->nrk;
  bool discrete = m->integrator == CR_INT_DISCRETE && m->nv > 0 && d->nefmL == 0;
  if (!stages && !discrete) {
    return CR_OK;
  }
  return cri_fail(call->error, stages ? CR_ERR_ARG : CR_ERR_CAPACITY,
                  "%s: %s was made for another integrator and has no room for %s; make it again",
                  call->name, what, cri_integrator_word(stages ? m->integrator : CR_INT_DISCRETE));
}

cr_status cri_check_shape(const cri_call* call, const cr_model* m, const cr_data* d,
                          const char* what) {
  CR_TRY(cri_given(call, m, "the model"));
  CR_TRY(cri_given(call, d, what));
  return cri_has_shape(m, &d->shape) ? CR_OK : wrong_shape(call, m, &d->shape, what);
}

cr_status cri_check_data(const cri_call* call, const cr_model* m, const cr_data* d,
                         cr_data_role role, const char* what) {
  CR_TRY(cri_check_shape(call, m, d, what));
  CR_TRY(d->role == role ? CR_OK : wrong_role(call, d->role, role, what));
  return check_integrator(call, m, d, what);
}

cr_status cri_check_variant(const cri_call* call, const cr_model* m, const cr_data* d,
                            const char* what) {
  CR_TRY(cri_given(call, m, what));
  CR_TRY(cri_has_shape(m, &d->shape) ? CR_OK : wrong_shape(call, m, &d->shape, "the data"));
  return check_integrator(call, m, d, "the data");
}

cr_status cri_check_done(const cri_call* call, const cr_model* m, const cr_data* d, unsigned done) {
  CR_TRY(cri_check_data(call, m, d, CR_DATA_PLAIN, "the data"));
  if ((d->done & done) == done) {
    return CR_OK;
  }
  const char* needed = (done & CRI_DONE_STEP) != 0      ? "cr_step"
                       : (done & CRI_DONE_INVERSE) != 0 ? "cr_inverse"
                                                        : "cr_forward";
  return cri_fail(call->error, CR_ERR_ARG, "%s: call %s at this state first", call->name, needed);
}

// ---- one beside another

static bool same_room(const cr_data* a, const cr_data* b) {
  return a->ncon_max == b->ncon_max && a->nefc_max == b->nefc_max && a->nJ_max == b->nJ_max &&
         a->nmoment == b->nmoment;
}

static cr_status other_room(const cri_call* call, const cr_data* d, const cr_data* other,
                            const char* what) {
  return cri_fail(call->error, CR_ERR_ARG,
                  "%s: %s has not the room of the data (%d contacts and %d rows, the data %d and "
                  "%d); make it again",
                  call->name, what, other->ncon_max, other->nefc_max, d->ncon_max, d->nefc_max);
}

cr_status cri_check_twin(const cri_call* call, const cr_model* m, const cr_data* d,
                         const cr_data* twin, cr_data_role role, const char* what) {
  CR_TRY(cri_check_data(call, m, twin, role, what));
  return same_room(d, twin) ? CR_OK : other_room(call, d, twin, what);
}

cr_status cri_check_work(const cri_call* call, const cr_model* m, const cr_data* d,
                         const cr_data* work) {
  if (work == d) {
    return cri_fail(call->error, CR_ERR_ARG,
                    "%s: work is the data itself; a second block is needed", call->name);
  }
  CR_TRY(cri_check_data(call, m, work, CR_DATA_PLAIN, "work"));
  return same_room(d, work) ? CR_OK : other_room(call, d, work, "work");
}
