# Emulated kernels and idle states. Included by the Makefile.
#
#   make lab [KERNEL=arm64-7.3]        a shell in a guest with the current build
#   make check-lab [LAB_ROWS="ID..."]  the whole matrix, or the named rows or tags
#   make check-lab-ci                  the rows that .ci/run has time for
#   make lab-icount                    instructions per BPF program against the table
#   make docs-kernels                  docs/kernels.md from the last check-lab
KERNEL ?= arm64-7.3
LAB_ROWS ?=

.PHONY: lab check-lab check-lab-ci lab-icount docs-kernels

# "make check" runs the tests of the lab's own scripts
CHECK_EXTRA += tests/lab/test_check.py tests/lab/test_scripts.sh

lab:
	@tests/lab/shell $(KERNEL)
check-lab:
	@tests/lab/run $(LAB_ROWS)
check-lab-ci:
	@tests/lab/run ci
lab-icount:
	@tests/lab/icount
docs-kernels:
	@tests/lab/kernels-page > docs/kernels.md
