# SPDX-License-Identifier: Apache-2.0
# The front door over the CMake presets. `make help` lists what there is.

BUILD  := build
# set CAROM_MUJOCO_DIR to use a MuJoCo that is installed already
ifndef CAROM_MUJOCO_DIR
MUJOCO := $(BUILD)/third_party/mujoco/.fetched
else
CMAKE_ARGS += -DCAROM_MUJOCO_DIR="$(CAROM_MUJOCO_DIR)"
endif
DATA   ?=
ifdef WERROR
CMAKE_ARGS += -DCMAKE_COMPILE_WARNING_AS_ERROR=$(WERROR)
endif

.DEFAULT_GOAL := all
.PHONY: all help needs mpi wasm wasm-needs mujoco osqp release debug tests long-double asan tsan clang aarch64 test test-all demo docs \
        install uninstall deb wheel wheels bench bench-peers scaling models audit format lint clean

all: release  ## install what is missing, build the command and the libraries
	@echo "Built $(BUILD)/carom, $(BUILD)/libcarom.a and $(BUILD)/libcarom.so." \
	      "Next: make demo, make test, or $(BUILD)/carom --help"

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' Makefile | awk -F'\t' '{printf "  make %-10s %s\n", $$1, $$2}'
	@echo "  make PRESET     one of: release debug tests long-double asan tsan clang"

needs:
	@sh scripts/install_needs.sh build

mpi:  ## install MPI: carom built after that runs under mpirun (docs/batches.md)
	@sh scripts/install_needs.sh mpi

wasm-needs:
	@sh scripts/install_needs.sh wasm

wasm: wasm-needs release  ## install what compiles the core to WebAssembly, and build with it: `carom view --live` (docs/view.md)

mujoco: $(MUJOCO)  ## fetch MuJoCo's library and headers into build/third_party
$(BUILD)/third_party/mujoco/.fetched: cmake/mujoco.txt scripts/fetch_mujoco.sh | needs
	@sh scripts/fetch_mujoco.sh $(@D)
	@touch $@

osqp: $(BUILD)/third_party/osqp/.fetched  ## fetch OSQP, which `carom study quadruped` then uses, into build/third_party
$(BUILD)/third_party/osqp/.fetched: cmake/osqp.txt scripts/fetch_osqp.sh | needs
	@sh scripts/fetch_osqp.sh $(@D)
	@touch $@

# one rule for every preset
release debug tests long-double asan tsan clang: needs $(MUJOCO)
	@mkdir -p $(BUILD)
	@cmake --preset $@ $(CMAKE_ARGS) > $(BUILD)/$@.configure.log 2>&1 || \
	  { cat $(BUILD)/$@.configure.log; exit 1; }
	@cmake --build $(BUILD)/$@ -- -k 0

aarch64:  ## the core's fast tests on AArch64, cross-compiled and emulated
	@sh scripts/install_needs.sh build cross aarch64
	@mkdir -p $(BUILD)
	@cmake --preset $@ $(CMAKE_ARGS) > $(BUILD)/$@.configure.log 2>&1 || \
	  { cat $(BUILD)/$@.configure.log; exit 1; }
	@cmake --build $(BUILD)/$@ -- -k 0
	@ctest --test-dir $(BUILD)/$@ -L fast -j $$(nproc) --output-on-failure

test: needs $(MUJOCO)  ## fast tests, house checks, fast tests under the sanitizers
	@sh scripts/install_needs.sh python
	@sh scripts/install_needs.sh format || echo "make test: no clang-format, its check is skipped"
	@sh scripts/install_needs.sh mpi || echo "make test: no MPI, tests of several ranks are skipped"
	@$(MAKE) --no-print-directory osqp || echo "make test: no OSQP, its tests are skipped"
	@python3 scripts/run_tests.py fast

test-all: needs $(MUJOCO)  ## everything: also the long tests, the thread sanitizer and clang
	@sh scripts/install_needs.sh format clang wasm deb python render
	@python3 scripts/run_tests.py all

demo: release  ## identify the side of the cube from its recording; DATA=file for your own
	$(BUILD)/carom fit examples/cube_side.yaml --force $(if $(DATA),--data $(DATA))

# docs/install.md
PREFIX  ?= /usr/local
DESTDIR ?=
install: release  ## install below PREFIX (/usr/local), or DESTDIR and PREFIX
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD)/release --prefix "$(PREFIX)" > $(BUILD)/install.log || \
	  { cat $(BUILD)/install.log; exit 1; }
	@echo "Installed below $(DESTDIR)$(PREFIX)."

uninstall:  ## remove what make install put there
	@sh scripts/uninstall.sh $(BUILD)/release "$(PREFIX)" "$(DESTDIR)"

