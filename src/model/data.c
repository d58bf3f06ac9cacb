// SPDX-License-Identifier: Apache-2.0
// Memory of cr_data and its twins: one block each, laid out from the field table.
#include "model/data.h"

#include <assert.h>
#include <stdlib.h>

#include "model/added_contact.h"
#include "model/fields.h"
#include "model/schedule.h"
#include "model/state_vector.h"
#include "model/tableau.h"

enum { ALIGN = 64 };

const bool cri_no_params[CR_N_FIELD] = {false};

static size_t rounded(size_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

// most contacts of a pair of geoms, by MuJoCo's rules
static int most_contacts(int type1, int type2) {
  if (type1 == CR_GEOM_HFIELD || type2 == CR_GEOM_HFIELD) {
    return 50;
  }
  bool sphere = type1 == CR_GEOM_SPHERE || type2 == CR_GEOM_SPHERE;
  if (sphere || type1 == CR_GEOM_ELLIPSOID || type2 == CR_GEOM_ELLIPSOID) {
    return 1;
  }
  if (type1 == CR_GEOM_BOX && type2 == CR_GEOM_BOX) {
    return 8;
  }
  return type1 == CR_GEOM_CAPSULE || type2 == CR_GEOM_CAPSULE ? 2 : 4;
}

// largest dimension of a contact, 3 at least
static int most_dimensions(const cr_model* m) {
  int dim = 3;
  for (int i = 0; i < m->ngeom; i++) {
    dim = m->geom_condim[i] > dim ? m->geom_condim[i] : dim;
  }
  for (int i = 0; i < m->npair; i++) {
    dim = m->pair_dim[i] > dim ? m->pair_dim[i] : dim;
  }
  return dim;
}

static int deepest_chain(const cr_model* m) {
  int deepest = 0;
  for (int i = 0; i < m->nv; i++) {
    deepest = m->M_rownnz[i] > deepest ? m->M_rownnz[i] : deepest;
  }
  return deepest;
}

// counts are 32 bits: no more than this of anything, and a sum of two still fits
enum { MOST = 1 << 30 };

static int bounded(int64_t n) { return n < MOST ? (int)n : MOST; }

cr_capacity cri_capacity_default(const cr_model* m) {
  int64_t most = 0, cap = 64 + 8 * (int64_t)m->ngeom;
  for (int i = 0; i < m->ngeom && most < cap; i++) {
    for (int j = i + 1; j < m->ngeom && most < cap; j++) {
      bool static_pair =
          m->body_weldid[m->geom_bodyid[i]] == 0 && m->body_weldid[m->geom_bodyid[j]] == 0;
      bool match = (m->geom_contype[i] & m->geom_conaffinity[j]) != 0 ||
                   (m->geom_contype[j] & m->geom_conaffinity[i]) != 0;
      most += match && !static_pair ? most_contacts(m->geom_type[i], m->geom_type[j]) : 0;
    }
  }
  for (int i = 0; i < m->npair && most < cap; i++) {
    most += most_contacts(m->geom_type[m->pair_geom1[i]], m->geom_type[m->pair_geom2[i]]);
  }
  int64_t ncon = most < cap ? most : cap;
  int dim = most_dimensions(m), per_contact = m->cone == CR_CONE_PYRAMIDAL ? 2 * (dim - 1) : dim;
  int64_t chain = 2 * (int64_t)deepest_chain(m);
  int64_t nefc = m->nv + 2 * (int64_t)m->njnt + 3 * (int64_t)m->ntendon + per_contact * ncon;
  for (int i = 0; i < m->neq; i++) {
    nefc += m->eq_type[i] == CR_EQ_WELD ? 6 : (m->eq_type[i] == CR_EQ_CONNECT ? 3 : 1);
  }
  // of those that follow another there are more, but they make no rows
  ncon *= m->collision == CR_COLLISION_SMOOTH ? 4 : 1;
  return (cr_capacity){.ncon = bounded(ncon),
                       .nefc = bounded(nefc),
                       .nJ = bounded(nefc * (chain < m->nv ? chain : m->nv))};
}

static int last_dof(const cr_model* m, int site) {
  int b = site < 0 ? 0 : m->body_weldid[m->site_bodyid[site]];
  return m->body_dofadr[b] < 0 ? -1 : m->body_dofadr[b] + m->body_dofnum[b] - 1;
}

// dofs that move one of two sites, not both
static int count_between(const cr_model* m, int site1, int site2) {
  int a = last_dof(m, site1), b = last_dof(m, site2), n = 0;
  for (; a != b; n++) {
    int* later = a > b ? &a : &b;
    *later = m->dof_parentid[*later];
  }
  return n;
}

// non-zeros of actuator_moment: the dofs of the actuator's joint, tendon or sites; what a body may
// touch is known only later
static int64_t count_moment(const cr_model* m) {
  int64_t n = 0;
  for (int i = 0; i < m->nactuator; i++) {
    int id = m->actuator_trnid[2 * i];
    if (m->actuator_trntype[i] == CR_TRN_TENDON) {
      n += m->ten_J_rownnz[id];
    } else if (m->actuator_trntype[i] == CR_TRN_SO3) {
      int other = m->actuator_trnid[2 * i + 1];
      n += 3 * (other < 0 ? 1 : count_between(m, id, other));
    } else if (m->actuator_trntype[i] == CR_TRN_BODY) {
      n += m->nv;
    } else if (m->actuator_trntype[i] == CR_TRN_SITE ||
               m->actuator_trntype[i] == CR_TRN_SLIDERCRANK) {
      n += count_between(m, id, m->actuator_trnid[2 * i + 1]);
    } else {
      n += cri_joint_dofs(m->jnt_type[id]);
    }
  }
  return n;
}

static bool is_discrete(const cr_model* m) { return m->integrator == CR_INT_DISCRETE; }

// stages of the model's integrator, or of MuJoCo's, whichever are more
static int32_t most_stages(const cr_model* m) {
  const cri_tableau *rk4 = cri_tableau_of(CR_INT_RK4), *own = cri_tableau_of(m->integrator);
  return own != NULL && own->n > rk4->n ? own->n : rk4->n;
}

static bool twin_has(const cr_field* f) {
  return f->tangent != CR_TANGENT_NONE && f->kind != CR_KIND_INDEX && f->kind != CR_KIND_SAVE;
}

static void set_pointer(cr_data* d, size_t offset, void* pointer) {
  memcpy((char*)d + offset, &pointer, sizeof pointer);
}

static int operator_rows(const cr_model* m, const cr_data* d, cr_field_id id) {
  switch ((int)id) {
    case CR_FIELD_M:
      return m->nv;
    case CR_FIELD_efm_fluid:
      return d->nefmfluid > 0 ? m->nv : 0;
    case CR_FIELD_efc_J:
      return d->nefc_max;
    case CR_FIELD_ten_J:
      return m->ntendon;
    default:
      return m->nout;
  }
}

static int pairs_of(const cri_need* all, cr_field_id id) {
  switch ((int)id) {
#define CR_OP(name, left, right, nnz, text) \
  case CR_FIELD_##name:                     \
    return bounded((int64_t)all->name);
#include "model/data_fields.h"
    default:
      return 0;
  }
}

// pairs of an operator, behind its values
static size_t layout_pairs(const cr_model* m, cr_data* d, cr_field_id id, int max, char* memory) {
  cr_pairs* p = (cr_pairs*)(void*)((char*)d + cri_field(id)->pairs);
  int left = operator_rows(m, d, id);
  *p = (cr_pairs){
      .max = max, .room = max, .left_size = left, .right_size = m->nv, .beyond = d->beyond};
  size_t left_bytes = rounded((size_t)p->max * (size_t)left * sizeof(cr_real));
  size_t right_bytes = rounded((size_t)p->max * (size_t)m->nv * sizeof(cr_real));
  if (memory != NULL) {
    p->left = p->room_left = (cr_real*)(void*)memory;
    p->right = p->room_right = (cr_real*)(void*)(memory + left_bytes);
  }
  return left_bytes + right_bytes;
}

// one layout, run twice: with memory NULL it only counts
static size_t layout(const cr_model* m, cr_data* d, char* memory) {
  size_t used = 0;
  const cri_counts counts = cri_counts_of(m, d);
  const cri_need all = d->needs(m, &counts);
  for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    const cr_field* f = cri_field(id);
    bool has = d->role == CR_DATA_PLAIN || twin_has(f);
    size_t item = f->kind == CR_KIND_INDEX ? sizeof(int32_t) : sizeof(cr_real);
    size_t numbers = (size_t)cri_field_capacity(m, d, id) * (size_t)cri_field_width(m, id);
    set_pointer(d, f->offset, has && memory != NULL ? memory + used : NULL);
    used += has ? rounded(numbers * item) : 0;
    if (f->kind == CR_KIND_OP && d->role == CR_DATA_COTANGENT) {
      used += layout_pairs(m, d, id, pairs_of(&all, id), memory == NULL ? NULL : memory + used);
    }
  }
  d->scratch = memory == NULL ? NULL : (cr_real*)(void*)(memory + used);
  d->scratch_size = all.scratch;
  return used + rounded(d->scratch_size * sizeof(cr_real));
}

