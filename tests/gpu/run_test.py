#!/usr/bin/env python3
"""tests/gpu/run.py on a machine without a GPU, with stand-ins for what it runs: it gets to its end whatever they do."""
import pathlib
import subprocess
import sys
import tempfile

RUN = pathlib.Path(__file__).with_name("run.py")
STEPS = ("machine", "counts", "times", "ncu", "nvprof", "filter", "files", "programs")

# What gpuproj says where it works, on a machine that counts everything as 0.
PROFILE = '{"kernels":[{"kernel":"k","launches":1,"metrics":{}}]}'
STAND_INS = {
    "nothing is built": None,
    "gpuproj fails": "#!/bin/sh\nfor i in $(seq 100); do echo line $i; done\nexit 3\n",
    "gpuproj hangs": "#!/bin/sh\nsleep 60\n",
    "profiles are no JSON": '#!/bin/sh\nfor a; do case $a in *.json) echo broken > "$a";; esac; done\n',
    "profiles are poor": f"#!/bin/sh\nfor a; do case $a in *.json) echo '{PROFILE}' > \"$a\";; esac; done\n",
}


def main():
    for what, text in STAND_INS.items():
        with tempfile.TemporaryDirectory() as name:
            build = pathlib.Path(name)
            if text is not None:
                for program in ("gpuproj", "examples/vector_add", "tests/gpu/event_times", "tests/programs/p"):
                    file = build / program
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(text if program == "gpuproj" else "#!/bin/sh\necho scale 1 0.5\n")
                    file.chmod(0o755)
            done = subprocess.run([sys.executable, RUN, "--build", build, "-o", build / "log", "--even-without-gpu",
                                   "--timeout", "0.5"], capture_output=True, text=True, timeout=100)
            assert done.returncode == 1, (what, done)
            log = (build / "log/log.txt").read_text()
            for step in STEPS:
                assert f"== {step}\n" in log, (what, step, log)
            assert " failed, " in log.splitlines()[-1] or log.splitlines()[-1].startswith("  "), log
            if what == "gpuproj fails":  # the whole output is in the log
                assert "    line 1\n" in log and "    line 100\n" in log, log
            print(f"{what}: to the end, {log.count('FAILED')} checks failed")


if __name__ == "__main__":
    main()
