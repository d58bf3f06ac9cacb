// SPDX-License-Identifier: Apache-2.0
// Pinocchio's side: its own sample humanoid with a free root, the algorithms of forward and inverse
// dynamics and their derivatives over random states. Writes the model as MJCF, so that others can
// run the same, and one state with its acceleration to hold them to; prints times as JSON.
// Usage: pinocchio MODEL.xml
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody/sample-models.hpp>

namespace pin = pinocchio;

namespace {

constexpr int STATES = 200, ROUNDS = 15;

// ---- the model as MJCF

void write_pose(std::FILE* to, const Eigen::Vector3d& p, const Eigen::Quaterniond& q) {
  std::fprintf(to, "pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\"", p.x(), p.y(),
               p.z(), q.w(), q.x(), q.y(), q.z());
}

const char* axis_of(const std::string& joint) {
  if (joint == "JointModelRX") return "1 0 0";
  if (joint == "JointModelRY") return "0 1 0";
  if (joint == "JointModelRZ") return "0 0 1";
  std::fprintf(stderr, "pinocchio: no MJCF for %s\n", joint.c_str());
  std::exit(2);
}

void write_body(std::FILE* to, const pin::Model& model, pin::JointIndex j) {
  const pin::SE3& at = model.jointPlacements[j];
  const pin::Inertia& inertia = model.inertias[j];
  const Eigen::Vector3d& c = inertia.lever();
  const Eigen::Matrix3d I = inertia.inertia().matrix();
  std::fprintf(to, "<body name=\"%s\" ", model.names[j].c_str());
  write_pose(to, at.translation(), Eigen::Quaterniond(at.rotation()));
  std::fprintf(to,
               "><inertial pos=\"%.17g %.17g %.17g\" mass=\"%.17g\" fullinertia=\"%.17g %.17g "
               "%.17g %.17g %.17g %.17g\"/>",
               c.x(), c.y(), c.z(), inertia.mass(), I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2),
               I(1, 2));
  const std::string joint = model.joints[j].shortname();
  if (joint == "JointModelFreeFlyer") {
    std::fprintf(to, "<freejoint/>\n");
  } else {
    std::fprintf(to, "<joint axis=\"%s\"/>\n", axis_of(joint));
  }
  for (pin::JointIndex k = j + 1; k < static_cast<pin::JointIndex>(model.njoints); k++) {
    if (model.parents[k] == j) write_body(to, model, k);
  }
  std::fprintf(to, "</body>\n");
}

void write_model(const char* path, const pin::Model& model) {
  std::FILE* to = std::fopen(path, "w");
  if (to == nullptr) {
    std::fprintf(stderr, "pinocchio: %s cannot be written\n", path);
    std::exit(2);
  }
  std::fprintf(to, "<mujoco><option gravity=\"0 0 -9.81\"/><worldbody>\n");
  for (pin::JointIndex j = 1; j < static_cast<pin::JointIndex>(model.njoints); j++) {
    if (model.parents[j] == 0) write_body(to, model, j);
  }
  std::fprintf(to, "</worldbody></mujoco>\n");
  std::fclose(to);
}

// ---- times

struct State {
  Eigen::VectorXd q, v, a, tau;
};

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + x.size() / 2, x.end());
  return x[x.size() / 2];
}

// microseconds that this thread has had a processor for
double now() {
  std::timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

// microseconds a call
double time_of(const std::vector<State>& states, const std::function<void(const State&)>& call) {
  std::vector<double> rounds;
  for (int r = -1; r < ROUNDS; r++) {
    const double start = now();
    for (const State& s : states) call(s);
    if (r >= 0) rounds.push_back((now() - start) / static_cast<double>(states.size()));
  }
  return median(rounds);
}

void print_vector(const char* name, const Eigen::VectorXd& x) {
  std::printf("\"%s\": [", name);
  for (Eigen::Index i = 0; i < x.size(); i++) std::printf(i > 0 ? ", %.17g" : "%.17g", x[i]);
  std::printf("], ");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: pinocchio MODEL.xml\n");
    return 2;
  }
  std::srand(1);
  pin::Model model;
  pin::buildModels::humanoidRandom(model, true);
  // its random inertias are those of no body, which MJCF refuses: boxes of the same masses instead
  for (pin::Inertia& inertia : model.inertias) {
    const Eigen::Vector3d side = 0.3 * Eigen::Vector3d::Ones() + 0.2 * Eigen::Vector3d::Random();
    const pin::Inertia box = pin::Inertia::FromBox(inertia.mass(), side[0], side[1], side[2]);
    inertia = pin::Inertia(inertia.mass(), inertia.lever(), box.inertia());
  }
  write_model(argv[1], model);

  pin::Data data(model);
  std::vector<State> states;
  for (int k = 0; k < STATES; k++) {
    const Eigen::VectorXd away = Eigen::VectorXd::Random(model.nv);
    const Eigen::VectorXd q = pin::integrate(model, pin::neutral(model), away);
    states.push_back({q, Eigen::VectorXd::Random(model.nv), Eigen::VectorXd::Random(model.nv),
                      Eigen::VectorXd::Random(model.nv)});
  }
  std::printf("{\"nv\": %d, ", model.nv);
  print_vector("q", states[0].q);
  print_vector("v", states[0].v);
  print_vector("tau", states[0].tau);
  print_vector("ddq", pin::aba(model, data, states[0].q, states[0].v, states[0].tau,
                               pin::Convention::WORLD));
  double rnea = time_of(states, [&](const State& s) { pin::rnea(model, data, s.q, s.v, s.a); });
  double aba_world = time_of(states, [&](const State& s) {
    pin::aba(model, data, s.q, s.v, s.tau, pin::Convention::WORLD);
  });
  double aba_local = time_of(states, [&](const State& s) {
    pin::aba(model, data, s.q, s.v, s.tau, pin::Convention::LOCAL);
  });
  double rnea_derivatives = time_of(states, [&](const State& s) {
    pin::computeRNEADerivatives(model, data, s.q, s.v, s.a);
  });
  double aba_derivatives = time_of(states, [&](const State& s) {
    pin::computeABADerivatives(model, data, s.q, s.v, s.tau);
  });
  std::printf("\"rnea_us\": %.4g, \"aba_us\": %.4g, \"rnea_derivatives_us\": %.4g, "
              "\"aba_derivatives_us\": %.4g}\n",
              rnea, std::min(aba_world, aba_local), rnea_derivatives, aba_derivatives);
  return 0;
}