// ---- scratch, and what does not fit there

typedef struct piece {
  struct piece* next;
  size_t at;  // where it would begin in the scratch
  cr_real numbers[];
} piece;

static void free_pieces(piece** first, size_t at) {
  while (*first != NULL && (*first)->at >= at) {
    piece* next = (*first)->next;
    free(*first);
    *first = next;
  }
}

// Where there is no memory for what does not fit either, nothing can go on.
static cr_real* add_piece(piece** first, size_t at, size_t n) {
  piece* p = n < SIZE_MAX / 2 / sizeof(cr_real) ? malloc(sizeof *p + n * sizeof(cr_real)) : NULL;
  if (p == NULL) {
    __builtin_trap();
  }
  p->next = *first;
  p->at = at;
  *first = p;
  return p->numbers;
}

// What a matrix of all dofs would need is mostly never touched: calloc leaves it to the system until
// then.
static cr_status allocate(cr_data* d, const cr_model* m, cr_error* error) {
  d->memory_size = layout(m, d, NULL);
  d->beyond = calloc(1, sizeof *d->beyond);
  char* block = d->beyond != NULL ? calloc(1, d->memory_size + ALIGN) : NULL;
  if (block == NULL) {
    free(d->beyond);
    d->beyond = NULL;
    return cri_fail(error, CR_ERR_MEMORY, "data: no memory for %zu bytes", d->memory_size);
  }
  char* memory = block + (ALIGN - (uintptr_t)(void*)block % ALIGN) % ALIGN;
  layout(m, d, memory);
  d->block = block;
  d->memory = memory;
  d->field_size = d->memory_size - rounded(d->scratch_size * sizeof(cr_real));
  return CR_OK;
}

