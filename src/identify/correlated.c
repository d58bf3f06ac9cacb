// SPDX-License-Identifier: Apache-2.0
#include "identify/correlated.h"

#include <stdlib.h>

#include "identify/noise.h"
#include "math/dense_lu.h"
#include "math/symmetric_eigen.h"

static const cr_real LEAST = CR_R(0.01);  // correlation that counts

int cri_correlated_lags(const cr_real* c, int64_t n, cr_real* r) {
  cr_real phi[CRI_CORRELATED_TERMS] = {0}, best[CRI_CORRELATED_TERMS] = {0}, rest = 1, least = 0;
  int terms = 0, lags = 0;
  for (int p = 0; p < CRI_CORRELATED_TERMS && c[0] > 0; p++) {
    cr_real kept[CRI_CORRELATED_TERMS], sum = c[p + 1] / c[0];
    for (int i = 0; i < p; i++) {
      sum -= phi[i] * c[p - i] / c[0];
    }
    cr_real reflection = sum / rest;
    cr_copy(kept, phi, p);
    for (int i = 0; i < p; i++) {
      phi[i] -= reflection * kept[p - 1 - i];
    }
    phi[p] = reflection;
    rest *= 1 - reflection * reflection;
    if (!(rest > 0)) {
      break;
    }
    cr_real criterion = (cr_real)n * cr_log(rest) + 2 * (cr_real)(p + 1);
    if (criterion < least) {
      least = criterion;
      terms = p + 1;
      cr_copy(best, phi, terms);
    }
  }
  for (int k = 1; k <= CRI_CORRELATED_LAGS; k++) {
    r[k - 1] = 0;
    for (int i = 0; i < terms; i++) {
      int before = k - 1 - i;
      cr_real one = before == 0 ? 1 : r[(before < 0 ? -before : before) - 1];
      r[k - 1] += k <= terms ? 0 : best[i] * one;
    }
    r[k - 1] = k <= terms ? c[k] / c[0] : r[k - 1];
    lags = cr_abs(r[k - 1]) > LEAST ? k : lags;
  }
  return lags;
}

// ---- one pass over the windows

// of a number of a place: errors before, or rows, as a ring
typedef struct {
  int n, room;  // so many since the run began; of which so many are kept
  cr_real* kept;
} memory;

typedef struct {
  const cri_problem* p;
  const bool* follows;
  const int* first;  // of every place, its first number among `past`
  memory* past;
  int run;
  cr_real* sums;       // nplace (CRI_CORRELATED_TERMS + 1)
  int64_t* count;      // nplace
  cr_real *Z, *X;      // nx nx, nx n: of the starts of a window, and T = Z^-1 X in X
  cr_real* r;          // nplace CRI_CORRELATED_LAGS
  int* lags;           // nplace
  cr_real *row, *sum;  // n each
  cr_real* M;          // n n: sum over t != s
} passage;

static void begin_run(passage* g, int run) {
  if (run != g->run) {
    g->run = run;
    for (int i = 0; i < g->first[g->p->nplace]; i++) {
      g->past[i].n = 0;
    }
  }
}

static void add_errors(void* context, const cri_sight* sight) {
  passage* g = context;
  int place = sight->track->place;
  for (int i = 0; i < cri_output_errors(sight->output) && g->follows[place]; i++) {
    memory* past = &g->past[g->first[place] + sight->output->in_errors + i];
    cr_real e = sight->error[i], *c = g->sums + (ptrdiff_t)place * (CRI_CORRELATED_TERMS + 1);
    past->kept[past->n++ % past->room] = e;
    for (int k = 0; k <= CRI_CORRELATED_TERMS && k < past->n; k++) {
      c[k] += e * past->kept[(past->n - 1 - k) % past->room];
    }
    g->count[place]++;
  }
}

// what an error counts, over its noise: errors beyond huber count linearly
static cr_real size_of(const cri_problem* p, const cri_sight* sight, int i) {
  cr_real noise = p->places[sight->track->place].noise, z = cr_abs(sight->error[i]) / noise;
  return (p->huber > 0 && z > p->huber ? cr_sqrt(p->huber / z) : 1) / noise;
}

static void add_starts(void* context, const cri_sight* sight) {
  passage* g = context;
  int n = g->p->n, nx = g->p->nx, columns = cri_columns_of(g->p);
  for (int i = 0; i < cri_output_errors(sight->output); i++) {
    cr_real size = size_of(g->p, sight, i), square = size * size;
    const cr_real *row = sight->rows + (ptrdiff_t)i * columns, *z = row + n;
    for (int a = 0; a < nx; a++) {
      for (int b = 0; b < nx && z[a] != 0; b++) {
        g->Z[(ptrdiff_t)a * nx + b] += square * z[a] * z[b];
      }
      for (int b = 0; b < n && z[a] != 0; b++) {
        g->X[(ptrdiff_t)a * n + b] += square * z[a] * row[b];
      }
    }
  }
}

