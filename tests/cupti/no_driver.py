#!/usr/bin/env python3
"""Without a driver `run --collector cupti` fails with the reason, before the application starts."""
import pathlib
import subprocess
import sys
import tempfile

if pathlib.Path("/proc/driver/nvidia/version").exists():
    print("SKIPPED: there is a driver")
    sys.exit(77)
with tempfile.TemporaryDirectory() as directory:
    started = pathlib.Path(directory) / "started"
    for collector in ("cupti", "ncu", "nvprof"):
        done = subprocess.run([sys.argv[1], "run", "--collector", collector, "--", "/bin/sh", "-c", f"touch {started}"],
                              capture_output=True, text=True)
        assert done.returncode == 1, done
        assert f"--collector {collector}: no NVIDIA driver is loaded" in done.stderr, done.stderr
        assert "--collector simulate" in done.stderr, done.stderr
        assert done.stdout == "" and not started.exists(), done.stdout
print("refused before the launch, with the reason")
