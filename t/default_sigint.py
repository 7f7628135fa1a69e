"""Runs a program with SIGINT as it is by default; background jobs of a shell ignore it."""
import os
import signal
import sys

signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
