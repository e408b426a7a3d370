# Each target is one call of bootstrap.py, which also works alone: python bootstrap.py book
PYTHON ?= python3

.PHONY: book test fast check proof bench serve
.NOTPARALLEL:

book test fast check proof bench serve:
	@$(PYTHON) bootstrap.py $@ $(ARGS)
