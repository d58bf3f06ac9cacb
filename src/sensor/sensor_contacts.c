// SPDX-License-Identifier: Apache-2.0
// Contacts are taken in the order of a rank, each time the next above the last, so no list is stored. A
// slot is a row of pieces of three numbers at most; each piece has its tangent and its transpose.
#include "sensor/sensor_contacts.h"

#include "math/spatial.h"
#include "sensor/sensor_zone.h"
#include "solver/contact_force.h"

static const int widths[CR_N_CON] = {1, 3, 3, 1, 3, 3, 3, 3, 3};

int cri_contact_slot_size(int bits) {
  int n = 0;
  for (int k = 0; k < CR_N_CON; k++) {
    n += (bits >> k & 1) != 0 ? widths[k] : 0;
  }
  return n;
}

static int bits_of(const cr_model* m, int i) { return m->sensor_intprm[3 * i]; }
static int reduction_of(const cr_model* m, int i) { return m->sensor_intprm[3 * i + 1]; }

// ---- which contacts match

// side `side` of contact c is the object
static bool side_is(const cr_model* m, const cr_data* d, int c, int side, int type, int id) {
  int geom = d->contact_geom[2 * c + side], body = m->geom_bodyid[geom];
  switch (type) {
    case CR_OBJ_GEOM:
      return geom == id;
    case CR_OBJ_BODY:
      return body == id;
    case CR_OBJ_XBODY:  // anything in its subtree
      while (body > id) {
        body = m->body_parentid[body];
      }
      return body == id;
    default:  // no condition, or a site, which is tested elsewhere
      return true;
  }
}

// 1 if the contact matches as it is, -1 if it matches in reverse, 0 if not
static int match(const cr_model* m, const cr_data* d, int i, int c) {
  int type1 = m->sensor_objtype[i], id1 = m->sensor_objid[i];
  int type2 = m->sensor_reftype[i], id2 = m->sensor_refid[i];
  if (type1 == CR_OBJ_SITE && !cri_sensor_zone_holds(m, d, id1, d->contact_pos + 3 * c)) {
    return 0;
  }
  bool one[2], two[2];
  for (int side = 0; side < 2; side++) {
    one[side] = side_is(m, d, c, side, type1, id1);
    two[side] = side_is(m, d, c, side, type2, id2);
  }
  if ((!one[0] && !one[1]) || (!two[0] && !two[1])) {
    return 0;
  }
  if (type1 != CR_OBJ_UNKNOWN && type2 != CR_OBJ_UNKNOWN) {
    return one[0] && two[1] ? 1 : (one[1] && two[0] ? -1 : 0);
  }
  bool regular = type1 != CR_OBJ_UNKNOWN ? one[0] : two[1];
  return regular || type2 == type1 ? 1 : -1;
}

static int count_matches(const cr_model* m, const cr_data* d, int i) {
  int n = 0;
  for (int c = 0; c < d->ncon; c++) {
    n += match(m, d, i, c) != 0;
  }
  return n;
}

static cr_real rank(const cr_model* m, const cr_data* d, int i, int c) {
  cr_real w[6];
  switch (reduction_of(m, i)) {
    case CR_REDUCE_MINDIST:
      return d->contact_dist[c];
    case CR_REDUCE_MAXFORCE:
      cri_contact_force(m, d, c, w);
      return -cr_dot3(w, w);
    default:
      return 0;
  }
}

// the match that follows contact `last` (-1: the first) by rank, then by number; -1 none
static int next_match(const cr_model* m, const cr_data* d, int i, int last) {
  cr_real above = last < 0 ? 0 : rank(m, d, i, last), best = 0;
  int found = -1;
  for (int c = 0; c < d->ncon; c++) {
    cr_real r = rank(m, d, i, c);
    bool later = last < 0 || r > above || (r == above && c > last);
    if (later && (found < 0 || r < best) && match(m, d, i, c) != 0) {
      found = c;
      best = r;
    }
  }
  return found;
}

// ---- relative velocity of the second body and the first at contact c, world axes

static void arm_of(cr_real r[3], const cr_model* m, const cr_data* x, int c, int body) {
  cr_sub3(r, x->contact_pos + 3 * c, x->subtree_com + 3 * m->body_rootid[body]);
}