deb: CMAKE_ARGS += -DCAROM_LIVE=ON
deb: wasm-needs release  ## pack build/carom_VERSION_ARCHITECTURE.deb, with libmujoco in it
	@sh scripts/install_needs.sh deb
	@cpack --config $(BUILD)/release/CPackConfig.cmake -B $(BUILD)/package > $(BUILD)/deb.log || \
	  { cat $(BUILD)/deb.log; exit 1; }
	@mv $(BUILD)/package/carom_*.deb $(BUILD) && rm -rf $(BUILD)/package
	@echo "Packed $$(ls -t $(BUILD)/carom_*.deb | head -n 1)."

wheel: needs wasm-needs $(MUJOCO)  ## build the Python package, wheel and source archive, in build/dist (docs/python.md)
	@sh scripts/install_needs.sh python
	@sh scripts/make_wheel.sh $(BUILD)

ARM := $(BUILD)/third_party/aarch64
$(ARM)/mujoco/.fetched: cmake/mujoco.txt scripts/fetch_mujoco.sh | needs
	@sh scripts/fetch_mujoco.sh $(@D) aarch64
	@touch $@
$(ARM)/sysroot/.fetched: scripts/fetch_aarch64.sh
	@sh scripts/fetch_aarch64.sh $(@D)
	@touch $@

wheels: wheel $(ARM)/mujoco/.fetched $(ARM)/sysroot/.fetched  ## make wheel, and on x86-64 also the wheel for AArch64, with Debian's cross compiler
	@sh scripts/install_needs.sh cross
	@sh scripts/make_wheel.sh $(BUILD) aarch64 $(ARM)/sysroot $(ARM)/mujoco/mujoco

# a static site: nothing is fetched when it is read, also not by its search
DOCS := $(BUILD)/docs
$(DOCS)/.installed: scripts/site/requirements.txt
	@sh scripts/install_needs.sh python
	@mkdir -p $(DOCS)
	@python3 -m venv $(DOCS)/python
	@$(DOCS)/python/bin/pip install -q --disable-pip-version-check -r scripts/site/requirements.txt
	@touch $@

docs: release $(DOCS)/.installed  ## make the documentation site, build/docs/site, of the pages, headers, stubs and help
	@$(DOCS)/python/bin/python scripts/site/make_site.py $(BUILD)/carom $(DOCS) > $(DOCS)/site.log 2>&1 || \
	  { cat $(DOCS)/site.log; exit 1; }
	@echo "Open $(DOCS)/site/index.html"

MODELS := $(BUILD)/third_party/models
$(MODELS)/.fetched: cmake/models.txt scripts/fetch_models.sh | needs
	@sh scripts/fetch_models.sh $(@D)
	@touch $@

# more folders of your own: make models MORE="a b"; STATES=8 is quicker
MORE ?=
models: release $(MODELS)/.fetched  ## check every model of four packages, write docs/models.md
	@sh scripts/make_models.sh $(BUILD)/carom docs/models.md \
	  $(addprefix $(MODELS)/,dm_control gymnasium myosuite mujoco_warp) $(MORE)

SUITE := $(MODELS)/dm_control/suite
# in no package: make bench MYOHAND=.../myohand_die.xml MYOARM=.../myoarm_bimanual.xml LAIKAGO=.../laikago_toes_zup.urdf
MYOHAND ?=
MYOARM ?=
LAIKAGO ?=
BENCH = cube=examples/cube_toss.xml cheetah=$(SUITE)/cheetah.xml quadruped=$(SUITE)/quadruped.xml \
        humanoid=$(SUITE)/humanoid.xml dog=$(SUITE)/dog.xml \
        "22 humanoids=22*$(SUITE)/humanoid.xml" \
        "meshes (aloha_pot)=$(MODELS)/mujoco_warp/test_data/aloha_pot/scene.xml" \
        $(if $(MYOHAND),"MyoHand=$(MYOHAND)") $(if $(MYOARM),"bimanual MyoArm=$(MYOARM)") \
        $(if $(LAIKAGO),"laikago=$(LAIKAGO)")
# one size of a family after the other; mjd_transitionFD would take minutes a state
GROWTH = stack:1 stack:10 stack:100 stack:300 stack:1000 $(foreach n,1 2 5 10 22,"$(n) humanoids=$(n)*$(SUITE)/humanoid.xml") \
         $(foreach n,2 10 50 200 500,chain:$(n))
