// SPDX-License-Identifier: Apache-2.0
// Expressions: a recursive-descent parser into a list of nodes in order of evaluation; the value
// is one pass over the list, the cotangents are one pass backwards.
//   [expression.x1] r = a + b    [expression.x2] r = a - b    [expression.x3] r = a b    [expression.x4] r = a / b    [expression.x5] r = a^b
//   [expression.x6] r = -a       [expression.x7] r = sum a    [expression.x8] r = |a|    [expression.x9] r = abs a
//   [expression.x10] r = sin a   [expression.x11] r = cos a   [expression.x12] r = exp a [expression.x13] r = log a   [expression.x14] r = sqrt a
//   [expression.x15] r = min(a, b)   [expression.x16] r = max(a, b)   [expression.x17] r = time
// A value that is not finite at any node is an error, and so is a derivative that does not exist.
// Kinks are allowed, with the mean of the slopes to all sides: |a| and abs a have the derivative 0 at a = 0, min and
// max have one half by each of two equal numbers.
#include "learn/expression.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/locale.h"
#include "engine/pipeline.h"
#include "model/misuse.h"

// leaves, then functions of two, then functions of one
typedef enum {
  NUMBER,
  TIME,
  PLACE,
  ADD,
  SUB,
  MUL,
  DIV,
  POW,
  MIN,
  MAX,
  NEG,
  SUM,
  NORM,
  ABS,
  SIN,
  COS,
  EXP,
  LOG,
  SQRT
} node_kind;

static const struct {
  const char* name;
  node_kind kind;
} functions[] = {{"sum", SUM}, {"norm", NORM}, {"abs", ABS}, {"sin", SIN}, {"cos", COS},
                 {"exp", EXP}, {"log", LOG},   {"min", MIN}, {"max", MAX}, {"sqrt", SQRT}};
enum { N_FUNCTIONS = (int)(sizeof functions / sizeof functions[0]) };

typedef struct {
  node_kind kind;
  int a, b;    // operands, indices of earlier nodes
  int n;       // numbers in the value
  int at;      // first of them in the value arrays
  bool moves;  // depends on the state or a parameter; a number does not
  cr_real number;
  cr_place place;
} node;

enum { MAX_NODES = 128, MAX_NAME = 128, MAX_DEPTH = 64 };

struct cr_expression {
  node nodes[MAX_NODES];
  int nnode, nvalue;
  cr_real *value, *bar;
  bool every, vector;
  cri_shape shape;  // of the model in which the names were found
  char text[160];
};

typedef struct {
  cr_expression* e;
  const cr_model* m;
  const char *text, *at;
  int depth;  // of parentheses, signs and exponents
  cr_error* error;
} parser;

// ---- parser

static void skip_space(parser* p) {
  while (isspace((unsigned char)*p->at)) {
    p->at++;
  }
}

static bool accept(parser* p, char c) {
  skip_space(p);
  if (*p->at != c) {
    return false;
  }
  p->at++;
  return true;
}

static cr_status complain(parser* p, const char* what) {
  return cri_fail(p->error, CR_ERR_NAME, "expression '%.160s', at '%.80s': %s", p->text, p->at,
                  what);
}

static cr_status emit(parser* p, node n, int* out) {
  cr_expression* e = p->e;
  if (e->nnode == MAX_NODES) {
    return complain(p, "too long");
  }
  n.at = e->nvalue;
  n.moves = n.kind == PLACE || (n.kind >= ADD && (e->nodes[n.a].moves || e->nodes[n.b].moves));
  e->nvalue += n.n;
  e->nodes[e->nnode] = n;
  *out = e->nnode++;
  return CR_OK;
}

static cr_status emit_binary(parser* p, node_kind kind, int a, int b, int* out) {
  int na = p->e->nodes[a].n, nb = p->e->nodes[b].n;
  if (na != nb && na != 1 && nb != 1) {
    return complain(p, "the two sides have different lengths");
  }
  if (kind == POW && nb != 1) {
    return complain(p, "an exponent is one number");
  }
  return emit(p, (node){.kind = kind, .a = a, .b = b, .n = na > nb ? na : nb}, out);
}

