TOOLS += stack-fold
stack-fold_SRC := $(addprefix stack-fold/,main.c input.c fold.c stack.c style.c shorten.c events.c \
	chosen.c sums.c sums_write.c perf_script.c perf_header.c perf_frame.c bpftrace.c \
	bpftrace_maps.c bpftrace_json.c dtrace.c)
unit_shorten_SRC := stack-fold/shorten.c
fuzz_fold_SRC := $(filter-out stack-fold/main.c,$(stack-fold_SRC))
fuzz_perf_script_SRC := $(fuzz_fold_SRC)
fuzz_traces_SRC := $(fuzz_fold_SRC)
