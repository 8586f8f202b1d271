"""links.py ROOT: every relative link and every `path/in/backquotes` of the repository's Markdown leads to a file."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
top = {entry.name for entry in root.iterdir() if entry.is_dir() and not entry.name.startswith("build")}
bad = []
for page in [*root.glob("*.md"), *root.glob("docs/**/*.md")]:
    text = page.read_text()
    links = [page.parent / link for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)]
    paths = [root / path for path in re.findall(r"`([\w.-]+/[\w./-]+)`", text) if path.split("/")[0] in top]
    # Names with a part in capitals stand for any such file.
    bad += [f"{page.relative_to(root)}: {path}" for path in links + paths
            if not path.exists() and not re.search(r"\b[A-Z]{3,}", path.name) and not re.search(r"/[A-Z]{3,}", str(path))]
print("\n".join(bad))
sys.exit(bool(bad))