static cr_status parse_sum(parser* p, int* out);

// min(a, b, c) = min(min(a, b), c)
static cr_status parse_extreme(parser* p, node_kind kind, int* out) {
  CR_TRY(parse_sum(p, out));
  if (!accept(p, ',')) {
    return complain(p, "min() and max() take two numbers or more: ',' expected");
  }
  do {
    int b;
    CR_TRY(parse_sum(p, &b));
    CR_TRY(emit_binary(p, kind, *out, b, out));
  } while (accept(p, ','));
  return accept(p, ')') ? CR_OK : complain(p, "')' expected");
}

static cr_status parse_function(parser* p, node_kind kind, int* out) {
  if (kind == MIN || kind == MAX) {
    return parse_extreme(p, kind, out);
  }
  int a;
  CR_TRY(parse_sum(p, &a));
  if (!accept(p, ')')) {
    return complain(p, "')' expected");
  }
  int n = kind == SUM || kind == NORM ? 1 : p->e->nodes[a].n;
  return emit(p, (node){.kind = kind, .a = a, .b = a, .n = n}, out);
}

// a field that carries no derivative would silently make the gradient zero
static cr_status check_derivative(parser* p, const cr_place* place) {
  const cr_field* f = cri_field(place->field);
  bool constant = f->kind == CR_KIND_CONST || place->field == CR_FIELD_mocap_pos ||
                  place->field == CR_FIELD_mocap_quat;
  if (!constant && place->field != CR_FIELD_qpos && place->tan_count != place->count) {
    return complain(p, "this field carries no derivative (xmat does for xquat, efc_D for efc_R)");
  }
  return CR_OK;
}

// a name runs over letters, digits, '_', a '.' with its component, and brackets with any content
static cr_status parse_name(parser* p, int* out) {
  char name[MAX_NAME];
  size_t n = 0;
  while (isalnum((unsigned char)*p->at) || *p->at == '_' || *p->at == '.' || *p->at == '[') {
    char stop = *p->at == '[' ? ']' : 0;
    do {
      if (n + 1 >= sizeof name || *p->at == 0) {
        return complain(p, "a name does not end");
      }
      name[n++] = *p->at++;
    } while (stop != 0 && p->at[-1] != stop);
  }
  name[n] = 0;
  for (int i = 0; i < N_FUNCTIONS; i++) {
    if (strcmp(name, functions[i].name) == 0 && accept(p, '(')) {
      return parse_function(p, functions[i].kind, out);
    }
  }
  if (strcmp(name, "time") == 0) {
    return emit(p, (node){.kind = TIME, .n = 1}, out);
  }
  node leaf = {.kind = PLACE};
  CR_TRY(cri_place_find(&leaf.place, p->m, name, p->error));
  CR_TRY(check_derivative(p, &leaf.place));
  leaf.n = leaf.place.count;
  if (leaf.n == 0) {
    return complain(
        p, leaf.place.of_tangent ? "a tangent has no value" : "the model has none of these");
  }
  return emit(p, leaf, out);
}

static cr_status parse_primary(parser* p, int* out) {
  skip_space(p);
  if (accept(p, '(')) {
    CR_TRY(parse_sum(p, out));
    return accept(p, ')') ? CR_OK : complain(p, "')' expected");
  }
  if (isdigit((unsigned char)*p->at) || *p->at == '.') {
    char* end;
    double number = cri_number(p->at, &end);
    p->at = end;
    return emit(p, (node){.kind = NUMBER, .n = 1, .number = (cr_real)number}, out);
  }
  if (isalpha((unsigned char)*p->at)) {
    return parse_name(p, out);
  }
  return complain(p, "a name, a number or '(' expected");
}

static cr_status parse_unary(parser* p, int* out);

static cr_status parse_power(parser* p, int* out) {
  CR_TRY(parse_primary(p, out));
  if (accept(p, '^')) {
    int b;
    CR_TRY(parse_unary(p, &b));
    return emit_binary(p, POW, *out, b, out);
  }
  return CR_OK;
}