// numbers of a factor over all dofs
static int64_t triangle(const cr_model* m) { return (int64_t)m->nv * (m->nv + 1) / 2; }

int64_t cri_contact_room(const cr_model* m) {
  return cri_all_convex(m) || cri_all_explicit(m) ? triangle(m) : (int64_t)m->nv * m->nv;
}

// numbers that added stages change
static int64_t count_changed(const cr_model* m, const cr_data* d) {
  const cri_schedule* s = m->schedule;
  return s != NULL ? cri_schedule_before(s, s->n, m, d) : 0;
}

static cr_status set_room(const cr_model* m, cr_data* d, cr_error* error) {
  int64_t n;
#define CR_ROOM(name, numbers, text)                                                         \
  n = numbers;                                                                               \
  if (n > MOST) {                                                                            \
    return cri_fail(error, CR_ERR_MEMORY, "data: %lld " text " are too many", (long long)n); \
  }                                                                                          \
  d->name = (int32_t)n;
#include "model/data_counts.h"
  return CR_OK;
}

cr_status cri_data_make(cr_data** out, const cr_model* m, cri_needs* needs,
                        const cr_capacity* capacity, cr_error* error) {
  cr_capacity c = capacity != NULL ? *capacity : cri_capacity_default(m);
  cr_data* d = calloc(1, sizeof *d);
  if (d == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "data: no memory");
  }
  d->role = CR_DATA_PLAIN;
  d->shape = cri_shape_of(m);
  d->needs = needs;
