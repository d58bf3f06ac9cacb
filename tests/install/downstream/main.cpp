// SPDX-License-Identifier: Apache-2.0
// The same as main.c in C++17, each object held by a pointer that gives it back.
#include <carom/carom.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

struct Close {
  void operator()(cr_model* m) const { cr_model_destroy(m); }
  void operator()(cr_rollout* r) const { cr_rollout_destroy(r); }
  void operator()(cr_expression* e) const { cr_expression_destroy(e); }
};
template <class T>
using Held = std::unique_ptr<T, Close>;

void check(cr_status status, const cr_error& error) {
  if (status != CR_OK) {
    throw std::runtime_error(error.text);
  }
}

void run(const std::string& path) {
  cr_error error{};
  cr_model* m = nullptr;
  check(cr_model_open(&m, path.c_str(), &error), error);
  const Held<cr_model> model(m);
  cr_expression* e = nullptr;
  check(cr_expression_create(&e, m, "qpos[0]", &error), error);
  const Held<cr_expression> distance(e);
  cr_rollout* r = nullptr;
  check(cr_rollout_create(&r, m, 1000, nullptr, 0, &error), error);
  const Held<cr_rollout> rollout(r);

  double* qvel = cr_data_view(m, cr_rollout_data(r), "qvel", nullptr, nullptr);
  qvel[0] = 1;
  qvel[4] = -6;
  const cr_loss loss = cr_expression_loss(e, false);
  const int nstep = static_cast<int>(std::lround(0.5 / cr_model_timestep(m)));
  check(cr_rollout_run(r, m, nstep, &loss, &error), error);
  check(cr_rollout_gradient(r, m, m, &loss, &error), error);

  int rows = 0;
  const double* bar = cr_data_view(m, cr_rollout_bar(r), "qvel", &rows, nullptr);
  std::printf("{\"version\": \"%s\", \"loss\": %.17g, \"gradient\": {\"qvel\": [", cr_version(),
              cr_rollout_loss(r));
  for (int i = 0; i < rows; i++) {
    std::printf("%s%.17g", i > 0 ? ", " : "", bar[i]);
  }
  std::printf("]}}\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? argv[1] : "");
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
