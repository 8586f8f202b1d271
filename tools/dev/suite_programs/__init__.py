"""The public CUDA suites that tools/dev/suites.py tries: how their programs are built and run, unmodified.

A suite is a function from the folder of its checkout to Programs; each module's SUITES names the folders. Sizes are
small where the program lets one choose.
"""
from . import benchmarks, nvidia, science, teaching

SUITES = {name: programs for module in (nvidia, benchmarks, science, teaching) for name, programs in module.SUITES.items()}
