TOOLS += stack2pprof
stack2pprof_SRC := $(addprefix extra/stack2pprof/,main.c profile.c symbols.c columns.c \
	write.c)
stack2pprof_LIBS := -lz -liberty
fuzz_pprof_SRC := $(filter-out %/main.c,$(stack2pprof_SRC))