#define CR_LIVE(name, text) d->name##_max = c.name;
#include "model/data_counts.h"
  cr_status status = set_room(m, d, error);
  status = status == CR_OK ? allocate(d, m, error) : status;
  status = status == CR_OK ? cri_effective_make(&d->effective, m, error) : status;
  if (status != CR_OK) {
    cri_data_free(d);
    return status;
  }
  cri_data_reset(m, d);
  *out = d;
  return CR_OK;
}

cr_status cri_data_twin(cr_data** out, const cr_model* m, const cr_data* d, cr_data_role role,
                        const bool* wanted, cr_error* error) {
  assert(role != CR_DATA_PLAIN);
  cr_data* twin = calloc(1, sizeof *twin);
  if (twin == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "data twin: no memory");
  }
  twin->role = role;
  twin->shape = cri_shape_of(m);
  twin->needs = d->needs;
#define CR_LIVE(name, text) twin->name##_max = d->name##_max;
#define CR_ROOM(name, numbers, text) twin->name = d->name;
#include "model/data_counts.h"
  cr_status status = allocate(twin, m, error);
  if (status == CR_OK) {
    status = cri_model_twin(&twin->par, m, wanted, error);
  }
  status = status == CR_OK ? cri_effective_make(&twin->effective, m, error) : status;
  if (status != CR_OK) {
    cri_data_free(twin);
    return status;
  }
  *out = twin;
  return CR_OK;
}

void cri_twin_clear(cr_data* twin) {
  memset(twin->memory, 0, twin->field_size);
#define CR_OP(name, left, right, nnz, text) twin->name##_pairs.n = 0;
#include "model/data_fields.h"
  twin->scratch_used = 0;
  cri_effective_clear(twin->effective);
}

void cri_data_free(cr_data* d) {
  if (d != NULL) {
    cri_model_free(&d->par);
    cri_effective_free(d->effective);
    if (d->beyond != NULL) {
      free_pieces(&d->beyond->scratch, 0);
      free_pieces(&d->beyond->pairs, 0);
      free(d->beyond);
    }
    free(d->block);
    free(d);
  }
}

void cri_data_reset(const cr_model* m, cr_data* d) {
  cri_state_zero(cri_state_of(m, d));
  cr_copy(d->qpos, m->qpos0, m->nq);
  cr_zero(d->ctrl, m->nu);
  for (int i = 0; i < m->nactuator; i++) {
    // an orientation as a quaternion starts as the identity
    if (m->actuator_gaintype[i] == CR_GAIN_SO3 && m->actuator_ctrlnum[i] == 4) {
      d->ctrl[m->actuator_ctrladr[i]] = 1;
    }
  }
  cr_zero(d->qfrc_applied, m->nv);
  cr_zero(d->xfrc_applied, 6 * m->nbody);
  cr_zero(d->qacc_warmstart, m->nv);
  for (int i = 0; i < m->neq; i++) {
    d->eq_active[i] = (cr_real)(m->eq_active0[i] != 0);
  }
  cr_copy(d->mocap_pos, m->mocap_pos0, 3 * m->nmocap);
  cr_copy(d->mocap_quat, m->mocap_quat0, 4 * m->nmocap);
  d->time = 0;
}

void cri_data_copy(const cr_model* m, cr_data* to, const cr_data* from) {
  assert(to->role == from->role && to->memory_size == from->memory_size);
  (void)m;
  memcpy(to->memory, from->memory, from->memory_size);
#define CR_LIVE(name, text) to->name = from->name;
#define CR_PART(name, text) to->name = from->name;
#include "model/data_counts.h"
  to->time = from->time;
  to->want_M = from->want_M;
  to->M_formed = from->M_formed;
  to->M_changed = from->M_changed;
  to->measured = from->measured;
  to->done = from->done;
  to->beside_rest = from->beside_rest;
  to->stage = from->stage;
  to->stage_method = from->stage_method;
  to->stage_step = from->stage_step;
  to->solver_iterations = from->solver_iterations;
  to->solver_residual = from->solver_residual;
  to->rounding = from->rounding;
  to->rounding_dof = from->rounding_dof;
  to->euler_weak = from->euler_weak;
  cri_effective_copy(to->effective, from->effective);
}

