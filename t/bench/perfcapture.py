#!/usr/bin/env python3
"""The samples that perf recorded, as the text that t/mkcap makes a capture of: reads
`perf script --show-mmap-events -F pid,tid,time,event,ip,sym,dso`, of one process. With --sum
equal stacks are one sample, as bpf-sample adds them up; else each is one of its own."""
import collections
import re
import sys

mmap = re.compile(r'.*PERF_RECORD_MMAP2 \d+/\d+: \[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ '
                  r'(0x[0-9a-f]+|0) ([0-9a-f]+):([0-9a-f]+) (\d+) \d+\]: .{4} (/.*)')
out = sys.stdout
files, maps, stacks, weights = {}, {}, {}, collections.Counter()
add_up = '--sum' in sys.argv


def hexed(path):
    return ''.join(c if c.isalnum() or c in '/._-+' else f'%{ord(c):02x}' for c in path)


def address(ip, dso):
    """perf shows an address in a file as its offset there."""
    for start, length, offset in maps.get(dso, []):
        if offset <= ip < offset + length:
            ip += start - offset
            break
    return f'0x{ip:x}'


def stack_id(kind, ips):
    if not ips:
        return 0
    key = (kind, tuple(ips))
    if key not in stacks:
        stacks[key] = len(stacks) + 1
        out.write(f'stack id={stacks[key]} kind={kind} ips={ips[0]}!'
                  + ''.join(',' + ip for ip in ips[1:]) + '\n')
    return stacks[key]


def write_sample(k, u, weight):
    out.write(f'sample event=1 image=1 tid=1 k={k} u={u} weight={weight} comm=bench\n')


def sample(ips):
    if ips:
        kernel = [ip for ip in ips if len(ip) == 18 and ip.startswith('0xffff')]
        user = [ip for ip in ips if ip not in kernel]
        k, u = stack_id(0, kernel), stack_id(1, user)
        weights[k, u] += 1
        if not add_up:
            write_sample(k, u, 1)


out.write('header\nevent id=1 name=cpu-clock period=1000000\nproc image=1 pid=1 comm=bench\n')
ips = []
for line in sys.stdin:
    m = mmap.match(line)
    if m:
        start, length, offset, major, minor, inode, path = m.groups()
        if path not in files:
            files[path] = len(files) + 1
            out.write(f'file id={files[path]} dev={int(major, 16)}:{int(minor, 16)} '
                      f'inode={inode} path={hexed(path)}\n')
        out.write(f'map image=1 file={files[path]} start={start} length={length} '
                  f'offset={offset}\n')
        maps.setdefault(path, []).append((int(start, 16), int(length, 16), int(offset, 16)))
    elif re.match(r'\s+[0-9a-f]+ .* \(.*\)$', line):
        ips.append(address(int(line.split()[0], 16), line[line.rindex('(') + 1:-2]))
    else:
        sample(ips)
        ips = []
sample(ips)
if add_up:
    for (k, u), weight in weights.items():
        write_sample(k, u, weight)
out.write('end\n')
