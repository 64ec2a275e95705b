# Needs python3 (3.11 or newer) with pip and venv, and make. Each target makes its own virtual environment on first use.
PYTHON ?= python3
VENV ?= .venv
SEEDS ?= 20
TENANTS ?=
IMAGE ?= aruba-cloud-operator

RUN := $(VENV)/bin/python
BIN := $(VENV)/bin
INSTALL := $(RUN) -m pip install --quiet --disable-pip-version-check --require-hashes

.DEFAULT_GOAL := help
.PHONY: help demo local test check sweep generate e2e bench campaign fmt requirements wheel image sbom audit clean

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

demo: $(VENV)/$(if $(filter vault,$(TENANTS)),.vault,.local) ## a full stack from apply to Active to gone, on this machine
	@$(RUN) -m hooks demo $(if $(TENANTS),--tenants $(TENANTS))

local: $(VENV)/.local ## stay up for hands-on use with kubectl
	@$(RUN) -m hooks local --state-dir .local-state

test: check ## everything that a change must pass
	$(RUN) -m pytest -n auto --dist worksteal -m "not sweep"

sweep: $(VENV)/.test ## what `test` leaves out: field cases for the other kinds, and the longest
	$(RUN) -m pytest -n auto --dist worksteal -m sweep

check: $(VENV)/.test ## lint, types, import contracts, drift of generated files
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(RUN) -m hooks generate --check

generate: $(VENV)/.test ## rewrite crds/, metacontroller/, the chart's parts, samples and reference pages from the declarations
	$(RUN) -m hooks generate
	$(RUN) -m tests.helm.overlays --write

e2e: $(VENV)/.test ## the same scenarios against a real control plane, built from source at first use (needs Go)
	@$(RUN) -m tests.e2e.controlplane.build
	$(RUN) -m pytest tests/e2e -n auto --dist worksteal -o faulthandler_timeout=600

bench: $(VENV)/.test ## figures, one NAME VALUE UNIT a line
	@$(RUN) -m tests.bench

campaign: $(VENV)/.test ## long fault schedules: make campaign SEEDS=100
	@$(RUN) -m tests.campaign --seeds $(SEEDS)

fmt: $(VENV)/.test ## format, and fix what can be fixed safely
	$(BIN)/ruff check --fix --quiet || true
	$(BIN)/ruff format

# Releases younger than a week wait: most bad ones are withdrawn by then. The smaller lists follow the largest one.
UPGRADE ?= --upgrade
PIN = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --exclude-newer '7 days' \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links $(UPGRADE)
COMPILE = $(PIN) pyproject.toml
FOLLOW = $(COMPILE) --constraint requirements/test.txt

requirements: $(RUN) ## pin the newest allowed versions again; UPGRADE= keeps the pins and adds only what is new
	$(RUN) -m pip install --quiet --disable-pip-version-check uv==0.13.9
	$(COMPILE) --extra local --extra vault --extra test --output-file requirements/test.txt
	$(FOLLOW) --extra local --extra vault --output-file requirements/vault.txt
	$(FOLLOW) --extra local --output-file requirements/local.txt
	$(FOLLOW) --extra audit --output-file requirements/audit.txt
	$(FOLLOW) --output-file requirements/runtime.txt
	$(PIN) --group build --constraint requirements/test.txt --output-file requirements/build.txt

wheel: $(VENV)/.test ## build dist/*.whl, without the network
	$(RUN) -m hatchling build --target wheel

image: | $(RUN) ## build the container image: make image IMAGE=registry.example/name:tag
	@$(RUN) -m tests.supply image $(IMAGE) $(if $(BASE),--base $(BASE))

sbom: $(VENV)/.audit ## what the image holds, as CycloneDX: dist/sbom.cdx.json
	@$(RUN) -m tests.supply sbom

audit: $(VENV)/.test $(VENV)/.audit ## pins, licences, known vulnerabilities; AUDIT_STRICT=1 takes "not checked" for a finding
	@$(RUN) -m tests.supply audit

clean: ## remove what the other targets made, except the virtual environment
	rm -rf dist .local-state .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -path ./$(VENV) -prune -o -type d -name __pycache__ -exec rm -rf {} +

$(RUN):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "Python 3.11 or newer is needed, as $(PYTHON) (or: make PYTHON=/path/to/python3.11 ...)" >&2; exit 1; }
	@echo "Making the virtual environment $(VENV) (first use only)"
	@$(PYTHON) -m venv $(VENV) || \
		{ rm -rf $(VENV); echo "$(PYTHON) cannot make virtual environments: install its venv package" >&2; exit 1; }

$(VENV)/.local: requirements/local.txt | $(RUN)
	@echo "Installing what runs and tries the operator (once, until the pinned list changes)"
	@$(INSTALL) -r $<
	@touch $@

$(VENV)/.test: requirements/test.txt | $(RUN)
	@echo "Installing what tests the operator (once, until the pinned list changes)"
	@$(INSTALL) -r $<
	@touch $@ $(VENV)/.local $(VENV)/.vault

$(VENV)/.vault: requirements/vault.txt | $(RUN)
	@echo "Installing what runs and tries the operator, and a Vault (once, until the pinned list changes)"
	@$(INSTALL) -r $<
	@touch $@ $(VENV)/.local

$(VENV)/.audit: requirements/audit.txt | $(RUN)
	@echo "Installing what audits the operator (once, until the pinned list changes)"
	@$(INSTALL) -r $<
	@touch $@
