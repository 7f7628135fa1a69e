TOOLS += bpf-sample
bpf-sample_SRC := $(wildcard bpf-sample/*.c)
bpf-sample_BPF := sample
bpf-sample_LIBS := -lbpf -lelf -lz
