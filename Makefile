# bpf-sample | stack-resolve | stack-fold | fold2svg: see README.md; `make help`.

O ?= build
# Spelt in one way: with another, what a test makes in the folder it is in would be made anew.
override O := $(patsubst $(CURDIR)/%,%,$(abspath $(O)))
PREFIX ?= /usr/local
ifeq ($(origin CC),default)
CC := cc
endif
CLANG ?= clang
BPFTOOL ?= bpftool
CFLAGS ?= -O2 -g
VERSION := 0.1

ARCH := $(shell uname -m)
WARN := -Wall -Wextra
ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE -DVERSION='"$(VERSION)"' $(WARN) -Ilib -I$(O) $(CFLAGS)
ifdef SANITIZE
ALL_CFLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif
ifndef V
Q := @
say = @echo '  $1	$2'
MAKEFLAGS += --no-print-directory
endif

all:

# ---- what a tool.mk says, NAME being the tool
#   TOOLS += NAME
#   NAME_SRC := files           its sources, main among them
#   NAME_LIBS := -l…            in link order, those they need themselves included
#   NAME_BPF := PROG…           bpf/PROG.bpf.c, whose skeleton "bpf/PROG.skel.h" it includes
#   NAME_GEN := files           other headers it includes that a rule of its own makes
#   unit_TEST_SRC := files      what t/unit/TEST.c needs besides lib.a, and
#   unit_TEST_LIBS := -l…
#   fuzz_TARGET_SRC, fuzz_TARGET_LIBS   likewise for t/fuzz/TARGET.c
TOOLS :=
include $(wildcard */tool.mk extra/*/tool.mk)

# ---- objects; all depend on the flags they were made with
FLAGS_NOW := $(CC) $(ALL_CFLAGS) $(LDFLAGS)
$(O)/.flags: FORCE
	$(Q)mkdir -p $(@D); echo '$(subst ','\'',$(FLAGS_NOW))' | cmp -s - $@ || \
		echo '$(subst ','\'',$(FLAGS_NOW))' >$@

$(O)/%.o: %.c $(O)/.flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# ---- lib: one archive; a tool links only the objects it uses
LIB_OBJ := $(patsubst %.c,$(O)/%.o,$(wildcard lib/*/*.c))
# The list of objects is a prerequisite, too: one that is gone must leave the archive.
$(O)/lib.list: FORCE
	$(Q)mkdir -p $(@D); echo '$(LIB_OBJ)' | cmp -s - $@ || echo '$(LIB_OBJ)' >$@
$(O)/lib.a: $(LIB_OBJ) $(O)/lib.list
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(LIB_OBJ)

# ---- BPF programs: bpf/PROG.bpf.c → PROG.bpf.o → PROG.skel.h
BPF_ARCH := $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(ARCH)))
BPF_CFLAGS := -target bpf -O2 -g $(WARN) -Wno-unused-parameter -Ibpf -Ilib \
	-D__TARGET_ARCH_$(BPF_ARCH) -idirafter /usr/include/$(ARCH)-linux-gnu