// room for n numbers behind `at`, those popped meanwhile given back
static __attribute__((noinline)) cr_real* push_beyond(cr_data* d, size_t at, size_t n) {
  cri_beyond* b = d->beyond;
  free_pieces(&b->scratch, at);
  b->exceeded = true;
  b->needed = at + n > b->needed ? at + n : b->needed;
  d->scratch_used = at + n;
  return add_piece(&b->scratch, at, n);
}

cr_real* cri_push(cr_data* d, size_t n) {
  size_t at = d->scratch_used, end;
  if (__builtin_add_overflow(at, n, &end) || end > d->scratch_size) {
    return push_beyond(d, at, n);
  }
  d->scratch_used = end;
  if (end > d->scratch_peak) {
    d->scratch_peak = end;
  }
  return d->scratch + at;
}

int32_t* cri_push_int(cr_data* d, size_t n) {
  size_t numbers = (n * sizeof(int32_t) + sizeof(cr_real) - 1) / sizeof(cr_real);
  return (int32_t*)(void*)cri_push(d, numbers);
}

// those who hold vectors of the old place write there in vain
static __attribute__((noinline)) void move_pairs(cr_pairs* p) {
  size_t max = 2 * (size_t)p->max + 1, left = (size_t)p->left_size, right = (size_t)p->right_size;
  cr_real* place = add_piece(&p->beyond->pairs, 0, max * (left + right));
  memcpy(place, p->left, (size_t)p->n * left * sizeof(cr_real));
  memcpy(place + max * left, p->right, (size_t)p->n * right * sizeof(cr_real));
  p->left = place;
  p->right = place + max * left;
  p->max = (int)max;
  p->beyond->exceeded = true;
}

int cri_pairs_add(cr_pairs* p) {
  if (p->n == p->max) {
    move_pairs(p);
  }
  int k = p->n++;
  p->needed = p->max > p->room && p->n > p->needed ? p->n : p->needed;
  memset(cri_pair_left(p, k), 0, (size_t)p->left_size * sizeof(cr_real));
  memset(cri_pair_right(p, k), 0, (size_t)p->right_size * sizeof(cr_real));
  return k;
}

void cri_pairs_trim(cr_pairs* p, int first) {
  while (p->n > first && cr_is_zero(cri_pair_left(p, p->n - 1), p->left_size)) {
    p->n--;
  }
}

// back to the room made ready; false where it did
static bool shrink_pairs(cr_pairs* p, const char* name, cr_data* d, const char* who) {
  if (p->max == p->room) {
    return false;
  }
  (void)cri_fail(&d->error, CR_ERR_CAPACITY,
                 "%s: cotangent of %s: %d pairs needed, there is room for %d", who, name, p->needed,
                 p->room);
  p->max = p->room;
  p->left = p->room_left;
  p->right = p->room_right;
  p->n = p->needed = 0;
  return true;
}

cr_status cri_room_fail(cr_data* d, const char* who) {
  cri_beyond* b = d->beyond;
  size_t needed = b->needed;
  bool pairs = false;
#define CR_OP(name, left, right, nnz, text) \
  pairs = shrink_pairs(&d->name##_pairs, #name, d, who) || pairs;
#include "model/data_fields.h"
  free_pieces(&b->pairs, 0);
  free_pieces(&b->scratch, d->scratch_used);
  b->exceeded = false;
  b->needed = 0;
  return pairs && needed == 0 ? CR_ERR_CAPACITY
                              : cri_fail(&d->error, CR_ERR_CAPACITY,
                                         "%s: scratch: %zu numbers needed, there is room for %zu",
                                         who, needed, d->scratch_size);
}
