// SPDX-License-Identifier: Apache-2.0
// Tiny Differentiable Simulator's side of the gradients of gradients.h: by its dual numbers, one direction
// at a time, and by differences of the same rollouts in doubles. Its headers come from the folder that the
// user names. Prints JSON with processor times in seconds, values and gradients. Usage: gradients_tds
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "math/tiny/tiny_algebra.hpp"
#include "math/tiny/tiny_double_utils.h"
#include "math/tiny/tiny_dual_double_utils.h"

#include "dynamics/forward_dynamics.hpp"
#include "dynamics/integrator.hpp"
#include "math/neural_network.hpp"
#include "multi_body.hpp"
#include "world.hpp"

#include "gradients.h"

namespace {

typedef TinyAlgebra<double, TINY::DoubleUtils> Plain;
typedef TinyAlgebra<TINY::TinyDualDouble, TINY::TinyDualDoubleUtils> Dual;

constexpr int ROUNDS = 5, SWEEPS = 50;

double value_of(double x) { return x; }
double value_of(const TINY::TinyDualDouble& x) { return x.real(); }

// seconds that this thread has had a processor for
double now() {
  std::timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double time_of(const std::function<void()>& call, int repeat) {
  std::vector<double> rounds;
  call();
  for (int r = 0; r < ROUNDS; r++) {
    const double start = now();
    for (int k = 0; k < repeat; k++) call();
    rounds.push_back((now() - start) / repeat);
  }
  std::nth_element(rounds.begin(), rounds.begin() + ROUNDS / 2, rounds.end());
  return rounds[ROUNDS / 2];
}

// a function of n numbers, in doubles and in dual numbers
struct Function {
  std::vector<double> at;
  std::function<double(const std::vector<double>&)> plain;
  std::function<TINY::TinyDualDouble(const std::vector<TINY::TinyDualDouble>&)> dual;
};

std::vector<double> dual_gradient(const Function& f) {
  std::vector<TINY::TinyDualDouble> x(f.at.begin(), f.at.end());
  std::vector<double> g;
  for (auto& number : x) {
    number.set_dual(1);
    g.push_back(f.dual(x).dual());
    number.set_dual(0);
  }
  return g;
}

std::vector<double> differences(const Function& f) {
  std::vector<double> x = f.at, g;
  const double value = f.plain(x);
  for (auto& number : x) {
    const double before = number;
    number = before + DIFFERENCE;
    g.push_back((f.plain(x) - value) / DIFFERENCE);
    number = before;
  }
  return g;
}

void print_case(const char* name, const Function& f, int repeat, const char* end) {
  const double forward = time_of([&] { f.plain(f.at); }, repeat);
  const double gradient = time_of([&] { dual_gradient(f); }, std::max(repeat / 100, 1));
  const double by_differences = time_of([&] { differences(f); }, std::max(repeat / 100, 1));
  std::printf("\"%s\": {\"value\": %.17g, \"forward_s\": %.6g, \"gradient_s\": %.6g, \"differences_s\": %.6g", name,
              f.plain(f.at), forward, gradient, by_differences);
  for (bool dual : {true, false}) {
    std::printf(dual ? ", \"gradient\": [" : ", \"by_differences\": [");
    const char* comma = "";
    for (double g : dual ? dual_gradient(f) : differences(f)) {
      std::printf("%s%.12g", comma, g);
      comma = ", ";
    }
    std::printf("]");
  }
  std::printf("}%s", end);
}

// ---- the network; numbers as Carom has them: weights and offsets layer after layer

template <typename Algebra>
typename Algebra::Scalar network(const std::vector<typename Algebra::Scalar>& number) {
  using Scalar = typename Algebra::Scalar;
  static const tds::NeuralNetworkSpecification layers = [] {
    tds::NeuralNetworkSpecification n(INPUTS, false);
    n.add_linear_layer(tds::NN_ACT_TANH, HIDDEN);
    n.add_linear_layer(tds::NN_ACT_IDENTITY, OUTPUTS);
    return n;
  }();
  const int first = HIDDEN * INPUTS, second = first + HIDDEN, last = second + OUTPUTS * HIDDEN;
  std::vector<Scalar> weights(number.begin(), number.begin() + first), offsets(number.begin() + first, number.begin() + second);
  weights.insert(weights.end(), number.begin() + second, number.begin() + last);
  offsets.insert(offsets.end(), number.begin() + last, number.end());
  std::vector<Scalar> input, output;
  for (int i = 0; i < INPUTS; i++) input.push_back(Scalar(input_of(i)));
  layers.template compute<Algebra>(weights, offsets, input, output);
  Scalar sum(0.0);
  for (auto& y : output) sum += y * y;
  return sum;
}

Function network_function() {
  Function f{{}, network<Plain>, network<Dual>};
  const int units[] = {HIDDEN, OUTPUTS}, inputs[] = {INPUTS, HIDDEN};
  for (int layer = 0; layer < 2; layer++) {
    for (int i = 0; i < units[layer]; i++) {
      for (int j = 0; j < inputs[layer]; j++) f.at.push_back(weight_of(layer, i, j));
    }
    for (int i = 0; i < units[layer]; i++) f.at.push_back(offset_of(layer, i));
  }
  return f;
}

// ---- pendulums; numbers are angles, speeds, masses

template <typename Algebra>
void build(tds::World<Algebra>& world, tds::MultiBody<Algebra>& body, int links, const typename Algebra::Scalar* mass) {
  using Scalar = typename Algebra::Scalar;
  using Vector3 = typename Algebra::Vector3;
  for (int i = 0; i < links; i++) {
    const Scalar inertia(inertia_of(i));
    tds::Transform<Algebra> at;
    at.set_identity();
    at.translation = Vector3(Scalar(0.0), Scalar(0.0), Scalar(i == 0 ? HEIGHT : -2 * HALF_LENGTH));
    tds::Link<Algebra> link(tds::JOINT_REVOLUTE_Y, at,
                            tds::RigidBodyInertia<Algebra>(mass[i], Vector3(Scalar(0.0), Scalar(0.0), Scalar(-HALF_LENGTH)),
                                                           Algebra::diagonal3(Vector3(inertia, inertia, inertia))));
    tds::Transform<Algebra> end;
    end.set_identity();
    end.translation = Vector3(Scalar(0.0), Scalar(0.0), Scalar(-2 * HALF_LENGTH));
    link.collision_geometries.push_back(world.create_sphere(Scalar(RADIUS)));
    link.X_collisions.push_back(end);
    body.attach(link, i - 1, true);
  }
  body.initialize();
}

template <typename Algebra>
typename Algebra::Scalar pendulum(const std::vector<typename Algebra::Scalar>& number, int steps, bool ground) {
  using Scalar = typename Algebra::Scalar;
  using Vector3 = typename Algebra::Vector3;
  const int links = static_cast<int>(number.size()) / 3;
  const Scalar h(TIMESTEP);
  const Vector3 gravity(Scalar(0.0), Scalar(0.0), Scalar(-9.81));
  tds::World<Algebra> world;
  auto* floor = world.create_multi_body();
  floor->collision_geometries(-1).push_back(world.create_plane());
  tds::Transform<Algebra> here;
  here.set_identity();
  floor->collision_transforms(-1).push_back(here);
  floor->initialize();
  auto* body = world.create_multi_body();
  build(world, *body, links, number.data() + 2 * links);
  auto* solver = world.get_mb_constraint_solver();
  solver->pgs_iterations_ = SWEEPS;
  solver->erp_ = Scalar(BAUMGARTE);
  solver->cfm_ = Scalar(MIXING);
  world.default_friction = Scalar(FRICTION);
  auto dispatcher = world.get_collision_dispatcher();
  for (int i = 0; i < links; i++) {
    body->q()[i] = number[i];
    body->qd()[i] = number[links + i];
  }
  for (int k = 0; k < steps; k++) {
    tds::forward_kinematics(*body);
    tds::forward_dynamics(*body, gravity);
    if (ground) {
      tds::integrate_euler_qdd(*body, h);
      for (auto& contacts : world.compute_contacts_multi_body({floor, body}, &dispatcher)) {
        solver->resolve_collision(contacts, h);
      }
    }
    tds::integrate_euler(*body, h);
  }
  Scalar sum(0.0);
  for (int i = 0; i < links; i++) {
    sum += body->q()[i] * body->q()[i] + body->qd()[i] * body->qd()[i];
  }
  return sum;
}

Function pendulum_function(int links, int steps, bool ground) {
  Function f{{},
             [=](const std::vector<double>& x) { return pendulum<Plain>(x, steps, ground); },
             [=](const std::vector<TINY::TinyDualDouble>& x) { return pendulum<Dual>(x, steps, ground); }};
  for (int i = 0; i < links; i++) f.at.push_back(angle_of(i));
  for (int i = 0; i < links; i++) f.at.push_back(speed_of(i));
  for (int i = 0; i < links; i++) f.at.push_back(mass_of(i));
  return f;
}

}  // namespace

int main() {
  std::printf("{");
  print_case("network", network_function(), 2000, ", ");
  print_case("double_pendulum", pendulum_function(DOUBLE_LINKS, DOUBLE_STEPS, false), 1, ", ");
  print_case("five_links", pendulum_function(FIVE_LINKS, FIVE_STEPS, true), 1, "}\n");
  return 0;
}
