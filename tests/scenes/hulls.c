// SPDX-License-Identifier: Apache-2.0
#include "scenes/hulls.h"

#include "model/hull.h"

static void put_vertex(hull_store* s, cr_real radius, cr_real angle, cr_real z) {
  cr_real* v = s->vert + 3 * s->hull.nvert++;
  v[0] = radius * cr_cos(angle);
  v[1] = radius * cr_sin(angle);
  v[2] = z;
}

static void put_polygon(hull_store* s, const int32_t* corner, int n) {
  int p = s->hull.npoly++;
  s->adr[p] = p == 0 ? 0 : s->adr[p - 1] + s->num[p - 1];
  s->num[p] = n;
  memcpy(s->polygon + s->adr[p], corner, (size_t)n * sizeof *corner);
  cr_real e1[3], e2[3];
  cr_sub3(e1, s->vert + 3 * corner[1], s->vert + 3 * corner[0]);
  cr_sub3(e2, s->vert + 3 * corner[2], s->vert + 3 * corner[0]);
  cr_cross3(s->normal + 3 * p, e1, e2);
  cr_normalize3(s->normal + 3 * p);
}

// polygons of each vertex, and its neighbours along their sides
static void finish(hull_store* s) {
  int nmap = 0, nedge = 0, n = s->hull.nvert;
  int32_t *first = s->graph + 2, *vertex = first + n, *edge = vertex + n;
  s->graph[0] = n;
  s->graph[1] = 0;
  for (int v = 0; v < n; v++) {
    s->mapadr[v] = nmap;
    first[v] = nedge;
    vertex[v] = v;
    for (int p = 0; p < s->hull.npoly; p++) {
      for (int k = 0; k < s->num[p]; k++) {
        if (s->polygon[s->adr[p] + k] == v) {
          s->map[nmap++] = p;
          edge[nedge++] = s->polygon[s->adr[p] + (k + 1) % s->num[p]];
        }
      }
    }
    s->mapnum[v] = nmap - s->mapadr[v];
    edge[nedge++] = -1;
  }
  cri_hull_starts(s->graph, s->vert, n, s->start);
  s->hull.vert = s->vert;
  s->hull.start = s->start;
  s->hull.graph = s->graph;
  s->hull.normal = s->normal;
  s->hull.adr = s->adr;
  s->hull.num = s->num;
  s->hull.polygon = s->polygon;
  s->hull.mapadr = s->mapadr;
  s->hull.mapnum = s->mapnum;
  s->hull.map = s->map;
}

void hull_prism(hull_store* s, int n, cr_real radius, cr_real half_height) {
  int32_t top[HULL_SIDES] = {0}, bottom[HULL_SIDES] = {0};
  memset(s, 0, sizeof *s);
  for (int i = 0; i < n; i++) {
    put_vertex(s, radius, 2 * CR_PI * (cr_real)i / (cr_real)n, -half_height);
    put_vertex(s, radius, 2 * CR_PI * (cr_real)i / (cr_real)n, half_height);
    top[i] = 2 * i + 1;
    bottom[n - 1 - i] = 2 * i;
  }
  put_polygon(s, top, n);
  put_polygon(s, bottom, n);
  for (int i = 0; i < n; i++) {
    int32_t a = 2 * i, b = 2 * ((i + 1) % n), side[4] = {a, b, b + 1, a + 1};
    put_polygon(s, side, 4);
  }
  finish(s);
}

void hull_spindle(hull_store* s, int n, cr_real radius, cr_real half_height) {
  memset(s, 0, sizeof *s);
  for (int i = 0; i < n; i++) {
    put_vertex(s, radius, 2 * CR_PI * (cr_real)i / (cr_real)n, 0);
  }
  put_vertex(s, 0, 0, half_height);
  put_vertex(s, 0, 0, -half_height);
  for (int i = 0; i < n; i++) {
    int32_t next = (i + 1) % n, up[3] = {i, next, n}, down[3] = {next, i, n + 1};
    put_polygon(s, up, 3);
    put_polygon(s, down, 3);
  }
  finish(s);
}

void hull_wedge(hull_store* s, const cr_real corner[6][3]) {
  static const int32_t side[3][4] = {{0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
  memset(s, 0, sizeof *s);
  s->hull.nvert = 6;
  memcpy(s->vert, corner, 18 * sizeof *s->vert);
  put_polygon(s, (const int32_t[3]){0, 2, 1}, 3);
  put_polygon(s, (const int32_t[3]){3, 4, 5}, 3);
  for (int i = 0; i < 3; i++) {
    put_polygon(s, side[i], 4);
  }
  finish(s);
}