static cr_status parse_signed(parser* p, int* out) {
  if (accept(p, '-')) {
    int a;
    CR_TRY(parse_unary(p, &a));
    return emit(p, (node){.kind = NEG, .a = a, .b = a, .n = p->e->nodes[a].n}, out);
  }
  return parse_power(p, out);
}

static cr_status parse_unary(parser* p, int* out) {
  if (p->depth == MAX_DEPTH) {
    return complain(p, "nested too deep");
  }
  p->depth++;
  CR_TRY(parse_signed(p, out));
  p->depth--;
  return CR_OK;
}

static cr_status parse_product(parser* p, int* out) {
  CR_TRY(parse_unary(p, out));
  for (;;) {
    bool times = accept(p, '*');
    if (!times && !accept(p, '/')) {
      return CR_OK;
    }
    int b;
    CR_TRY(parse_unary(p, &b));
    CR_TRY(emit_binary(p, times ? MUL : DIV, *out, b, out));
  }
}

static cr_status parse_sum(parser* p, int* out) {
  CR_TRY(parse_product(p, out));
  for (;;) {
    bool plus = accept(p, '+');
    if (!plus && !accept(p, '-')) {
      return CR_OK;
    }
    int b;
    CR_TRY(parse_product(p, &b));
    CR_TRY(emit_binary(p, plus ? ADD : SUB, *out, b, out));
  }
}

static cr_status parse_whole(parser* p) {
  int root;
  CR_TRY(parse_sum(p, &root));
  skip_space(p);
  if (*p->at != 0) {
    return complain(p, "not understood");
  }
  return p->e->vector || p->e->nodes[root].n == 1
             ? CR_OK
             : complain(p, "a loss is one number; use sum() or norm()");
}

cr_status cri_expression_create(cr_expression** out, const cr_model* m, const char* text,
                                bool vector, cr_error* error) {
  cr_expression* e = calloc(1, sizeof *e);
  if (e == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "expression: no memory");
  }
  e->shape = cri_shape_of(m);
  e->vector = vector;
  (void)snprintf(e->text, sizeof e->text, "%s", text);
  parser p = {.e = e, .m = m, .text = text, .at = text, .error = error};
  cr_status status = parse_whole(&p);
  if (status == CR_OK) {
    e->value = calloc((size_t)e->nvalue, sizeof(cr_real));
    e->bar = calloc((size_t)e->nvalue, sizeof(cr_real));
    if (e->value == NULL || e->bar == NULL) {
      status = cri_fail(error, CR_ERR_MEMORY, "expression: no memory");
    }
  }
  if (status != CR_OK) {
    cr_expression_destroy(e);
    return status;
  }
  *out = e;
  return CR_OK;
}

cr_status cr_expression_create(cr_expression** out, const cr_model* m, const char* text,
                               cr_error* error) {
  const cri_call call = {"cr_expression_create", error};
  CR_TRY(cri_given(&call, out, "where the expression goes"));
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, text, "the text"));
  return cri_expression_create(out, m, text, false, error);
}

void cr_expression_destroy(cr_expression* e) {
  if (e != NULL) {
    free(e->value);
    free(e->bar);
    free(e);
  }
}

// ---- value

static cr_real reduce(node_kind kind, const cr_real* a, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += kind == SUM ? a[i] : a[i] * a[i];
  }
  return kind == SUM ? sum : cr_sqrt(sum);
}

static cr_real binary(node_kind kind, cr_real a, cr_real b) {
  switch (kind) {
    case ADD:
      return a + b;  // [expression.x1]
    case SUB:
      return a - b;  // [expression.x2]
    case MUL:
      return a * b;  // [expression.x3]
    case DIV:
      return a / b;  // [expression.x4]
    case MIN:
      return cr_min(a, b);  // [expression.x15]
    case MAX:
      return cr_max(a, b);  // [expression.x16]
    default:
      return b == 2 ? a * a : cr_pow(a, b);  // [expression.x5]
  }
}