static int body_of(const cr_model* m, const cr_data* d, int c, int side) {
  return m->geom_bodyid[d->contact_geom[2 * c + side]];
}

static void velocity(const cr_model* m, const cr_data* d, int c, cr_real v[6]) {
  cr_zero6(v);
  for (int side = 0; side < 2; side++) {
    int b = body_of(m, d, c, side);
    cr_real r[3], u[6];
    arm_of(r, m, d, c, b);
    cr_copy6(u, d->cvel + 6 * b);
    cr_acccross3(u + 3, u, r);
    cr_accscl6(v, u, side == 1 ? 1 : -1);
  }
}

static void velocity_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int c,
                         cr_real v_tan[6]) {
  cr_zero6(v_tan);
  for (int side = 0; side < 2; side++) {
    int b = body_of(m, d, c, side);
    cr_real r[3], r_tan[3], u_tan[6];
    arm_of(r, m, d, c, b);
    arm_of(r_tan, m, tan, c, b);
    cr_copy6(u_tan, tan->cvel + 6 * b);
    cr_acccross3(u_tan + 3, u_tan, r);
    cr_acccross3(u_tan + 3, d->cvel + 6 * b, r_tan);
    cr_accscl6(v_tan, u_tan, side == 1 ? 1 : -1);
  }
}

static void velocity_bar(const cr_model* m, const cr_data* d, cr_data* bar, int c,
                         const cr_real v_bar[6]) {
  for (int side = 0; side < 2; side++) {
    int b = body_of(m, d, c, side);
    cr_real r[3], r_bar[3], sign = side == 1 ? 1 : -1, turn[3];
    arm_of(r, m, d, c, b);
    cr_accscl6(bar->cvel + 6 * b, v_bar, sign);
    cr_cross3(turn, r, v_bar + 3);
    cr_accscl3(bar->cvel + 6 * b, turn, sign);
    cr_cross3(r_bar, v_bar + 3, d->cvel + 6 * b);
    cr_accscl3(bar->contact_pos + 3 * c, r_bar, sign);
    cr_accscl3(bar->subtree_com + 3 * m->body_rootid[b], r_bar, -sign);
  }
}

// ---- the pieces of a slot for contact c, with sides reversed if flip is -1

// first three of six numbers, or the last
static int half_of(int piece) { return piece == CR_CON_TORQUE || piece == CR_CON_LINVEL ? 3 : 0; }

static void piece_value(const cr_model* m, const cr_data* d, int c, int piece, cr_real flip,
                        cr_real x[3]) {
  const cr_real* frame = d->contact_frame + 9 * c;
  cr_real six[6];
  switch (piece) {
    case CR_CON_FORCE:
    case CR_CON_TORQUE:
      cri_contact_force(m, d, c, six);
      cr_copy3(x, six + half_of(piece));
      x[2] *= flip;
      break;
    case CR_CON_DIST:
      x[0] = d->contact_dist[c];
      break;
    case CR_CON_POS:
      cr_copy3(x, d->contact_pos + 3 * c);
      break;
    case CR_CON_NORMAL:
    case CR_CON_TANGENT:
      cr_scl3(x, frame + (piece == CR_CON_TANGENT ? 3 : 0), flip);
      break;
    default:
      velocity(m, d, c, six);
      cr_mulmat3(x, frame, six + half_of(piece));
      x[2] *= flip;
      break;
  }
}

static void piece_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int c, int piece,
                      cr_real flip, cr_real x_tan[3]) {
  cr_real six[6], six_tan[6];
  switch (piece) {
    case CR_CON_FORCE:
    case CR_CON_TORQUE:
      cri_contact_force_tan(m, d, tan, c, six_tan);
      cr_copy3(x_tan, six_tan + half_of(piece));
      x_tan[2] *= flip;
      break;
    case CR_CON_LINVEL:
    case CR_CON_ANGVEL:
      velocity(m, d, c, six);
      velocity_tan(m, d, tan, c, six_tan);
      cr_mulmat3(x_tan, d->contact_frame + 9 * c, six_tan + half_of(piece));
      cr_accmat3(x_tan, tan->contact_frame + 9 * c, six + half_of(piece));
      x_tan[2] *= flip;
      break;
    default:  // linear in its inputs
      piece_value(m, tan, c, piece, flip, x_tan);
      break;
  }
}