BPF_PROGS := $(patsubst bpf/%.bpf.c,%,$(wildcard bpf/*.bpf.c))
.SECONDARY: $(BPF_PROGS:%=$(O)/bpf/%.bpf.o) $(BPF_PROGS:%=$(O)/bpf/%.skel.h)

$(O)/bpf/%.bpf.o: bpf/%.bpf.c
	$(call say,BPF,$<)
	$(Q)mkdir -p $(@D) && $(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@ $<

# bpftool lies in sbin on some systems, which is not on every user's path.
$(O)/bpf/%.skel.h: $(O)/bpf/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)PATH="$$PATH:/usr/sbin:/sbin" $(BPFTOOL) gen skeleton $< name $(subst -,_,$*)_bpf \
		>$@.new && mv $@.new $@

# ---- tools
define tool_rules
$(1)_OBJ := $$($(1)_SRC:%.c=$(O)/%.o)
$(O)/bin/$(1): $$($(1)_OBJ) $(O)/lib.a
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D) && $$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$($(1)_LIBS)
ifneq ($$($(1)_BPF)$$($(1)_GEN),)
# Only for the first time: from then on the .d files say who includes them.
$$($(1)_OBJ): ALL_CFLAGS += $$(if $$($(1)_BPF),-Ibpf)
$$($(1)_OBJ): | $$($(1)_BPF:%=$(O)/bpf/%.skel.h) $$($(1)_GEN)
endif
$(1): $(O)/bin/$(1)
# What libelf.a needs besides zlib differs between versions; pkg-config knows.
$(O)/static/bin/$(1): $$($(1)_OBJ) $(O)/lib.a
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D) && $$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) -static -o $$@ $$^ $$($(1)_LIBS) \
		$$(if $$(filter -lelf,$$($(1)_LIBS)),$$$$(pkg-config --static --libs-only-l libelf \
			2>/dev/null))
.PHONY: $(1)
endef
$(foreach t,$(TOOLS),$(eval $(call tool_rules,$(t))))

all: $(TOOLS:%=$(O)/bin/%)

# Programs that run with no shared library. It takes static libraries, which Debian's -dev
# packages have and some distributions keep apart (glibc-static, …).
static: $(TOOLS:%=$(O)/static/bin/%)

# ---- workloads with a known answer; plain flags, whatever the tools are built with
EXAMPLES := burn cpu_bound
EXAMPLE_CFLAGS := -O2 -g $(WARN) -fno-omit-frame-pointer
$(EXAMPLES:%=$(O)/examples/%): $(O)/examples/%: examples/%.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(EXAMPLE_CFLAGS) -o $@ $<
# This one is about programs without, and has a library.
CHAIN_CFLAGS := -O2 -g $(WARN) -fomit-frame-pointer -pthread
$(O)/examples/known_chain: $(wildcard examples/known_chain*.[ch])
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CHAIN_CFLAGS) -fPIC -shared -o $(@D)/libknown_chain.so \
		examples/known_chain_library.c && \
		$(CC) $(CHAIN_CFLAGS) -o $@ examples/known_chain.c $(@D)/libknown_chain.so \
		'-Wl,-rpath,$$ORIGIN'
examples: $(EXAMPLES:%=$(O)/examples/%) $(O)/examples/known_chain

# ---- unit tests and fuzz targets
TEST_LIBS := -lelf -lz -liberty
UNITS := $(patsubst t/unit/%.c,%,$(wildcard t/unit/*.c))
FUZZ := $(filter-out replay,$(patsubst t/fuzz/%.c,%,$(wildcard t/fuzz/*.c)))

$(O)/t/unit/%.o: ALL_CFLAGS += -It/unit
define unit_rules
$(O)/t/unit/$(1): $(O)/t/unit/$(1).o $$(unit_$(1)_SRC:%.c=$(O)/%.o) $(O)/lib.a
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$(unit_$(1)_LIBS) $$(TEST_LIBS)
endef
$(foreach t,$(UNITS),$(eval $(call unit_rules,$(t))))
units: $(UNITS:%=$(O)/t/unit/%)

# What shell tests run besides the tools: t/NAME.c → $(O)/t/NAME.
HELPERS := $(patsubst %.c,$(O)/%,$(wildcard t/*.c))
$(HELPERS): %: %.o $(O)/lib.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(TEST_LIBS)
units: $(HELPERS)

# With FUZZER=1 the fuzzer's own main is linked instead of the replay's; see `fuzz` below.
define fuzz_rules
$(O)/t/fuzz/$(1): $(O)/t/fuzz/$(1).o $$(fuzz_$(1)_SRC:%.c=$(O)/%.o) $(O)/lib.a \
		$(if $(FUZZER),,$(O)/t/fuzz/replay.o)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) $(if $(FUZZER),-fsanitize=fuzzer) -o $$@ \
		$$(filter %.o,$$^) $(O)/lib.a $$(fuzz_$(1)_LIBS) $$(TEST_LIBS)
endef
$(foreach t,$(FUZZ),$(eval $(call fuzz_rules,$(t))))
fuzz-targets: $(FUZZ:%=$(O)/t/fuzz/%)

# Programs, unit tests and the fuzz targets' replays (NAME FILE…) once more, with sanitizers,
# under $(O)/san: what `test` runs on bad input.
sanitized:
	$(Q)$(MAKE) O=$(O)/san SANITIZE=address,undefined all units fuzz-targets
fuzz-replay:
	$(Q)$(MAKE) O=$(O)/san SANITIZE=address,undefined fuzz-targets

# Each target for T seconds; new finds of coverage go to $(O)/fuzz/corpus, not to t/.
T ?= 60
fuzz:
	$(Q)$(MAKE) O=$(O)/fuzz CC=$(CLANG) SANITIZE=fuzzer-no-link,address,undefined FUZZER=1 \
		fuzz-targets
	$(Q)for f in $(FUZZ); do echo "  FUZZ	$$f"; mkdir -p $(O)/fuzz/corpus/$$f; \
		$(O)/fuzz/t/fuzz/$$f -max_total_time=$(T) -rss_limit_mb=512 -timeout=10 \
			-print_final_stats=1 -verbosity=0 -artifact_prefix=$(O)/fuzz/$$f- \
			$(O)/fuzz/corpus/$$f $(wildcard t/fuzz/corpus/$$f) || exit 1; done

# ---- what the figures are measured with
BENCH := $(patsubst %.c,$(O)/%,$(wildcard t/bench/*.c))
$(BENCH): %: %.o $(O)/lib.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(TEST_LIBS)

bench:
	$(Q).ci/deps.sh build
	$(Q)$(MAKE) all examples $(BENCH) $(HELPERS)
	$(Q)for script in $(filter-out %/figures.sh,$(wildcard t/bench/*.sh)); do \
		O=$(O) bash $$script || exit 1; done

# ---- tests: t/NAME.t and unit tests side by side, then t/live-NAME.t, which measure or load
# the machine, one after the other. `--directives` shows what was skipped, and why.
LIVE := $(wildcard t/live-*.t)
QUICK := $(filter-out $(LIVE),$(wildcard t/*.t))
PROVE := PATH="$$PATH:/usr/bin/core_perl" O=$(O) prove --directives

# An ordinary user can do without what is missing for some tests: they are skipped.
test:
	$(Q).ci/deps.sh build
	$(Q).ci/deps.sh test || [ "$$(id -u)" != 0 ]
	$(Q)$(MAKE) all examples units sanitized
	$(Q)status=0; \
	$(PROVE) -j2 $(UNITS:%=$(O)/san/t/unit/%) $(QUICK) || status=1; \
	$(if $(LIVE),$(PROVE) $(LIVE) || status=1;) exit $$status

demo:
	$(Q).ci/deps.sh build
	$(Q)$(MAKE) all examples
	$(Q)O=$(O) examples/demo.sh

deps:
	$(Q).ci/deps.sh build test

# ---- install
MAN1 := $(wildcard $(TOOLS:%=%/*.1) $(TOOLS:%=extra/%/*.1))
MAN5 := $(wildcard lib/*/*.5)
BINDIR := $(DESTDIR)$(PREFIX)/bin
MANDIR := $(DESTDIR)$(PREFIX)/share/man

install: all
	install -d $(BINDIR) $(MANDIR)/man1 $(MANDIR)/man5
	install -m 755 $(TOOLS:%=$(O)/bin/%) $(BINDIR)
	install -m 644 $(MAN1) $(MANDIR)/man1
	install -m 644 $(MAN5) $(MANDIR)/man5

uninstall:
	rm -f $(TOOLS:%=$(BINDIR)/%) $(addprefix $(MANDIR)/man1/,$(notdir $(MAN1))) \
		$(addprefix $(MANDIR)/man5/,$(notdir $(MAN5)))

# That there is nothing to do is no news.
all examples fuzz-targets static units:
	@:

clean:
	rm -rf $(O)

help:
	@echo 'make [all]          the programs, in $(O)/bin'
	@echo 'sudo make demo      profiles examples/burn; writes demo.svg'
	@echo 'sudo make test      all tests; without root those that need the kernel are skipped'
	@echo 'make install        to PREFIX ($(PREFIX)), under DESTDIR; uninstall takes it away'
	@echo 'make static         programs without shared libraries, in $(O)/static/bin'
	@echo 'sudo make bench     figures, beside other tools where they are found'
	@echo 'make fuzz T=60      each fuzz target for T seconds'
	@echo 'sudo make deps      installs what building and testing need and is missing'
	@echo 'make examples       workloads with a known answer, in $(O)/examples'
	@echo 'make clean'
	@echo 'Knobs: O=build CC CFLAGS LDFLAGS CLANG BPFTOOL SANITIZE=address,undefined V=1'

-include $(shell [ ! -d $(O) ] || \
	find $(O) \( -path $(O)/san -o -path $(O)/fuzz \) -prune -o -name '*.d' -print)
.PHONY: all bench clean demo deps examples fuzz fuzz-replay fuzz-targets help install \
	sanitized static test uninstall units FORCE
