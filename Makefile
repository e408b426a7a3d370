# Each target is one call of bootstrap.py, which also works alone: python bootstrap.py book
PYTHON ?= python3

.PHONY: book test fast check proof bench
.NOTPARALLEL:

book test fast check proof bench:
	@$(PYTHON) bootstrap.py $@ $(ARGS)
