#!/bin/sh
# The nvcc that applications find: those that compile kernels while they run (PyCUDA) ask it for machine code alone,
# which cannot be simulated. They get a fat binary instead, with PTX in it, under the name they expect; drivers load
# both alike. Everything else goes to the nvcc behind it in the PATH as it is.

own=$(cd "$(dirname "$0")" && pwd -P)
real=
rest=$PATH:
while [ -n "$rest" ] && [ -z "$real" ]; do
    directory=${rest%%:*}
    rest=${rest#*:}
    [ -x "$directory/nvcc" ] && [ "$(cd "$directory" && pwd -P)" != "$own" ] && real=$directory/nvcc
done
if [ -z "$real" ]; then
    echo "nvcc: command not found" >&2
    exit 127
fi

machine_code=false
named=false
source=
for argument; do
    case $argument in
        -cubin | --cubin) machine_code=true ;;
        -o | --output-file | -o=* | --output-file=* | -odir | --output-directory | -odir=* | --output-directory=*) named=true ;;
        *.cu | *.c | *.cc | *.cxx | *.cpp | *.ptx) source=$argument ;;
    esac
done
$machine_code || exec "$real" "$@"

count=$#
for argument; do
    case $argument in
        -cubin | --cubin) set -- "$@" --fatbin ;;
        *) set -- "$@" "$argument" ;;
    esac
done
shift "$count"
if ! $named && [ -n "$source" ]; then
    name=${source##*/}
    set -- "$@" -o "${name%.*}.cubin"
fi
exec "$real" "$@"
