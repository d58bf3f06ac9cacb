// SPDX-License-Identifier: Apache-2.0
// A mesh reduced to its hull: what is on it stays as it was, under other numbers.
#include "model/hull.h"

#include "support/close.h"

// Two meshes: a point, then a tetrahedron with vertices 1, 3, 4, 6 of seven and three points inside.
// Its graph lists the vertices in an order of its own.
enum { NVERT = 8, N = 4 };

typedef struct {
  cr_real vert[3 * NVERT], normal[12], box[12];
  int32_t vertadr[2], vertnum[2], facenum[2], graphadr[2], polyadr[2], polynum[2];
  int32_t graph[2 + 2 * N + 16 + 12];
  int32_t polyvertadr[4], polyvertnum[4], polyvert[12], mapadr[NVERT], mapnum[NVERT], map[12];
  cr_model m;
} mesh;

static const int32_t CORNER[N] = {4, 1, 6, 3};  // by number of the graph

static void put(mesh* s) {
  static const int32_t face[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {0, 2, 3}};
  *s = (mesh){.vertadr = {0, 1},
              .vertnum = {1, 7},
              .facenum = {5, 6},
              .graphadr = {-1, 0},
              .polyadr = {0, 0},
              .polynum = {0, 4}};
  for (int i = 0; i < 3 * NVERT; i++) {
    s->vert[i] = 100 + (cr_real)i;
  }
  int32_t *first = s->graph + 2, *vertex = first + N, *edge = vertex + N, *of_face = edge + 16;
  s->graph[0] = s->graph[1] = N;
  for (int i = 0, at = 0, in_map = 0; i < N; i++) {
    first[i] = at;
    vertex[i] = CORNER[i];
    for (int k = 0; k < N; k++) {
      if (k != i) {
        edge[at++] = k;
      }
    }
    edge[at++] = -1;
    s->polyvertadr[i] = 3 * i;
    s->polyvertnum[i] = 3;
    s->mapadr[1 + CORNER[i]] = in_map;
    for (int k = 0; k < 3; k++) {
      of_face[3 * i + k] = s->polyvert[3 * i + k] = CORNER[face[i][k]];
    }
    for (int p = 0; p < 4; p++) {
      for (int k = 0; k < 3; k++) {
        if (face[p][k] == i) {
          s->map[in_map++] = p;
        }
      }
    }
    s->mapnum[1 + CORNER[i]] = in_map - s->mapadr[1 + CORNER[i]];
  }
  s->m = (cr_model){.nmesh = 2,
                    .nmeshvert = NVERT,
                    .nmeshgraph = (int)(sizeof s->graph / sizeof s->graph[0]),
                    .nmeshpoly = 4,
                    .nmeshpolyvert = 12,
                    .nmeshpolymap = 12,
                    .mesh_vertadr = s->vertadr,
                    .mesh_vertnum = s->vertnum,
                    .mesh_facenum = s->facenum,
                    .mesh_graphadr = s->graphadr,
                    .mesh_graph = s->graph,
                    .mesh_polyadr = s->polyadr,
                    .mesh_polynum = s->polynum,
                    .mesh_vert = s->vert,
                    .mesh_polyvertadr = s->polyvertadr,
                    .mesh_polyvertnum = s->polyvertnum,
                    .mesh_polyvert = s->polyvert,
                    .mesh_polymapadr = s->mapadr,
                    .mesh_polymapnum = s->mapnum,
                    .mesh_polymap = s->map};
}

TEST(the_hull_stays_as_it_was) {
  static mesh before, after;
  put(&before);
  put(&after);
  assert_int_equal(cri_mesh_keep_hull(&after.m, 1, NULL), CR_OK);
  assert_int_equal(after.vertnum[1], N);
  assert_true(after.facenum[0] == 5 && after.facenum[1] == 0);  // drawn as its hull
  assert_all_close(after.vert, before.vert, 3, 0);              // the other mesh
  for (int i = 0; i < N; i++) {
    // each corner is where it was, in the graph and in each polygon
    int32_t old = CORNER[i], now = after.graph[2 + N + i];
    assert_in_range(now, 0, N - 1);
    assert_all_close(after.vert + 3 * (1 + now), before.vert + 3 * (1 + old), 3, 0);
    assert_int_equal(after.mapnum[1 + now], 3);
    assert_memory_equal(after.map + after.mapadr[1 + now], before.map + before.mapadr[1 + old], 12);
  }
  const int32_t *faces = after.graph + 2 + 2 * N + 16, *old_faces = before.graph + 2 + 2 * N + 16;
  for (int k = 0; k < 12; k++) {
    const cr_real* was = before.vert + 3 * (1 + before.polyvert[k]);
    assert_all_close(after.vert + 3 * (1 + after.polyvert[k]), was, 3, 0);
    was = before.vert + 3 * (1 + old_faces[k]);
    assert_all_close(after.vert + 3 * (1 + faces[k]), was, 3, 0);
  }
  // neighbours are numbers of the graph: as before
  assert_memory_equal(after.graph + 2 + 2 * N, before.graph + 2 + 2 * N, 16 * sizeof(int32_t));
}

TEST(vertices_keep_their_order) {
  static mesh s;
  put(&s);
  assert_int_equal(cri_mesh_keep_hull(&s.m, 1, NULL), CR_OK);
  for (int i = 2; i <= N; i++) {
    assert_true(s.vert[3 * i] > s.vert[3 * (i - 1)]);
  }
  for (int i = N + 1; i < NVERT; i++) {
    assert_all_close(s.vert + 3 * i, ((const cr_real[3]){0, 0, 0}), 3, 0);
    assert_int_equal(s.mapnum[i], 0);
  }
}

TEST(a_second_time_changes_nothing) {
  static mesh once, twice;
  put(&once);
  put(&twice);
  assert_int_equal(cri_mesh_keep_hull(&once.m, 1, NULL), CR_OK);
  assert_int_equal(cri_mesh_keep_hull(&twice.m, 1, NULL), CR_OK);
  assert_int_equal(cri_mesh_keep_hull(&twice.m, 1, NULL), CR_OK);
  assert_memory_equal(once.vert, twice.vert, sizeof once.vert);
  assert_memory_equal(once.graph, twice.graph, sizeof once.graph);
  assert_memory_equal(once.polyvert, twice.polyvert, sizeof once.polyvert);
}

// where searches begin, by the numbers of the graph; out of range counts as the first vertex
TEST(starts_are_farthest_towards_parts_of_a_box) {
  const cr_real vert[15] = {0, 0, 0, 3, 1, 0, 1, 4, 0, -2, -2, 5, 0, 0, -9};
  int32_t graph[10] = {4, 0, 0, 0, 0, 0, 4, 3, 1, 2}, start[27];
  cri_hull_starts(graph, vert, 5, start);
  assert_int_equal(start[13 + 1], 2);          // +x: vertex 1, third in the graph
  assert_int_equal(start[13 + 3], 3);          // +y
  assert_int_equal(start[13 + 9], 1);          // +z
  assert_int_equal(start[13 - 9], 0);          // -z
  assert_int_equal(start[13 + 1 + 3], 3);      // +x +y: 5 against 4
  assert_int_equal(start[13 - 1 - 3 - 9], 0);  // 9 against 4 - 5
  assert_int_equal(start[13 + 1 + 3 - 9], 0);
  assert_int_equal(start[13 - 1 + 3 + 9], 1);  // 5 against 3
  graph[6] = 5;
  cri_hull_starts(graph, vert, 5, start);
  assert_int_equal(start[13 - 9], 0);  // as high as two others, and lower in number
  assert_int_equal(start[13 + 9], 1);
}