static cr_real unary(node_kind kind, cr_real a) {
  switch (kind) {
    case NEG:
      return -a;  // [expression.x6]
    case ABS:
      return cr_abs(a);  // [expression.x9]
    case SIN:
      return cr_sin(a);  // [expression.x10]
    case COS:
      return cr_cos(a);  // [expression.x11]
    case EXP:
      return cr_exp(a);  // [expression.x12]
    case LOG:
      return cr_log(a);  // [expression.x13]
    default:
      return cr_sqrt(a);  // [expression.x14]
  }
}

static cr_status check(const cr_expression* e, const cr_model* m, const cr_data* d) {
  const cri_call call = {"cr_expression_loss", cri_error_of(d)};
  CR_TRY(cri_given(&call, e, "the expression"));
  return cri_has_shape(m, &e->shape)
             ? CR_OK
             : cri_fail(call.error, CR_ERR_ARG, "its names were found in another model");
}

static cr_status evaluate(cr_expression* e, const cr_model* m, const cr_data* d) {
  CR_TRY(check(e, m, d));
  for (int i = 0; i < e->nnode; i++) {
    const node* n = &e->nodes[i];
    const node *a = &e->nodes[n->a], *b = &e->nodes[n->b];
    cr_real* r = e->value + n->at;
    const cr_real *va = e->value + a->at, *vb = e->value + b->at;
    const cr_real* place = n->kind == PLACE ? cri_place_value(&n->place, m, d) : NULL;
    if (n->kind == PLACE && place == NULL) {
      return CR_ERR_NAME;
    }
    for (int k = 0; k < n->n; k++) {
      cr_real x = va[a->n == 1 ? 0 : k], y = vb[b->n == 1 ? 0 : k];
      switch (n->kind) {
        case NUMBER:
          r[k] = n->number;
          break;
        case PLACE:
          r[k] = place[k];
          break;
        case TIME:
          r[k] = d->time;  // [expression.x17]
          break;
        case SUM:
        case NORM:
          r[k] = reduce(n->kind, va, a->n);  // [expression.x7] [expression.x8]
          break;
        default:
          r[k] = n->kind < NEG ? binary(n->kind, x, y) : unary(n->kind, x);
      }
      if (!isfinite(r[k])) {
        return CR_ERR_NONFINITE;
      }
    }
  }
  return CR_OK;
}

int cri_expression_size(const cr_expression* e) { return e->nodes[e->nnode - 1].n; }

cr_status cri_expression_values(cr_expression* e, const cr_model* m, const cr_data* d,
                                cr_real* values) {
  CR_TRY(evaluate(e, m, d));
  cr_copy(values, e->value + e->nodes[e->nnode - 1].at, cri_expression_size(e));
  return CR_OK;
}

cr_status cr_expression_value(cr_expression* e, const cr_model* m, const cr_data* d,
                              cr_real* value) {
  CR_TRY(evaluate(e, m, d));
  *value += e->value[e->nodes[e->nnode - 1].at];
  return CR_OK;
}

// ---- cotangents

// derivatives by the factors of [expression.x5]', NaN if there is none
static cr_real power_by_base(cr_real x, cr_real y) {
  if (y == 0) {
    return 0;
  }
  return x == 0 && y < 1 ? (cr_real)NAN : y * cr_pow(x, y - 1);
}

static cr_real power_by_exponent(cr_real x, cr_real y) {
  if (x > 0) {
    return cr_pow(x, y) * cr_log(x);
  }
  return x == 0 && y > 0 ? 0 : (cr_real)NAN;
}

// slopes of a node's value by those of its operands that move
static void binary_slopes(node_kind kind, cr_real x, cr_real y, cr_real* by_x, cr_real* by_y) {
  switch (kind) {
    case ADD:
      *by_x = *by_y = 1;  // [expression.x1]'
      break;
    case SUB:
      *by_x = 1;  // [expression.x2]'
      *by_y = -1;
      break;
    case MUL:
      *by_x = y;  // [expression.x3]'
      *by_y = x;
      break;
    case DIV:
      *by_x = 1 / y;  // [expression.x4]'
      *by_y = -x / (y * y);
      break;
    case MIN:  // [expression.x15]'
    case MAX:  // [expression.x16]'
      *by_x = x == y ? CR_R(0.5) : (cr_real)((x < y) == (kind == MIN));
      *by_y = 1 - *by_x;
      break;
    default:
      *by_x = power_by_base(x, y);  // [expression.x5]'
      *by_y = power_by_exponent(x, y);
  }
}

