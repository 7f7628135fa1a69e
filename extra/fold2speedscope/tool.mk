TOOLS += fold2speedscope
fold2speedscope_SRC := $(addprefix extra/fold2speedscope/,main.c profiles.c)
