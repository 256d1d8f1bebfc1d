# SPDX-License-Identifier: GPL-2.0
# GNU make; "make help" lists the targets. tools/bootstrap installs what is needed.

PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
COMPDIR ?= $(PREFIX)/share/bash-completion/completions

# Libraries, by their pkg-config names. Every user of one gets its flags from here.
LIBS := libbpf libelf zlib jansson
LIBS_TEST := cmocka
LDLIBS_SYS := -lpthread -lm

# Variants never share objects: build, build-static, build-aarch64-static, build-asan.
# What comes from bpf/ is the same on every architecture and always lives in build/.
STATIC := $(filter-out 0 n,$(STATIC))
WERROR := $(filter-out 0 n,$(WERROR))
triplet := $(patsubst %-,%,$(notdir $(CROSS_COMPILE)))
variant := $(if $(triplet),-$(firstword $(subst -, ,$(triplet))))$(if $(STATIC),-static)
B := build$(variant)
A := build-asan
BIN := $(if $(variant),$(B)/idletrace,idletrace)

# A goal's own default must not override what the environment or caller says.
ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
ifeq ($(origin AR),default)
AR := $(CROSS_COMPILE)ar
endif
PKG_CONFIG ?= pkg-config
CLANG ?= $(call memo,CLANG,command -v clang || \
	ls /usr/bin/clang-[0-9]* /usr/lib/llvm*/bin/clang 2>/dev/null | \
	grep -E '/clang(-[0-9]+)?$$' | sort -V | tail -n1)
# Debian keeps bpftool outside a user's PATH; Ubuntu's is a wrapper that fails without
# the running kernel's tools package. The first that works is the one to use.
BPFTOOL ?= $(call memo,BPFTOOL,for b in $$(command -v bpftool) /usr/sbin/bpftool \
	/usr/local/sbin/bpftool $$(ls -rd /usr/lib/linux-tools/*/bpftool \
	/usr/lib/linux-tools-*/bpftool 2>/dev/null); do \
	$$b version >/dev/null 2>&1 && echo $$b && break; done)
# The value of a variable is found by its first use, and once.
memo = $(eval $(1) := $(shell $(2)))$($(1))

CFLAGS ?= -O2 -g
cflags := -std=gnu11 -Wall -Wextra $(if $(WERROR),-Werror) -D_GNU_SOURCE -Isrc -Ibpf -Ibuild
ldflags := $(if $(STATIC),-static)
asan := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer

# SYSROOT holds the target's libraries below usr/, as unpacked Debian packages have
# them. Without a libc in it, the cross compiler's own is used.
pkg_env :=
ifneq ($(SYSROOT),)
libdir := $(SYSROOT)/usr/lib/$(triplet)
cflags += $(if $(wildcard $(SYSROOT)/usr/include/stdio.h),--sysroot=$(SYSROOT)) \
	-isystem $(SYSROOT)/usr/include -isystem $(SYSROOT)/usr/include/$(triplet)
ldflags += $(if $(wildcard $(SYSROOT)/usr/include/stdio.h),--sysroot=$(SYSROOT)) \
	-L$(libdir) -L$(SYSROOT)/usr/lib
pkg_env := PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) \
	PKG_CONFIG_LIBDIR=$(libdir)/pkgconfig:$(SYSROOT)/usr/lib/pkgconfig:$(SYSROOT)/usr/share/pkgconfig
endif
pkg = $(pkg_env) $(PKG_CONFIG) $(if $(STATIC),--static)
lib_cflags = $(call memo,lib_cflags,$(pkg) --cflags $(LIBS))
lib_libs = $(call memo,lib_libs,$(pkg) --libs $(LIBS))
test_cflags = $(call memo,test_cflags,$(PKG_CONFIG) --cflags $(LIBS) $(LIBS_TEST))
test_libs = $(call memo,test_libs,$(PKG_CONFIG) --libs $(LIBS) $(LIBS_TEST))