static void piece_bar(const cr_model* m, const cr_data* d, cr_data* bar, int c, int piece,
                      cr_real flip, const cr_real x_bar[3]) {
  cr_real *frame_bar = bar->contact_frame + 9 * c, six[6], six_bar[6] = {0}, y_bar[3];
  switch (piece) {
    case CR_CON_FORCE:
    case CR_CON_TORQUE:
      cr_copy3(six_bar + half_of(piece), x_bar);
      six_bar[half_of(piece) + 2] *= flip;
      cri_contact_force_bar(m, d, bar, c, six_bar);
      break;
    case CR_CON_DIST:
      bar->contact_dist[c] += x_bar[0];
      break;
    case CR_CON_POS:
      cr_acc3(bar->contact_pos + 3 * c, x_bar);
      break;
    case CR_CON_NORMAL:
    case CR_CON_TANGENT:
      cr_accscl3(frame_bar + (piece == CR_CON_TANGENT ? 3 : 0), x_bar, flip);
      break;
    default:
      cr_copy3(y_bar, x_bar);
      y_bar[2] *= flip;
      velocity(m, d, c, six);
      cr_accouter3(frame_bar, y_bar, six + half_of(piece));
      cr_multmat3(six_bar + half_of(piece), d->contact_frame + 9 * c, y_bar);
      velocity_bar(m, d, bar, c, six_bar);
      break;
  }
}

// ---- netforce: forces at points, summed

typedef struct {
  cr_real f[3], n[3], weight;  // world axes; |f|
  cr_real w[6];                // contact axes
} wrench;

static wrench wrench_of(const cr_model* m, const cr_data* d, int c, cr_real flip) {
  wrench x;
  cri_contact_force(m, d, c, x.w);
  x.weight = cr_norm3(x.w);
  cr_multmat3(x.f, d->contact_frame + 9 * c, x.w);
  cr_multmat3(x.n, d->contact_frame + 9 * c, x.w + 3);
  cr_scl3(x.f, x.f, flip);
  cr_scl3(x.n, x.n, flip);
  return x;
}

static wrench wrench_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int c,
                         cr_real flip) {
  wrench x = wrench_of(m, d, c, flip), x_tan;
  const cr_real *R = d->contact_frame + 9 * c, *R_tan = tan->contact_frame + 9 * c;
  cri_contact_force_tan(m, d, tan, c, x_tan.w);
  x_tan.weight = x.weight > 0 ? cr_dot3(x.w, x_tan.w) / x.weight : 0;
  cr_multmat3(x_tan.f, R, x_tan.w);
  cr_acctmat3(x_tan.f, R_tan, x.w);
  cr_multmat3(x_tan.n, R, x_tan.w + 3);
  cr_acctmat3(x_tan.n, R_tan, x.w + 3);
  cr_scl3(x_tan.f, x_tan.f, flip);
  cr_scl3(x_tan.n, x_tan.n, flip);
  return x_tan;
}

static void wrench_bar(const cr_model* m, const cr_data* d, cr_data* bar, int c, cr_real flip,
                       const wrench* x, const wrench* x_bar) {
  const cr_real* R = d->contact_frame + 9 * c;
  cr_real w_bar[6], f_bar[3], n_bar[3];
  cr_scl3(f_bar, x_bar->f, flip);
  cr_scl3(n_bar, x_bar->n, flip);
  cr_mulmat3(w_bar, R, f_bar);
  cr_mulmat3(w_bar + 3, R, n_bar);
  cr_accscl3(w_bar, x->w, x->weight > 0 ? x_bar->weight / x->weight : 0);
  cr_accouter3(bar->contact_frame + 9 * c, x->w, f_bar);
  cr_accouter3(bar->contact_frame + 9 * c, x->w + 3, n_bar);
  cri_contact_force_bar(m, d, bar, c, w_bar);
}

// sums over all matches: force, torque about the world's origin, weight, weighted points
typedef struct {
  cr_real f[3], n[3], weight, moment[3];
} total;

static void add_wrench(total* t, const wrench* x, const cr_real pos[3]) {
  cr_acc3(t->f, x->f);
  cr_acc3(t->n, x->n);
  cr_acccross3(t->n, pos, x->f);
  t->weight += x->weight;
  cr_accscl3(t->moment, pos, x->weight);
}

