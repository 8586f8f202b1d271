"""NVIDIA's own samples."""
import json
import re

from .program import Program, single_files


def samples(root):
    """As the CMakeLists.txt of each says; arguments from the suite's own test_args.json."""
    arguments = json.loads((root / "test_args.json").read_text()) if (root / "test_args.json").exists() else {}
    for text_file in sorted(root.glob("Samples/[0-6]_*/*/CMakeLists.txt")):
        folder, text = text_file.parent, text_file.read_text()
        name = folder.name
        known = dict(re.findall(r'set\((CUDA_\w+) "\$\{CMAKE_CURRENT_\w+_DIR\}/([^"]+)"\)', text))
        target = re.search(r"add_executable\(\s*\S+([^)]*)\)", text)
        if not target:
            continue
        sources = [str((folder / word).resolve()) if word.startswith("..") else word
                   for word in target.group(1).split() if word.endswith((".cu", ".cpp", ".c"))]
        asked = sorted(set(re.findall(r"CUDA::(\w+)", text)))
        libraries = [f"-l{ {'cuda_driver': 'cuda'}.get(word, word)}" for word in asked
                     if word not in ("cudart", "cufft_static")]
        if "GLUT" in text:
            libraries += ["-lglut", "-lGL", "-lGLU"]
        if "OpenMP" in text:
            libraries += ["-Xcompiler", "-fopenmp"]
        rdc = ["-rdc=true", "-lcudadevrt"] if "CUDA_SEPARABLE_COMPILATION ON" in text else []
        common = ["-O3", "-std=c++17", "-arch=sm_80", "--extended-lambda", "-w", f"-I{root / 'Common'}", f"-I{folder}",
                  f"-I{folder / 'inc'}"]
        builds = [[*common, *rdc, *sources, "-o", "app", *libraries]]
        headers = re.findall(r"\$\{CUDA_INCLUDE_DIR\}/(?:cccl/)?([\w.]+)", text)
        for made, how, source in re.findall(r"-o \$\{(\w+)\} (-fatbin|-ptx) \$\{(\w+)\}", text):
            if made in known and source in known:
                builds.append([*common, how, known[source], "-o", known[made]])
        own = arguments.get(name, {})
        runs = [run.get("args", []) for run in own["runs"]] if "runs" in own else [own.get("args", [])]
        yield Program("cuda-samples", name, folder, builds, runs, group=folder.parent.name, executable=name,
                      headers=headers)


def blog_posts(root):
    smaller = {"posts.gups.gups": ["-n", "18"],
               "posts.unified-memory-oversubscription.uvm_oversubs": ["-p", "0.002", "-lc", "1"]}
    return single_files("nvidia-blog", root, "**/*.cu", smaller, leave_out=["grcuda", "aware", "LICENSE"],
                        options=["-lcuda"])


SUITES = {"cuda-samples": samples, "code-samples": blog_posts}