static cr_status no_slope(const cr_expression* e, const node* n, bool by_first, cr_real x,
                          cr_real y, cr_error* error) {
  static const char* const signs[] = {
      [ADD] = "+", [SUB] = "-", [MUL] = "*", [DIV] = "/", [POW] = "^"};
  return cri_fail(error, CR_ERR_NONFINITE,
                  "'%s': %.9g %s %.9g has no derivative by its %s number, which moves", e->text,
                  (double)x, signs[n->kind], (double)y, by_first ? "first" : "second");
}

static cr_status binary_bar(cr_expression* e, const node* n, cr_error* error) {
  const node *a = &e->nodes[n->a], *b = &e->nodes[n->b];
  for (int k = 0; k < n->n; k++) {
    int ka = a->at + (a->n == 1 ? 0 : k), kb = b->at + (b->n == 1 ? 0 : k);
    cr_real x = e->value[ka], y = e->value[kb], r_bar = e->bar[n->at + k], by_x, by_y;
    binary_slopes(n->kind, x, y, &by_x, &by_y);
    if ((a->moves && !isfinite(by_x)) || (b->moves && !isfinite(by_y))) {
      return no_slope(e, n, a->moves && !isfinite(by_x), x, y, error);
    }
    e->bar[ka] += a->moves ? by_x * r_bar : 0;
    e->bar[kb] += b->moves ? by_y * r_bar : 0;
  }
  return CR_OK;
}

// slope of a function of one number; r is its value
static cr_real unary_slope(node_kind kind, cr_real x, cr_real r) {
  switch (kind) {
    case NEG:
      return -1;  // [expression.x6]'
    case SUM:
      return 1;  // [expression.x7]'
    case NORM:
      return r > 0 ? x / r : 0;  // [expression.x8]'
    case ABS:
      return cr_sign(x);  // [expression.x9]'
    case SIN:
      return cr_cos(x);  // [expression.x10]'
    case COS:
      return -cr_sin(x);  // [expression.x11]'
    case EXP:
      return r;  // [expression.x12]'
    case LOG:
      return 1 / x;  // [expression.x13]'
    default:
      return CR_R(0.5) / r;  // [expression.x14]'
  }
}

static cr_status unary_bar(cr_expression* e, const node* n, cr_error* error) {
  const node* a = &e->nodes[n->a];
  for (int k = 0; k < a->n && a->moves; k++) {
    int from = n->at + (n->n == 1 ? 0 : k);
    cr_real x = e->value[a->at + k], slope = unary_slope(n->kind, x, e->value[from]);
    if (!isfinite(slope)) {
      return cri_fail(error, CR_ERR_NONFINITE, "'%s': %s(%.9g) has no derivative", e->text,
                      n->kind == SQRT ? "sqrt" : "log", (double)x);
    }
    e->bar[a->at + k] += slope * e->bar[from];
  }
  return CR_OK;
}

static void place_bar(const cr_expression* e, const node* n, const cr_model* m, const cr_data* d,
                      cr_data* bar) {
  cr_real* to = cri_place_tangent(&n->place, m, d, bar);
  for (int k = 0; to != NULL && k < n->n && n->place.tan_count == n->n; k++) {
    to[k] += e->bar[n->at + k];
  }
}

