/*
 * Opening what another process sees. Its root may be a container's, whose owner can
 * make any component of a path a symbolic link: it is resolved within that root
 * (openat2(2), RESOLVE_IN_ROOT), never on the host.
 */
#ifndef BPF_SAMPLE_ROOTFS_H
#define BPF_SAMPLE_ROOTFS_H

#include <stdint.h>

/* Opens an absolute path of process pid. The fd, or a negative errno. */
int rootfs_open(uint32_t pid, const char *path, int flags);

#endif
