// SPDX-License-Identifier: Apache-2.0
// Tiny Differentiable Simulator's side: forward dynamics of a tree of 20 hinges (a spine of four, four
// limbs of four) in doubles and in its own dual numbers, one direction at a time; its headers come
// from the folder that the user names. Writes the tree as MJCF, so that others can run the same, and one
// state with its acceleration to hold them to; prints times as JSON.
// Usage: tds MODEL.xml
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <vector>

#include "math/tiny/tiny_algebra.hpp"
#include "math/tiny/tiny_double_utils.h"
#include "math/tiny/tiny_dual_double_utils.h"

#include "dynamics/forward_dynamics.hpp"
#include "multi_body.hpp"

namespace {

typedef TinyAlgebra<double, TINY::DoubleUtils> Plain;
typedef TinyAlgebra<TINY::TinyDualDouble, TINY::TinyDualDoubleUtils> Dual;

constexpr int STATES = 200, ROUNDS = 15, LINKS = 20, SPINE = 4, LIMB = 4;

// limbs in the order in which MJCF numbers them: depth first
int parent_of(int i) {
  const bool begins = i >= SPINE && (i - SPINE) % LIMB == 0;
  return begins ? SPINE - 1 - (i - SPINE) / LIMB : i - 1;
}
double mass_of(int i) { return 1.0 + 0.1 * i; }
// half the length of a link, which hangs down; a limb begins at the side of its spine link
double length_of(int i) { return 0.1 + 0.002 * i; }
void offset_of(int i, double p[3]) {
  p[0] = i >= SPINE && (i - SPINE) % LIMB == 0 ? 0.1 : 0.0;
  p[1] = 0;
  p[2] = parent_of(i) < 0 ? 0 : -2 * length_of(parent_of(i));
}
double inertia_of(int i, int k) { return 0.01 * (1 + 0.05 * i) * (k == 2 ? 0.3 : 1.0); }

template <typename Algebra>
void build(tds::MultiBody<Algebra>& body) {
  using Scalar = typename Algebra::Scalar;
  using Vector3 = typename Algebra::Vector3;
  static const tds::JointType axes[] = {tds::JOINT_REVOLUTE_X, tds::JOINT_REVOLUTE_Y,
                                        tds::JOINT_REVOLUTE_Z};
  for (int i = 0; i < LINKS; i++) {
    double p[3];
    offset_of(i, p);
    const Vector3 com(Scalar(0.0), Scalar(0.0), Scalar(-length_of(i)));
    const Vector3 diagonal(Scalar(inertia_of(i, 0)), Scalar(inertia_of(i, 1)),
                           Scalar(inertia_of(i, 2)));
    tds::Transform<Algebra> at;
    at.set_identity();
    at.translation = Vector3(Scalar(p[0]), Scalar(p[1]), Scalar(p[2]));
    tds::Link<Algebra> link(axes[i % 3], at,
                            tds::RigidBodyInertia<Algebra>(Scalar(mass_of(i)), com, Algebra::diagonal3(diagonal)));
    body.attach(link, parent_of(i), true);
  }
  body.initialize();
}

void write_link(std::FILE* to, int i) {
  static const char* const axes[] = {"1 0 0", "0 1 0", "0 0 1"};
  double p[3];
  offset_of(i, p);
  std::fprintf(to,
               "<body pos=\"%.17g %.17g %.17g\"><inertial pos=\"0 0 %.17g\" mass=\"%.17g\" "
               "diaginertia=\"%.17g %.17g %.17g\"/><joint axis=\"%s\"/>\n",
               p[0], p[1], p[2], -length_of(i), mass_of(i), inertia_of(i, 0), inertia_of(i, 1),
               inertia_of(i, 2), axes[i % 3]);
  for (int k = i + 1; k < LINKS; k++) {
    if (parent_of(k) == i) write_link(to, k);
  }
  std::fprintf(to, "</body>\n");
}

void write_model(const char* path) {
  std::FILE* to = std::fopen(path, "w");
  if (to == nullptr) {
    std::fprintf(stderr, "tds: %s cannot be written\n", path);
    std::exit(2);
  }
  std::fprintf(to, "<mujoco><option timestep=\"0.0002\" gravity=\"0 0 -9.81\"/><worldbody>\n");
  write_link(to, 0);
  std::fprintf(to, "</worldbody></mujoco>\n");
  std::fclose(to);
}

// positions, velocities and torques of a state, and where the acceleration goes
template <typename Algebra>
struct State {
  typename Algebra::VectorX q, v, tau, a;
  State() : q(LINKS), v(LINKS), tau(LINKS), a(LINKS) {}
};

template <typename Algebra>
std::vector<State<Algebra>> random_states() {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  // no std::vector of a size: every state of its own
  std::vector<State<Algebra>> states;
  for (int s = 0; s < STATES; s++) {
    states.emplace_back();
    for (int i = 0; i < LINKS; i++) {
      states.back().q[i] = typename Algebra::Scalar(uniform(random));
      states.back().v[i] = typename Algebra::Scalar(uniform(random));
      states.back().tau[i] = typename Algebra::Scalar(uniform(random));
    }
  }
  return states;
}

// microseconds that this thread has had a processor for
double now() {
  std::timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

// microseconds a call
double time_of(const std::function<void(int)>& call) {
  std::vector<double> rounds;
  for (int r = -1; r < ROUNDS; r++) {
    const double start = now();
    for (int s = 0; s < STATES; s++) call(s);
    if (r >= 0) rounds.push_back((now() - start) / STATES);
  }
  std::nth_element(rounds.begin(), rounds.begin() + ROUNDS / 2, rounds.end());
  return rounds[ROUNDS / 2];
}

template <typename Algebra>
void dynamics(tds::MultiBody<Algebra>& body, State<Algebra>& s) {
  using Scalar = typename Algebra::Scalar;
  const typename Algebra::Vector3 gravity(Scalar(0.0), Scalar(0.0), Scalar(-9.81));
  tds::forward_dynamics(body, s.q, s.v, s.tau, gravity, s.a);
}

void print_vector(const char* name, const Plain::VectorX& x) {
  std::printf("\"%s\": [", name);
  for (int i = 0; i < LINKS; i++) std::printf(i > 0 ? ", %.17g" : "%.17g", x[i]);
  std::printf("], ");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: tds MODEL.xml\n");
    return 2;
  }
  write_model(argv[1]);
  tds::MultiBody<Plain> plain;
  tds::MultiBody<Dual> dual;
  build(plain);
  build(dual);
  auto states = random_states<Plain>();
  auto duals = random_states<Dual>();
  double forward = time_of([&](int s) { dynamics(plain, states[s]); });
  // one direction after the other: q, v and tau of each link
  double direction = time_of([&](int s) {
    duals[s].q[s % LINKS].set_dual(1);
    dynamics(dual, duals[s]);
    duals[s].q[s % LINKS].set_dual(0);
  });
  dynamics(plain, states[0]);
  std::printf("{\"nv\": %d, ", LINKS);
  print_vector("q", states[0].q);
  print_vector("v", states[0].v);
  print_vector("tau", states[0].tau);
  print_vector("ddq", states[0].a);
  std::printf("\"forward_us\": %.4g, \"direction_us\": %.4g, \"jacobian_us\": %.4g}\n", forward,
              direction, 3 * LINKS * direction);
  return 0;
}
