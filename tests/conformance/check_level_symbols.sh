#!/bin/sh
# Usage: check_level_symbols.sh NM OBJECT...
# Fails when an object of an instruction-set level defines a weak symbol outside its own namespace
# (legato::kernels::cpu::<level>): such a symbol may replace the baseline copy of a shared function.
nm=$1
shift
status=0
for object in "$@"; do
  shared=$("$nm" --defined-only "$object" | awk '$2 ~ /^[WVuwv]$/ {print $3}' |
           grep -v -e '^_ZN6legato7kernels3cpu[456]avx' -e '^DW\.ref\.' -e '__asan' -e '__tsan')
  if [ -n "$shared" ]; then
    echo "$object: weak symbols outside the level's namespace:" "$shared"
    status=1
  fi
  if ! "$nm" --defined-only "$object" | grep -q ' [TtRr] '; then
    echo "$object: defines nothing"
    status=1
  fi
done
exit $status