// T = Z^-1 X
static bool solve_starts(passage* g) {
  int n = g->p->n, nx = g->p->nx;
  int32_t pivot[CR_MAX_PARAMETERS];
  int32_t* at = nx <= CR_MAX_PARAMETERS ? pivot : calloc((size_t)nx, sizeof *at);
  if (at == NULL) {
    return false;
  }
  cr_real most = 0;
  for (int a = 0; a < nx; a++) {
    most = cr_max(most, g->Z[(ptrdiff_t)a * nx + a]);
  }
  for (int a = 0; a < nx; a++) {  // what nothing tells of a start moves nothing
    g->Z[(ptrdiff_t)a * nx + a] += 16 * CR_EPS * most;
  }
  const cr_run all = {0, nx};
  const cr_runs runs = {1, &all};
  bool regular = cr_dense_lu_factor(g->Z, nx, runs, at);
  for (int k = 0; k < n && regular; k++) {
    cr_dense_lu_solve(g->Z, nx, runs, at, false, g->X + k, n);
  }
  if (at != pivot) {
    free(at);
  }
  return regular;
}

static void add_pairs(void* context, const cri_sight* sight) {
  passage* g = context;
  const cri_problem* p = g->p;
  int place = sight->track->place, n = p->n, lags = g->lags[place];
  const cr_real* r = g->r + (ptrdiff_t)place * CRI_CORRELATED_LAGS;
  for (int i = 0; i < cri_output_errors(sight->output) && lags > 0; i++) {
    memory* past = &g->past[g->first[place] + sight->output->in_errors + i];
    const cr_real* row = sight->rows + (ptrdiff_t)i * cri_columns_of(p);
    cr_real size = size_of(p, sight, i);
    cr_copy(g->row, row, n);
    for (int a = 0; a < p->nx && !p->starts_known; a++) {
      for (int b = 0; b < n; b++) {
        g->row[b] -= row[n + a] * g->X[(ptrdiff_t)a * n + b];
      }
    }
    cr_zero(g->sum, n);
    for (int k = 1; k <= lags && k <= past->n; k++) {
      const cr_real* before = past->kept + (ptrdiff_t)((past->n - k) % past->room) * n;
      for (int b = 0; b < n; b++) {
        g->sum[b] += r[k - 1] * before[b];
      }
    }
    cr_real* to = past->kept + (ptrdiff_t)(past->n++ % past->room) * n;
    for (int b = 0; b < n; b++) {
      g->row[b] *= size;
      to[b] = g->row[b];
    }
    for (int a = 0; a < n; a++) {
      for (int b = 0; b < n; b++) {
        g->M[(ptrdiff_t)a * n + b] += g->row[a] * g->sum[b] + g->sum[a] * g->row[b];
      }
    }
  }
}

static cr_status see(cri_search* s, int span, cri_see* with, passage* g, cr_error* error) {
  cr_status status = cri_predict(s->predictor[0], &s->p, span, true, with, g, NULL, NULL, error);
  if (status != CR_ERR_CAPACITY) {
    return status;
  }
  // nothing is counted twice: room is made before a window is
  CR_TRY(cri_predictor_grow(s->predictor[0], &s->p, error));
  return CR_ERR_CAPACITY;
}

static void ignore_sight(void* context, const cri_sight* sight) { (void)context, (void)sight; }

static cr_status add_window(cri_search* s, int span, passage* g, cr_error* error) {
  int n = s->p.n, nx = s->p.nx;
  cr_status status = CR_ERR_CAPACITY;
  while (status == CR_ERR_CAPACITY) {
    status = see(s, span, ignore_sight, g, error);
  }
  CR_TRY(status);
  if (!s->p.starts_known) {
    cr_zero(g->Z, nx * nx);
    cr_zero(g->X, nx * n);
    CR_TRY(see(s, span, add_starts, g, error));
    if (!solve_starts(g)) {
      return cri_fail(error, CR_ERR_SINGULAR,
                      "run %s: its start is not told, and so not how errors that follow each other "
                      "count",
                      s->p.runs[s->p.spans[span].run].name);
    }
  }
  begin_run(g, s->p.spans[span].run);
  return see(s, span, add_pairs, g, error);
}

// ---- memory

static cr_status make_room(passage* g, int room, int width, cr_error* error) {
  int numbers = g->first[g->p->nplace];
  g->run = -1;
  for (int k = 0; k < g->p->nplace; k++) {
    for (int i = g->first[k]; i < g->first[k + 1]; i++) {
      int keep = room > 0 ? room : g->lags[k] + 1;
      free(g->past[i].kept);
      g->past[i] = (memory){
          0, keep, g->follows[k] ? calloc((size_t)keep * (size_t)width, sizeof(cr_real)) : NULL};
      if (g->follows[k] && g->past[i].kept == NULL) {
        return cri_fail(error, CR_ERR_MEMORY, "identification: no memory for %d errors", numbers);
      }
    }
  }
  return CR_OK;
}

