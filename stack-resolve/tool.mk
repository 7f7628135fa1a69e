TOOLS += stack-resolve
stack-resolve_SRC := stack-resolve/main.c stack-resolve/replay.c stack-resolve/form.c \
	stack-resolve/held.c
stack-resolve_LIBS := -liberty
fuzz_capture_SRC := stack-resolve/replay.c stack-resolve/form.c stack-resolve/held.c
unit_damage_SRC := stack-resolve/replay.c stack-resolve/form.c stack-resolve/held.c
