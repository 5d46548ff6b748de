# Everything is done by two commands: `make verify` and `make test`. Each sets up what it needs first, once.
# Needs: git, make, and Python 3.10 or newer (`make PYTHON=/path/to/python3 …` to choose one).

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
# Newer than everything it was made from, so that a second `make` starts at once.
READY := $(VENV)/.ready

.PHONY: verify quick test campaigns bench scale products predecessor dashboard published profiles fuzz operations corners engines hostile same mutants repair metamorphic checker removal lint types pages docs clean help

help: ## what can be made
	@sed -n 's/^\([a-z]*\):.*## /make \1: /p' $(MAKEFILE_LIST)

verify: $(READY) ## verify every target of the manifest (ARGS='NAME --phase 1' for some)
	$(RUN) verify.py $(ARGS)

quick: $(READY) ## run the tests that take little, on each save
	$(RUN) -m pytest --numprocesses auto --lane quick $(ARGS)

test: $(READY) ## run the test suite (ARGS='-k name' for some)
	$(RUN) -m pytest --numprocesses auto $(ARGS)

campaigns: $(READY) ## run the campaigns, or a portion of them (PORTION=3/8), and write reports/campaigns.xml
	$(RUN) -m pytest --numprocesses auto --lane campaigns --portion $(or $(PORTION),1/1) --junit-xml reports/campaigns.xml $(ARGS)

bench: $(READY) ## measure what verifying each target costs (ARGS='NAME' for some, ARGS=--write for docs/speed.md)
	$(RUN) -m lab.bench_command $(ARGS)

scale: $(READY) ## measure how the cost of verifying grows (ARGS=--write for docs/scale.md)
	$(RUN) -m lab.scale $(ARGS)

products: $(READY) ## decide claims about products of dimensions beside Z3 and cvc5 (ARGS='--seconds 10')
	$(RUN) -m lab.products $(ARGS)

predecessor: $(READY) ## time the targets shared with the predecessor beside ours (CHECKOUT=DIR, ARGS='matmul --seconds 60')
	$(RUN) -m lab.predecessor $(if $(CHECKOUT),--checkout '$(CHECKOUT)') $(ARGS)

dashboard: $(READY) ## show the last results as one page, reports/dashboard/index.html
	$(RUN) verify.py dashboard $(ARGS)

published: $(READY) ## check published kernels (CHECKOUT='DIR …', ARGS='--symbolic', ARGS=--write for docs/published.md)
	$(RUN) -m lab.published $(foreach dir,$(CHECKOUT),--checkout $(dir)) $(ARGS)

profiles: $(READY) ## print costs beside the counters of a device (CHECKOUT=DIR of zhang677/AccelOpt, ARGS='--profiles FILE')
	$(RUN) -m lab.profiles --checkout '$(CHECKOUT)' $(ARGS)

fuzz: $(READY) ## compare verdicts on N random kernels with all their concrete runs (N=1000 SEED=1 ARGS='--phase 3,4')
	$(RUN) -m lab.fuzz --count $(or $(N),1000) --seed $(or $(SEED),1) $(ARGS)

operations: $(READY) ## compare what is called defined on N kernels about one operation each (N=1000 SEED=1)
	$(RUN) -m lab.operations --count $(or $(N),1000) --seed $(or $(SEED),1) $(ARGS)

corners: $(READY) ## run shapes at the corners of derived domains of N random kernels (N=100 SEED=1 ARGS='--of manifest')
	$(RUN) -m lab.corners --count $(or $(N),100) --seed $(or $(SEED),1) $(ARGS)

engines: $(READY) ## compare the engines and solvers on N random shape programs (N=100 SEED=1)
	$(RUN) -m lab.engines --count $(or $(N),100) --seed $(or $(SEED),1) $(ARGS)

hostile: $(READY) ## try what breaks things: kernels, files, arguments, full disks (ARGS='--kind raises', PYTHON_TRIED=python3.13)
	$(RUN) -m lab.hostile $(if $(PYTHON_TRIED),--python $(PYTHON_TRIED)) $(ARGS)

same: $(READY) ## verify targets and N random kernels alone, after others, under load, with four hash seeds (N=300 ARGS='--portion 1/4')
	$(RUN) -m lab.same --random $(or $(N),300) $(ARGS)

mutants: $(READY) ## mutate the good kernels and say which phase kills each mutant (ARGS='--log FILE' to go on where it ended)
	$(RUN) -m lab.mutation $(ARGS)

repair: $(READY) ## repair N mutants, and say for how many the kernel comes back (N=40 SEED=1 ARGS='--log FILE')
	$(RUN) -m lab.repairs --count $(or $(N),40) --seed $(or $(SEED),1) $(ARGS)

metamorphic: $(READY) ## rewrite N random kernels in ways that must not move the verdict (N=200 SEED=1)
	$(RUN) -m lab.metamorphic --count $(or $(N),200) --seed $(or $(SEED),1) $(ARGS)

checker: $(READY) ## put faults into the checker and say which tests notice them (N=10 of each module)
	$(RUN) -m lab.checker --each $(or $(N),10) $(ARGS)

removal: $(READY) ## take each contract out of the checker; its wrong control must not fail then
	$(RUN) -m lab.removal $(ARGS)

lint: $(READY) ## check the style, that layers import only those below them, and subjects of commits
	$(RUN) -m ruff check
	$(RUN) -m lab.stubs --check
	$(VENV)/bin/lint-imports
	$(RUN) -m lab.commit_subjects

types: $(READY) ## check the types
	$(RUN) -m mypy

numerics: $(READY) ## random kernels on ranges and on inputs: no number may be outside of its range
	$(RUN) -m lab.numerics $(ARGS)

pages: $(READY) ## write the generated pages: targets, contracts, musts, commands, functions, stubs
	$(RUN) -m lab.targets_page
	$(RUN) -m lab.audit
	$(RUN) -m lab.musts
	$(RUN) -m lab.commands_page
	$(RUN) -m lab.numerics_page
	$(RUN) -m lab.stubs

docs: $(READY) ## build the site of docs/ in build/site, with every link checked
	$(RUN) -m mkdocs build --strict --quiet

clean: ## remove the virtual environment and what tools leave behind
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	    { echo 'Python 3.10 or newer is needed: make PYTHON=/path/to/python3 …' >&2; exit 1; }
	@test -e $@ || $(PYTHON) -m venv --clear $(VENV) || \
	    { echo 'Python cannot make a virtual environment; on Debian and Ubuntu, install python3-venv' >&2; exit 1; }
	$(RUN) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@
