# What "make bench" runs. Included by the Makefile.
#
#   make bench [BENCH="--quick --rows cost,loss"]    see tools/bench/run --help
BENCH ?=

.PHONY: bench
bench: all build/bench/bpf-cost build/bench/replay build/bench/many-cpus.so
	@tools/bench/run $(BENCH)

build/bench/empty.bpf.o: tools/bench/empty.bpf.c build/bpf.flags
	$(call msg,BPF,$@)
	@mkdir -p $(@D)
	$(Q)$(compile_bpf) -c $< -o build/bench/empty.tmp.o
	$(Q)$(BPFTOOL) gen object $@ build/bench/empty.tmp.o
build/bench/empty.skel.h: build/bench/empty.bpf.o
	$(call msg,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name empty_bpf >$@
build/bench/bpf-cost: build/bench/empty.skel.h
build/bench/replay: objects = $(filter-out $(B)/main.o,$(OBJS))
build/bench/replay: $(OBJS)
build/bench/%.so: tools/bench/%.c $(B)/flags
	$(call msg,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(compile) -shared -fPIC $< $(lib_libs) -ldl -o $@
build/bench/%: tools/bench/%.c $(B)/flags
	$(call msg,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(compile) -Ibuild/bench $< $(objects) $(lib_libs) $(LDLIBS_SYS) -o $@