// a quaternion has fewer directions than numbers: q_tan = q (0, delta) / 2 for each one named
static void qpos_bar(const cr_expression* e, const node* n, const cr_model* m, const cr_data* d,
                     cr_data* bar) {
  for (int j = 0; j < m->njnt; j++) {
    int type = m->jnt_type[j], adr = m->jnt_qposadr[j], dof = m->jnt_dofadr[j];
    int nposition = type == CR_JNT_FREE ? 3 : (type == CR_JNT_BALL ? 0 : 1);
    bool turns = type == CR_JNT_FREE || type == CR_JNT_BALL;
    for (int k = 0; k < nposition + (turns ? 4 : 0); k++) {
      int number = adr + k - n->place.first;
      if (number < 0 || number >= n->n) {
        continue;
      }
      cr_real b = e->bar[n->at + number];
      if (k < nposition) {
        bar->qpos[dof + k] += b;
        continue;
      }
      // rows of dq/d(delta): w: (-x -y -z), x: (w -z y), y: (z w -x), z: (-y x w), all over 2
      const cr_real* q = d->qpos + adr + nposition;
      const cr_real rows[4][3] = {
          {-q[1], -q[2], -q[3]}, {q[0], -q[3], q[2]}, {q[3], q[0], -q[1]}, {-q[2], q[1], q[0]}};
      for (int c = 0; c < 3; c++) {
        bar->qpos[dof + nposition + c] += CR_R(0.5) * rows[k - nposition][c] * b;
      }
    }
  }
}

cr_status cri_expression_pull(cr_expression* e, const cr_model* m, const cr_data* d,
                              const cr_real* values_bar, cr_data* bar) {
  const node* root = &e->nodes[e->nnode - 1];
  cr_zero(e->bar, e->nvalue);
  cr_copy(e->bar + root->at, values_bar, root->n);
  for (int i = e->nnode - 1; i >= 0; i--) {
    const node* n = &e->nodes[i];
    if (n->kind == PLACE && n->place.field == CR_FIELD_qpos) {
      qpos_bar(e, n, m, d, bar);
    } else if (n->kind == PLACE) {
      place_bar(e, n, m, d, bar);
    } else if (n->kind >= NEG) {
      CR_TRY(unary_bar(e, n, cri_error_of(d)));
    } else if (n->kind >= ADD) {
      CR_TRY(binary_bar(e, n, cri_error_of(d)));
    }
  }
  return CR_OK;
}

cr_status cr_expression_bar(cr_expression* e, const cr_model* m, const cr_data* d, cr_data* bar) {
  const cr_real one = 1;
  CR_TRY(evaluate(e, m, d));
  return cri_expression_pull(e, m, d, &one, bar);
}

bool cr_expression_needs_fields(const cr_expression* e) {
  for (int i = 0; e != NULL && i < e->nnode; i++) {
    cr_field_id id = e->nodes[i].place.field;
    bool given = cri_field(id)->kind == CR_KIND_STATE || cri_field_of_model(id);
    if (e->nodes[i].kind == PLACE && !given) {
      return true;
    }
  }
  return false;
}

void cri_expression_reach(const cr_expression* e, const cr_model* m, bool* stages) {
  for (int i = 0; i < e->nnode; i++) {
    cr_field_id id = e->nodes[i].place.field;
    if (e->nodes[i].kind == PLACE && !cri_field_of_model(id)) {
      bool behind[CR_MAX_STAGES] = {false};
      cri_stages_behind(m, id, NULL, behind);
      for (int k = 0; k < CR_MAX_STAGES; k++) {
        stages[k] = stages[k] || behind[k];
      }
    }
  }
}

// ---- as a loss

static bool every_step(const void* context, int step, int nstep) {
  const cr_expression* e = context;
  return step == nstep || (e != NULL && e->every);
}

static cr_status loss_value(void* context, const cr_model* m, const cr_data* d, int step,
                            cr_real* loss) {
  (void)step;
  return cr_expression_value(context, m, d, loss);
}

static cr_status loss_bar(void* context, const cr_model* m, const cr_data* d, int step,
                          cr_data* bar) {
  (void)step;
  return cr_expression_bar(context, m, d, bar);
}

cr_loss cr_expression_loss(cr_expression* e, bool every) {
  if (e != NULL) {
    e->every = every;
  }
  return (cr_loss){.context = e,
                   .looks_at = every_step,
                   .value = loss_value,
                   .bar = loss_bar,
                   .needs_fields = cr_expression_needs_fields(e)};
}