bench: release $(MODELS)/.fetched  ## run the benchmarks and write bench/RESULTS.md
	@$(BUILD)/carom bench --markdown $(BENCH) > $(BUILD)/RESULTS.md
	@printf '\n## Growth\n\nAs above, over 20 states and 5 rounds.\n\n' >> $(BUILD)/RESULTS.md
	@$(BUILD)/carom bench --markdown --states 20 --rounds 5 --no-differences $(GROWTH) \
	  | sed -n '/^|/p' >> $(BUILD)/RESULTS.md
	@printf '\n## Batches\n\nRollouts with gradients by start, controls and masses, each with masses of its own; MuJoCo:\n' >> $(BUILD)/RESULTS.md
	@printf 'the same rollouts, without gradients.\n\n' >> $(BUILD)/RESULTS.md
	@$(BUILD)/carom bench --markdown --batch 1000 --steps 100 --rounds 3 cube=examples/cube_toss.xml \
	  humanoid=$(SUITE)/humanoid.xml >> $(BUILD)/RESULTS.md
	@printf '\n## Plans\n\nAn iteration of ilqr, one thread, the first five from controls of zero; its steps and Jacobians; the same Jacobians by\n' >> $(BUILD)/RESULTS.md
	@printf '`mjd_transitionFD`, one-sided; and how much longer an iteration is with these instead.\n\n' >> $(BUILD)/RESULTS.md
	@$(BUILD)/carom bench --markdown --plan 5 --rounds 9 examples/tasks/humanoid_stand.yaml \
	  --set model=$(abspath $(SUITE))/humanoid.xml >> $(BUILD)/RESULTS.md
	@printf '\n## Quasi-dynamic steps\n\nSmoothed steps of the planar hand with A and B, one core: `carom quasidynamic examples/tasks/planar_hand.xml\n' >> $(BUILD)/RESULTS.md
	@printf -- '--keyframe grasp --ctrl left_1=-0.95 right_1=0.95 --smooth 100 --jacobian --steps 20000 --reach R`.\n\n| reach, m | a second |\n|---|---|\n' >> $(BUILD)/RESULTS.md
	@for reach in 0.2 0.3 10; do $(BUILD)/carom quasidynamic examples/tasks/planar_hand.xml --keyframe grasp --ctrl left_1=-0.95 right_1=0.95 \
	  --smooth 100 --jacobian --steps 20000 --reach $$reach | sed -n "s/^\([0-9]*\) steps a second.*/| $$reach | \1 |/p" >> $(BUILD)/RESULTS.md; done
	@mv $(BUILD)/RESULTS.md bench/RESULTS.md
	@echo "Wrote bench/RESULTS.md"

# time and memory against every size there is, a plot each: docs/performance.md
scaling: release $(MODELS)/.fetched  ## measure how time and memory grow, write bench/scaling and its plots
	@python3 bench/scaling.py $(BUILD)/carom $(SUITE)/humanoid.xml examples/cube_toss.xml

# Python packages of the peers, in a folder of their own; Pinocchio's headers want Eigen
PEERS := $(BUILD)/peers
$(PEERS)/.installed: bench/peers/requirements.txt
	@sh scripts/install_needs.sh peers
	@python3 -m venv $(PEERS)/python
	@$(PEERS)/python/bin/pip install -q -r bench/peers/requirements.txt
	@touch $@

# Tiny Differentiable Simulator has no package: make bench-peers TDS=folder of its repository
TDS ?=
bench-peers: release $(MODELS)/.fetched $(PEERS)/.installed  ## measure Pinocchio and MuJoCo XLA beside Carom, write bench/PEERS.md
	@$(PEERS)/python/bin/python bench/peers/run.py $(BUILD)/carom $(PEERS) $(PEERS)/python/bin/python \
	  $(if $(TDS),--tds $(TDS)) examples/cube_toss.xml $(SUITE)/humanoid.xml > $(BUILD)/PEERS.md
	@mv $(BUILD)/PEERS.md bench/PEERS.md
	@echo "Wrote bench/PEERS.md"

# random models against MuJoCo's Python package: make audit SEED=1 COUNT=1000; goes on where it stopped
AUDIT := $(BUILD)/audit
SEED  ?= 1
COUNT ?= 1000
$(AUDIT)/.installed: tests/audit/requirements.txt
	@python3 -m venv $(AUDIT)/python
	@$(AUDIT)/python/bin/pip install -q -r tests/audit/requirements.txt
	@touch $@

audit: release $(AUDIT)/.installed  ## hold random models against MuJoCo: steps, gradients, events (tests/audit)
	@nice $(AUDIT)/python/bin/python tests/audit/audit.py --seed $(SEED) --count $(COUNT)

format: needs  ## clang-format in place
	@sh scripts/install_needs.sh format
	@sh scripts/check_format.sh --fix

lint: tests  ## format check, house checks, clang-tidy
	@sh scripts/install_needs.sh format clang
	@python3 scripts/run_tests.py lint

clean:  ## remove what was built, MuJoCo's copy included
	rm -rf $(BUILD)
