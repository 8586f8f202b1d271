# Completes gpuproj's words in bash: verbs, options, their choices, names of GPUs and models, files. It asks the program
# itself, and so says what that version knows. Installed by `cmake --install`, or: source tools/completion/gpuproj.bash

# What follows an option in the help text of a verb: "GPU", "fp32|fp64|int", or nothing.
_gpuproj_value_of() {
    sed -n "s/^  \(-[a-z],\)\{0,1\}$2 \([^ ]*\).*/\2/p" <<<"$1" | head -n 1
}

# Completes the last of several values separated by commas: by how it begins, or else by any part, in any case.
_gpuproj_list() {
    local before="" last=${2##*,}
    [[ $2 == *,* ]] && before=${2%,*},
    local IFS=$'\n'
    COMPREPLY=($(compgen -P "$before" -W "$1" -- "$last"))
    [[ ${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(grep -iF -- "$last" <<<"$1" | sed "s/^/$before/"))
    compopt -o nospace 2>/dev/null
}

_gpuproj() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before="" verb="" action="" i
    ((COMP_CWORD > 0)) && before=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; ++i)); do
        [[ ${COMP_WORDS[i]} == -* ]] && continue
        if [[ -z $verb ]]; then
            verb=${COMP_WORDS[i]}
        elif [[ $verb == targets && -z $action ]]; then
            action=${COMP_WORDS[i]}
        fi
    done
    if [[ -z $verb ]]; then
        local verbs
        verbs=$("$program" --help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p' | grep -vx gpuproj)
        COMPREPLY=($(compgen -W "$verbs --help --version" -- "$word"))
        return
    fi
    local help
    help=$("$program" "$verb" $action --help 2>/dev/null)
    if [[ $verb == targets && -z $action ]]; then
        COMPREPLY=($(compgen -W "$(sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p' <<<"$help")" -- "$word"))
        return
    fi
    local value=""
    [[ $before == -* ]] && value=$(_gpuproj_value_of "$help" "$before")
    if [[ -z $value && $before == -? ]]; then
        value=$(sed -n "s/^  $before,--[a-z-]* \([^ ]*\).*/\1/p" <<<"$help" | head -n 1)
    fi
    case $value in
        GPU)
            _gpuproj_list "$("$program" targets list --csv 2>/dev/null | cut -d, -f 1 | tail -n +2 | tr -d ' "()')" "$word"
            [[ $word == *,* ]] || COMPREPLY+=($(compgen -W all -- "$word"))
            return ;;
        MODEL)
            _gpuproj_list "$("$program" models --csv 2>/dev/null | cut -d, -f 1 | tail -n +2)" "$word"
            return ;;
        *\|*)
            COMPREPLY=($(compgen -W "${value//|/ }" -- "$word"))
            return ;;
    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$(grep -o -- '^  -[^ ]*' <<<"$help" | grep -o -- '--[a-z0-9-]*')" -- "$word"))
    elif [[ $verb == targets && $action == show && $before == show ]]; then
        _gpuproj_list "$("$program" targets list --csv 2>/dev/null | cut -d, -f 1 | tail -n +2 | tr -d ' "()')" "$word"
    elif [[ $verb == plot && $before == plot ]]; then
        COMPREPLY=($(compgen -W "roofline quadrant" -- "$word"))
    else
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}

complete -F _gpuproj gpuproj
