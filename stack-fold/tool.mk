TOOLS += stack-fold
stack-fold_SRC := stack-fold/main.c stack-fold/input.c stack-fold/fold.c stack-fold/style.c \
	stack-fold/events.c stack-fold/seen.c stack-fold/sums.c
fuzz_fold_SRC := $(filter-out stack-fold/main.c stack-fold/input.c,$(stack-fold_SRC))
