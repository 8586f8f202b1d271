"""The public CUDA suites that tools/dev/suites.py tries: how their programs are built and run, unmodified.

A suite is a function from the folder of its checkout to Programs; each module's SUITES names the folders. Sizes are
small where the program lets one choose.
"""
from . import benchmarks, learning, libraries, nvidia, rates, science, simulators, teaching

MODULES = (nvidia, benchmarks, science, teaching, libraries, learning, rates, simulators)
SUITES = {name: programs for module in MODULES for name, programs in module.SUITES.items()}