static cr_status gather(cri_search* s, passage* g, cr_error* error) {
  const cri_problem* p = &s->p;
  CR_TRY(make_room(g, CRI_CORRELATED_TERMS + 1, 1, error));
  for (int w = 0; w < p->ntrain; w++) {
    begin_run(g, p->spans[w].run);
    CR_TRY(cri_noise_see(s, w, add_errors, g, error));
  }
  for (int k = 0; k < p->nplace; k++) {
    g->lags[k] = g->follows[k]
                     ? cri_correlated_lags(g->sums + (ptrdiff_t)k * (CRI_CORRELATED_TERMS + 1),
                                           g->count[k], g->r + (ptrdiff_t)k * CRI_CORRELATED_LAGS)
                     : 0;
  }
  CR_TRY(make_room(g, 0, p->n, error));
  for (int w = 0; w < p->ntrain; w++) {
    CR_TRY(add_window(s, w, g, error));
  }
  return CR_OK;
}

// ---- the information

// H = V l V' becomes V l^1/2 W^-1 l^1/2 V', W = 1 + l^-1/2 V' M V l^-1/2, its eigenvalues at least 1; all scaled. room: 4 n n + 2 n
static void reduce(int n, const cr_real* scale, const cr_real* M, cr_real* H, cr_real* room) {
  size_t all = (size_t)n * (size_t)n;
  cr_real *V = room, *W = V + all, *U = W + all, *T = U + all, *l = T + all, *m = l + n, most = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      T[(ptrdiff_t)i * n + j] = H[(ptrdiff_t)i * n + j] * scale[i] * scale[j];
    }
  }
  cr_symmetric_eigen(T, n, l, V);
  for (int k = 0; k < n; k++) {
    most = cr_max(most, l[k]);
  }
  cr_real floor = 64 * (cr_real)n * CR_EPS * most;
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) {
      cr_real sum = 0;
      for (int i = 0; i < n && l[a] > floor && l[b] > floor; i++) {
        for (int j = 0; j < n; j++) {
          sum += V[(ptrdiff_t)i * n + a] * scale[i] * M[(ptrdiff_t)i * n + j] * scale[j] *
                 V[(ptrdiff_t)j * n + b];
        }
      }
      W[(ptrdiff_t)a * n + b] = (a == b) + (sum != 0 ? sum / cr_sqrt(l[a] * l[b]) : 0);
    }
  }
  cr_symmetric_eigen(W, n, m, U);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {  // T = V l^1/2 U m^-1/2
      cr_real sum = 0;
      for (int a = 0; a < n; a++) {
        sum += V[(ptrdiff_t)i * n + a] * cr_sqrt(cr_max(l[a], 0)) * U[(ptrdiff_t)a * n + k];
      }
      T[(ptrdiff_t)i * n + k] = sum / cr_sqrt(cr_max(m[k], 1));
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      cr_real sum = 0;
      for (int k = 0; k < n; k++) {
        sum += T[(ptrdiff_t)i * n + k] * T[(ptrdiff_t)j * n + k];
      }
      H[(ptrdiff_t)i * n + j] = sum / (scale[i] * scale[j]);
    }
  }
}

cr_status cri_correlated_information(cri_search* s, const bool* follows, const cr_real* scale,
                                     cr_real* H, cr_error* error) {
  const cri_problem* p = &s->p;
  size_t n = (size_t)p->n, nx = (size_t)p->nx, places = (size_t)p->nplace, numbers = 0;
  for (int k = 0; k < p->nplace; k++) {
    numbers += (size_t)p->places[k].nerror;
  }
  size_t sums = places * (CRI_CORRELATED_TERMS + 1), lags = places * CRI_CORRELATED_LAGS;
  cr_real* room = calloc(5 * n * n + 4 * n + nx * nx + nx * n + sums + lags + 1, sizeof *room);
  int* first = calloc(2 * places + 1, sizeof *first);
  int64_t* count = calloc(places + 1, sizeof *count);
  memory* past = calloc(numbers + 1, sizeof *past);
  cr_status status = CR_OK;
  if (room == NULL || first == NULL || count == NULL || past == NULL) {
    status = cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  } else {
    for (size_t k = 0; k < places; k++) {
      first[k + 1] = first[k] + p->places[k].nerror;
    }
    passage g = {.p = p, .follows = follows, .first = first, .past = past, .count = count};
    g.lags = first + places + 1;
    g.M = room + 4 * n * n + 2 * n;
    g.row = g.M + n * n;
    g.sum = g.row + n;
    g.Z = g.sum + n;
    g.X = g.Z + nx * nx;
    g.sums = g.X + nx * n;
    g.r = g.sums + sums;
    status = gather(s, &g, error);
    if (status == CR_OK) {
      reduce(p->n, scale, g.M, H, room);
    }
  }
  for (size_t i = 0; i < numbers && past != NULL; i++) {
    free(past[i].kept);
  }
  free(past);
  free(count);
  free(first);
  free(room);
  return status;
}