compile = $(CC) $(cflags) $(lib_cflags) $(CPPFLAGS) $(CFLAGS)
compile_asan = $(CC) $(cflags) $(asan) $(test_cflags) $(CPPFLAGS) $(CFLAGS)
compile_bpf = $(CLANG) -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Wno-unused-parameter \
	$(if $(WERROR),-Werror) -Ivmlinux -Ibpf $(BPF_CFLAGS)
link = $(CC) $(CFLAGS) $(ldflags) $(LDFLAGS)
link_asan = $(CC) $(CFLAGS) $(asan) $(LDFLAGS)

elf_fill := $(if $(STATIC),$(B)/static-elf.a)

SRCS := $(wildcard src/*.c src/*/*.c)
OBJS := $(SRCS:src/%.c=$(B)/%.o)
ASAN_OBJS := $(patsubst src/%.c,$(A)/%.o,$(filter-out src/main.c,$(SRCS)))
UNIT_SRCS := $(wildcard tests/unit/*.c)
UNIT := $(patsubst tests/unit/%.c,$(A)/%,$(filter tests/unit/test_%,$(UNIT_SRCS)))
UNIT_HELP := $(patsubst tests/unit/%.c,$(A)/unit/%.o,$(filter-out tests/unit/test_%,$(UNIT_SRCS)))
E2E := $(filter-out tests/e2e/lib.sh,$(wildcard tests/e2e/*.sh))
SKEL := build/idletrace.skel.h
# Their first compile has no dependency file yet that would say so.
SKEL_SRCS := $(if $(SRCS),$(shell grep -l 'idletrace\.skel\.h' $(SRCS)))

Q := $(if $(filter-out 0,$(V)),,@)
msg = @printf '  %-7s %s\n' '$(1)' '$(2)'

.DELETE_ON_ERROR:
.PHONY: all unit check check-unit check-e2e check-lab lab lint format install uninstall \
	clean help FORCE

all: $(BIN) ## build idletrace (the default)

-include tests/lab/lab.mk
-include tools/bench/bench.mk
-include $(OBJS:.o=.d) $(ASAN_OBJS:.o=.d) $(UNIT_HELP:.o=.d) $(UNIT:$(A)/%=$(A)/unit/%.d)
-include build/idletrace.bpf.d

# A stamp holds the command line; it changes, and its objects with it, when that does.
stamp = @mkdir -p $(@D); echo '$(1)' | cmp -s - $@ || echo '$(1)' >$@
need = @$(1) $(PKG_CONFIG) --exists --print-errors $(2) || { \
	echo 'make: libraries are missing: tools/bootstrap installs them' >&2; exit 1; }

$(B)/flags: FORCE
	$(call need,$(pkg_env),$(LIBS))
	$(call stamp,$(compile) $(link) $(OBJS))
$(A)/flags: FORCE
	$(call need,,$(LIBS) $(LIBS_TEST))
	$(call stamp,$(compile_asan) $(link_asan) $(ASAN_OBJS) $(UNIT_HELP))
build/bpf.flags: FORCE
	@test -n '$(CLANG)' || { echo 'make: no clang: see tools/bootstrap' >&2; exit 1; }
	@test -n '$(BPFTOOL)' || { echo 'make: no bpftool that works: see tools/bootstrap,' \
		'or make BPFTOOL=/path' >&2; exit 1; }
	$(call stamp,$(compile_bpf) $(BPFTOOL))

build/idletrace.bpf.o: bpf/idletrace.bpf.c build/bpf.flags
	$(call msg,BPF,$@)
	$(Q)$(compile_bpf) -MMD -MP -MF $(@:.o=.d) -MT $@ -c $< -o build/idletrace.tmp.o
	$(Q)$(BPFTOOL) gen object $@ build/idletrace.tmp.o
$(SKEL): build/idletrace.bpf.o
	$(call msg,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name idletrace_bpf >$@

$(SKEL_SRCS:src/%.c=$(B)/%.o) $(SKEL_SRCS:src/%.c=$(A)/%.o): | $(SKEL)

# A loop that lies across two lines of 64 bytes can take half as long again beside a busy
# sibling (docs/fidelity.md): what is work must not depend on where the linker puts it.
$(B)/work.o $(B)/workloads/schbench_work.o: private cflags += -falign-loops=64

$(B)/%.o: src/%.c $(B)/flags
	$(call msg,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(compile) -MMD -MP -c $< -o $@
$(B)/static-elf.a: tools/static-elf.c $(B)/flags
	$(Q)$(compile) -c $< -o $(@:.a=.o) && rm -f $@ && $(AR) rcs $@ $(@:.a=.o)
$(BIN): $(OBJS) $(elf_fill) $(B)/flags
	$(call msg,LINK,$@)
	$(Q)$(link) $(OBJS) $(lib_libs) $(elf_fill) $(LDLIBS_SYS) -o $@

$(A)/unit/%.o: tests/unit/%.c $(A)/flags
	$(call msg,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(compile_asan) -Itests/unit -MMD -MP -c $< -o $@
$(A)/%.o: src/%.c $(A)/flags
	$(call msg,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(compile_asan) -MMD -MP -c $< -o $@
# An archive, so that a test links only what it uses and may replace a function.
$(A)/idletrace.a: $(ASAN_OBJS) $(A)/flags
	$(call msg,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(ASAN_OBJS)
$(UNIT): $(A)/%: $(A)/unit/%.o $(UNIT_HELP) $(A)/idletrace.a
	$(call msg,LINK,$@)
	$(Q)$(link_asan) $< $(UNIT_HELP) $(A)/idletrace.a $(test_libs) $(LDLIBS_SYS) -o $@

unit: $(UNIT)
ifeq ($(variant),)
check: all unit ## lint, unit and end-to-end tests, one sum (root)
	@tests/run tools/lint $(UNIT) $(E2E) $(CHECK_EXTRA) $(if $(LAB),'tests/lab/run $(LAB)')
check-unit: unit ## unit tests under ASan and UBSan (no root)
	@tests/run $(UNIT)
check-e2e: all ## end-to-end tests on this kernel (root)
	@tests/run $(E2E)
else
check check-unit check-e2e:
	@echo 'make: tests run on the plain build: no STATIC, no CROSS_COMPILE' >&2; exit 1
endif
check-lab: ## tests on emulated kernels and idle states
lab: ## a shell on an emulated kernel, KERNEL=id
bench: ## what it costs on this machine (root)
lint: ## formatting of C, shellcheck of scripts, the man page
	@tests/run tools/lint
format: ## rewrite the C sources in the project's style
	@tools/lint --fix

install: all ## to PREFIX (/usr/local), below DESTDIR
	install -D -m 755 $(BIN) $(DESTDIR)$(BINDIR)/idletrace
	install -D -m 644 docs/idletrace.8 $(DESTDIR)$(MANDIR)/man8/idletrace.8
	install -D -m 644 tools/completion.bash $(DESTDIR)$(COMPDIR)/idletrace
uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(BINDIR)/idletrace $(DESTDIR)$(MANDIR)/man8/idletrace.8 \
		$(DESTDIR)$(COMPDIR)/idletrace
clean: ## remove everything that was built
	rm -rf build build-* idletrace

print-%:
	@echo '$($*)'
help: ## this list
	@echo 'Targets:'
	@sed -n 's/^\([a-z0-9-]*\):.* ## \(.*\)/\1|\2/p' Makefile | \
		while IFS='|' read -r t d; do printf '  %-11s %s\n' "$$t" "$$d"; done
	@echo 'Variables: V=1 (show commands) STATIC=1 WERROR=1 PREFIX= DESTDIR= CFLAGS='
	@echo '  CROSS_COMPILE=aarch64-linux-gnu- SYSROOT=DIR CLANG= BPFTOOL='
	@echo '  LAB=ci (make check: these rows of the lab as well)'
