# flame pipeline: see README.md.  `make help` lists what can be made.

O ?= build
PREFIX ?= /usr/local
CC ?= cc
CLANG ?= clang
BPFTOOL ?= bpftool
CFLAGS ?= -O2 -g
VERSION := 0.1

WARN := -Wall -Wextra
ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE -DVERSION='"$(VERSION)"' $(WARN) -Ilib -I$(O) $(CFLAGS)
ifdef SANITIZE
ALL_CFLAGS += -fsanitize=$(SANITIZE) -fno-omit-frame-pointer
LDFLAGS += -fsanitize=$(SANITIZE)
endif
ifndef V
Q := @
say = @echo '  $1	$2'
endif

all:

TOOLS :=
include $(wildcard */tool.mk extra/*/tool.mk)

# ---- lib: one archive; a tool links only the objects it uses
LIB_SRC := $(wildcard lib/*/*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o)
$(O)/lib.a: $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(O)/%.o: %.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# ---- tools: NAME_SRC, NAME_LIBS from NAME/tool.mk
define tool_rules
$(O)/bin/$(1): $$($(1)_SRC:%.c=$(O)/%.o) $(O)/lib.a
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D) && $$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$($(1)_LIBS)
$(1): $(O)/bin/$(1)
.PHONY: $(1)
endef
$(foreach t,$(TOOLS),$(eval $(call tool_rules,$(t))))

all: $(TOOLS:%=$(O)/bin/%)

clean:
	rm -rf $(O)

-include $(shell find $(O) -name '*.d' 2>/dev/null)
.PHONY: all clean