static total total_of(const cr_model* m, const cr_data* d, int i) {
  total t = {{0}, {0}, 0, {0}};
  for (int c = 0; c < d->ncon; c++) {
    int flip = match(m, d, i, c);
    if (flip != 0) {
      wrench x = wrench_of(m, d, c, (cr_real)flip);
      add_wrench(&t, &x, d->contact_pos + 3 * c);
    }
  }
  return t;
}

static total total_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i) {
  total t = {{0}, {0}, 0, {0}};
  for (int c = 0; c < d->ncon; c++) {
    int flip = match(m, d, i, c);
    if (flip != 0) {
      wrench x = wrench_of(m, d, c, (cr_real)flip), x_tan = wrench_tan(m, d, tan, c, (cr_real)flip);
      add_wrench(&t, &x_tan, d->contact_pos + 3 * c);
      cr_acccross3(t.n, tan->contact_pos + 3 * c, x.f);
      cr_accscl3(t.moment, tan->contact_pos + 3 * c, x.weight);
    }
  }
  return t;
}

// [sensor.n2] point and torque about it
static void reduce(const total* t, cr_real point[3], cr_real torque[3]) {
  cr_real shift[3];
  cr_scl3(point, t->moment, 1 / cr_max(t->weight, CR_MINVAL));
  cr_cross3(shift, point, t->f);
  cr_sub3(torque, t->n, shift);
}

static void net_value(const cr_model* m, const cr_data* d, int i, int piece, cr_real x[3]) {
  total t = total_of(m, d, i);
  cr_real point[3], torque[3];
  reduce(&t, point, torque);
  cr_zero3(x);
  if (piece == CR_CON_FORCE) {
    cr_copy3(x, t.f);
  } else if (piece == CR_CON_TORQUE || piece == CR_CON_POS) {
    cr_copy3(x, piece == CR_CON_POS ? point : torque);
  } else if (piece == CR_CON_NORMAL || piece == CR_CON_TANGENT) {
    x[piece - CR_CON_NORMAL] = 1;
  }
}

static void net_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i, int piece,
                    cr_real x_tan[3]) {
  total t = total_of(m, d, i), t_tan = total_tan(m, d, tan, i);
  cr_real point[3], torque[3], point_tan[3], shift[3];
  reduce(&t, point, torque);
  bool heavy = t.weight > CR_MINVAL;
  // point' = (moment' - point weight') / weight
  cr_copy3(point_tan, t_tan.moment);
  cr_accscl3(point_tan, point, heavy ? -t_tan.weight : 0);
  cr_scl3(point_tan, point_tan, 1 / cr_max(t.weight, CR_MINVAL));
  cr_zero3(x_tan);
  if (piece == CR_CON_FORCE || piece == CR_CON_POS) {
    cr_copy3(x_tan, piece == CR_CON_POS ? point_tan : t_tan.f);
  } else if (piece == CR_CON_TORQUE) {
    cr_cross3(shift, point, t_tan.f);
    cr_acccross3(shift, point_tan, t.f);
    cr_sub3(x_tan, t_tan.n, shift);
  }
}

static void net_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i, int piece,
                    const cr_real x_bar[3]) {
  total t = total_of(m, d, i), t_bar = {{0}, {0}, 0, {0}};
  cr_real point[3], torque[3], point_bar[3] = {0};
  reduce(&t, point, torque);
  if (piece == CR_CON_FORCE) {
    cr_copy3(t_bar.f, x_bar);
  } else if (piece == CR_CON_POS) {
    cr_copy3(point_bar, x_bar);
  } else if (piece == CR_CON_TORQUE) {
    // - x_bar . (point x f)
    cr_copy3(t_bar.n, x_bar);
    cr_cross3(t_bar.f, point, x_bar);
    cr_cross3(point_bar, x_bar, t.f);
  }
  cr_scl3(t_bar.moment, point_bar, 1 / cr_max(t.weight, CR_MINVAL));
  t_bar.weight = t.weight > CR_MINVAL ? -cr_dot3(t_bar.moment, point) : 0;
  for (int c = 0; c < d->ncon; c++) {
    int flip = match(m, d, i, c);
    if (flip == 0) {
      continue;
    }
    const cr_real* pos = d->contact_pos + 3 * c;
    wrench x = wrench_of(m, d, c, (cr_real)flip), x_b = {.weight = t_bar.weight};
    // n_bar . (pos x f)
    cr_copy3(x_b.f, t_bar.f);
    cr_acccross3(x_b.f, t_bar.n, pos);
    cr_copy3(x_b.n, t_bar.n);
    x_b.weight += cr_dot3(t_bar.moment, pos);
    cr_acccross3(bar->contact_pos + 3 * c, x.f, t_bar.n);
    cr_accscl3(bar->contact_pos + 3 * c, t_bar.moment, x.weight);
    wrench_bar(m, d, bar, c, (cr_real)flip, &x, &x_b);
  }
}

