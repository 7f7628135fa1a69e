TOOLS += stack2pprof
stack2pprof_SRC := $(addprefix extra/stack2pprof/,main.c profile.c columns.c write.c)
stack2pprof_LIBS := -lz -liberty
