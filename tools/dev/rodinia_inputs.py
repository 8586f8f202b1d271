#!/usr/bin/env python3
"""Makes the inputs that tools/dev/rodinia.py needs.

    tools/dev/rodinia_inputs.py FOLDER... -o DATA

Each FOLDER is the data/ of a copy of Rodinia (JuliaParallel/rodinia has all that is copied but leukocyte's video, of which
stardica/Rodinia has the first picture). What is there, also as
FILE.xz, is copied. What public copies lack, because it is large, is made, of the same size and form, from fixed seeds.
"""
import argparse
import lzma
import pathlib
import random
import shutil

COPIED = ["b+tree/command.txt", "dwt2d/rgb.bmp", "hotspot/temp_512", "hotspot/power_512", "hotspot/temp_1024",
          "hotspot/power_1024", "huffman/test1024_H2.206587175259.in", "kmeans/kdd_cup", "leukocyte/testfile.avi"]


def graph(out):
    """graph1MW_6: a million nodes, each with 2 to 4 edges to any node, both ways, so 6 on average."""
    draw = random.Random(1)
    nodes = 1_000_000
    edges = [[] for _ in range(nodes)]
    for node in range(nodes):
        for _ in range(draw.randint(2, 4)):
            other, weight = draw.randrange(nodes), draw.randint(1, 10)
            edges[node].append((other, weight))
            edges[other].append((node, weight))
    begin = 0
    out.write(f"{nodes}\n")
    for of_node in edges:
        out.write(f"{begin} {len(of_node)}\n")
        begin += len(of_node)
    out.write(f"\n{draw.randrange(nodes)}\n\n{begin}\n")
    for of_node in edges:
        out.writelines(f"{other} {weight}\n" for other, weight in of_node)


def keys(out):
    """A million keys in random order."""
    order = list(range(1, 1_000_001))
    random.Random(2).shuffle(order)
    out.write(f"{len(order)}\n")
    out.writelines(f"{key}\n" for key in order)


def mesh(out):
    """As many cells as fvcorr.domn.097K, in a grid of 312 columns; -1 is a boundary. Neighbours count from 1. The two cells
    of a face have it from both sides, a little askew: of the flow nothing stays zero, nor does it become infinite."""
    cells, columns = 97_046, 312
    draw = random.Random(3)
    faces = {}

    def face(cell, neighbour, outwards):
        """Its normal as `cell` has it: about `outwards`. The lower of the two cells comes first."""
        if cell > neighbour:
            return [-n for n in faces[neighbour, cell]]
        faces[cell, neighbour] = [n + draw.uniform(-0.01, 0.01) for n in outwards]
        return faces[cell, neighbour]

    out.write(f"{cells}\n")
    for cell in range(cells):
        words = [f"{draw.uniform(0.9, 1.1):.6f}"]
        column = cell % columns
        for neighbour, inside, outwards in ((cell - 1, column > 0, (-1, 0, 0)), (cell + 1, column + 1 < columns, (1, 0, 0)),
                                            (cell - columns, True, (0, -1, 0)), (cell + columns, True, (0, 1, 0))):
            there = inside and 0 <= neighbour < cells
            words.append(str(neighbour + 1 if there else -1))
            words += [f"{n:.6f}" for n in (face(cell, neighbour, outwards) if there else outwards)]
        out.write(" ".join(words) + "\n")


def values(low, high, seed):
    """512 x 512 x 8 values between those of the smaller file that is at hand (power_64x8, temp_64x8)."""
    def write(out):
        draw = random.Random(seed)
        out.writelines(f"{draw.uniform(low, high):.6f}\n" for _ in range(512 * 512 * 8))
    return write


def records(seed):
    """10,691 records of nn, of 48 characters, the place from the 28th: printed W_comp is 12 for each of four times as many."""
    def write(out):
        draw = random.Random(seed)
        for _ in range(10_691):
            place = f"{draw.uniform(7, 70):5.1f} {draw.uniform(0, 359):5.1f}"
            when = f"{draw.randint(1950, 2004):4d} {draw.randint(1, 12):2d} {draw.randint(1, 28):2d} 12  1"
            out.write(f"{when} {'ALBERTO':<10s} {place}{draw.randint(10, 164):4d}{draw.randint(0, 899):5d}\n")
    return write


def list_of_records(out):
    out.writelines(f"../../data/nn/cane4_{i}.db\n" for i in range(4))


MADE = {
    "bfs/graph1MW_6.txt": graph,
    "b+tree/mil.txt": keys,
    "cfd/fvcorr.domn.097K": mesh,
    "hotspot3D/power_512x8": values(0, 1, 4),
    "hotspot3D/temp_512x8": values(320, 340, 5),
    "nn/filelist_4": list_of_records,
    **{f"nn/cane4_{i}.db": records(6 + i) for i in range(4)},
}


def copy(folders, name, target):
    """Whether one of the folders has it."""
    for folder in folders:
        for source in (folder / name, folder / f"{name}.xz"):
            if source.exists():
                opened = lzma.open(source) if source.suffix == ".xz" else source.open("rb")
                with opened as begin, target.open("wb") as end:
                    shutil.copyfileobj(begin, end)
                return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("-o", required=True, type=pathlib.Path)
    options = parser.parse_args()
    missing = []
    for name in [*COPIED, *MADE]:
        target = options.o / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if name in MADE:
            with target.open("w") as out:
                MADE[name](out)
        elif not copy(options.folders, name, target):
            missing.append(name)
    if missing:
        raise SystemExit(f"rodinia_inputs.py: in none of {', '.join(map(str, options.folders))}, all others are made: {', '.join(missing)}")


if __name__ == "__main__":
    main()