// ---- the sensor: slot after slot, piece after piece

// where piece k starts in a slot
static int piece_at(int bits, int k) { return cri_contact_slot_size(bits & ((1 << k) - 1)); }

typedef void use_piece(void* context, int c, int piece, cr_real flip, int at);

// every piece except found of every slot that has a contact; c is -1 for netforce
static void each_piece(const cr_model* m, const cr_data* d, int i, use_piece* use, void* context) {
  int bits = bits_of(m, i), size = cri_contact_slot_size(bits);
  bool net = reduction_of(m, i) == CR_REDUCE_NETFORCE;
  int slots = net ? count_matches(m, d, i) > 0 : m->sensor_dim[i] / size;
  for (int slot = 0, c = -1; slot < slots; slot++) {
    c = net ? -1 : next_match(m, d, i, c);
    if (c < 0 && !net) {
      return;
    }
    for (int k = CR_CON_FORCE; k < CR_N_CON; k++) {
      if ((bits >> k & 1) != 0) {
        cr_real flip = net ? 1 : (cr_real)match(m, d, i, c);
        use(context, c, k, flip, slot * size + piece_at(bits, k));
      }
    }
  }
}

typedef struct {
  const cr_model* m;
  const cr_data *d, *tan;
  cr_data* bar;
  int i;
  cr_real* y;
  const cr_real* y_bar;
} work;

static void take(void* context, int c, int piece, cr_real flip, int at) {
  const work* s = context;
  cr_real x[3];
  if (c < 0) {
    net_value(s->m, s->d, s->i, piece, x);
  } else {
    piece_value(s->m, s->d, c, piece, flip, x);
  }
  cr_copy(s->y + at, x, widths[piece]);
}

static void take_tan(void* context, int c, int piece, cr_real flip, int at) {
  const work* s = context;
  cr_real x[3];
  if (c < 0) {
    net_tan(s->m, s->d, s->tan, s->i, piece, x);
  } else {
    piece_tan(s->m, s->d, s->tan, c, piece, flip, x);
  }
  cr_copy(s->y + at, x, widths[piece]);
}

static void give(void* context, int c, int piece, cr_real flip, int at) {
  const work* s = context;
  cr_real x[3] = {0};
  cr_copy(x, s->y_bar + at, widths[piece]);
  if (c < 0) {
    net_bar(s->m, s->d, s->bar, s->i, piece, x);
  } else {
    piece_bar(s->m, s->d, s->bar, c, piece, flip, x);
  }
}

void cri_contacts(const cr_model* m, const cr_data* d, int i, cr_real* y) {
  int bits = bits_of(m, i), size = cri_contact_slot_size(bits), found = count_matches(m, d, i);
  int slots = m->sensor_dim[i] / size;
  bool net = reduction_of(m, i) == CR_REDUCE_NETFORCE;
  work s = {.m = m, .d = d, .i = i, .y = y};
  cr_zero(y, m->sensor_dim[i]);
  // [sensor.n1], [sensor.n2]
  each_piece(m, d, i, take, &s);
  for (int slot = 0; slot < slots && slot < (net ? found > 0 : found); slot++) {
    y[slot * size] = (bits & 1) != 0 ? (cr_real)found : y[slot * size];
  }
}

void cri_contacts_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                      cr_real* y_tan) {
  work s = {.m = m, .d = d, .tan = tan, .i = i, .y = y_tan};
  cr_zero(y_tan, m->sensor_dim[i]);
  each_piece(m, d, i, take_tan, &s);
}

void cri_contacts_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                      const cr_real* y_bar) {
  work s = {.m = m, .d = d, .bar = bar, .i = i, .y_bar = y_bar};
  each_piece(m, d, i, give, &s);
}
