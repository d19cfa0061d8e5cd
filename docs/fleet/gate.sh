#!/usr/bin/env bash
# The nightly gate of one host: runs the suite, compares with the last good night, and keeps the report.
#
#   ./gate.sh            in an unpacked bundle, beside ./conformance
#   ./gate.sh --accept   makes the last night the good one, for example after a failure was understood
#
# Exit codes: 0 nothing regressed, 1 something regressed, a case that was not checked before fails or discloses memory, or a
# requirement is not met, 2 the host could not be checked.
#
#   GATE_REPORTS      the folder of all reports, with a folder for each host [./reports]
#   GATE_HOST         the name of this host [its host name]
#   GATE_REQUIRE      what the host must have, so that a host without GPUs is not green [gpus=1]
#   GATE_DRIVER       the driver under test [system]
#   GATE_FLAGS        more flags of `conformance run`, separated by spaces
#   GATE_DIFF_FLAGS   more flags of `conformance diff`, such as --no-time on a host that others use meanwhile, but not
#                     --format, because the gate prints the first line of the text, and neither --exit-on nor --must-cover,
#                     which the gate sets itself
#   GATE_FLEET        no: without the comparison of all hosts at the end
#   GATE_CONFORMANCE  the command [./conformance beside this script]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
conformance=${GATE_CONFORMANCE:-$here/conformance}
reports=${GATE_REPORTS:-$here/reports}
host=${GATE_HOST:-$(hostname)}
folder=$reports/$host
# `--identify` writes this name into the report. The node name of a pod is the name of the pod, which is new every night.
export CONFORMANCE_HOST=$host
read -ra flags <<<"${GATE_FLAGS:-}"
read -ra diff_flags <<<"${GATE_DIFF_FLAGS:-}"
mkdir -p "$folder/nights"

# Two gates on one host would share its GPUs.
exec 9>"$folder/lock"
flock --nonblock 9 || { echo "gate: another gate runs on $host" >&2 && exit 2; }

# The end of a name is its time, so the last name is the newest report.
last() { find "$folder/nights" -name '*.jsonl' | sort | tail -n1; }

if [ "${1:-}" = --accept ]; then
  night=$(last)
  [ -n "$night" ] || { echo "gate: $host: there is no night to accept; ./gate.sh runs one" >&2 && exit 2; }
  ln -sfn "nights/$(basename "$night")" "$folder/good"
  rm -f "$folder/green"
  echo "gate: $host: the night $(basename "$night" .jsonl) is the good one now"
  exit
fi

"$conformance" doctor --driver "${GATE_DRIVER:-system}" >"$folder/doctor.txt" 2>&1 || {
  cat "$folder/doctor.txt" >&2
  # The last line is the one that by-ssh and kubectl print.
  why=$(grep -m1 -e '^missing ' -e '^conformance: ' "$folder/doctor.txt") || :
  why=$(sed -E 's/^conformance: //; s/^missing +([^ ]+( [^ ]+)*)  +/\1: /; s/^driver: driver: /driver: /' <<<"$why")
  echo "gate: $host: no case can run${why:+: $why}" >&2
  exit 2
}

run() {
  status=0
  "$conformance" run --driver "${GATE_DRIVER:-system}" --identify --require "${GATE_REQUIRE:-gpus=1}" \
    "${flags[@]}" "$@" >"$folder/run.txt" 2>&1 || status=$?
}

# A run that broke off, as by a reboot, has left this report: a report gets the name of its night when the run has ended.
running=$folder/running.jsonl
if [ -e "$running" ]; then
  run --resume "$running"
  # A run on another driver or machine cannot continue the report.
  if [ "$status" = 1 ]; then
    mv "$running" "$folder/broken-off.jsonl"
    run --report "$running"
  fi
else
  run --report "$running"
fi
# Says why the night has no result. The last line is the one that by-ssh and kubectl print.
stop() {
  tail -n5 "$folder/run.txt" >&2
  echo "gate: $host: $1" >&2
  exit 2
}

case $status in
  0 | 101) ;;
  2) stop "no case ran, because the flags of the run are invalid; correct GATE_FLAGS, GATE_REQUIRE or GATE_DRIVER" ;;
  *)
    # A run that only began has nothing to go on with.
    if grep -qs -e '^{"line":"start"' -e '^{"line":"case"' "$running"; then
      stop "the run ended with exit code $status; the next gate goes on with it"
    fi
    why=$(grep '^conformance: ' "$folder/run.txt" | tail -n1) || :
    why=${why#conformance: }
    stop "no case ran: ${why:-the run ended with exit code $status}; correct that, and start the gate again"
    ;;
esac
# Such a night says nothing about the driver, so it must not become the good one.
if ! grep -q '^{"line":"case"' "$running"; then
  mv "$running" "$folder/without-cases.jsonl"
  why=$(grep -m1 -e 'no case' -e 'nothing was checked' "$folder/run.txt") || :
  why=${why#conformance: }
  stop "no case ran${why:+: ${why#warning: }}; correct GATE_FLAGS, and start the gate again"
fi
night=$folder/nights/$(date -u +%Y-%m-%dT%H%M%S.%3NZ).jsonl
mv "$running" "$night"

# The first night has nothing to compare with, so it is red if a case failed. Later nights are compared with the good one,
# so a failure stays red until somebody accepts it.
result=0
checks_less=no
# Compares the night with an earlier one, and writes the changes to a file. A case that was not checked before is red too
# if it fails or discloses memory.
compare() {
  local file=$1 good=$2
  shift 2
  "$conformance" diff --exit-on failed "${diff_flags[@]}" "$@" "$(readlink -f "$good")" "$night" >"$file" || result=$?
}
if [ -f "$folder/good" ]; then
  compare "$folder/changes.txt" "$folder/good" --must-cover
  [ "$result" != 3 ] || { result=0 && checks_less=yes; }
  # An accepted failure that was gone in the last green night is new if it comes back.
  if [ "$result" = 0 ] && [ -f "$folder/green" ]; then
    compare "$folder/green.txt" "$folder/green"
    case $result in
      1) cp "$folder/green.txt" "$folder/changes.txt" ;;
      # No case is in both, as with another filter, so no failure came back. The good night was compared.
      2) result=0 ;;
    esac
    rm "$folder/green.txt"
  fi
  head -n1 "$folder/changes.txt"
else
  [ "$status" = 0 ] || result=1
  tail -n1 "$folder/run.txt"
  # The counts look good if only a process crashed, and they name neither a rule nor what went wrong.
  grep -m1 'the run fails, because' "$folder/run.txt" || :
  "$conformance" show "$night" >"$folder/changes.txt"
  grep -m1 '^fails: ' "$folder/changes.txt" || :
fi
# Missing GPUs are not a regression of the driver, but such a host is red too.
if head -n1 "$night" | grep -q '"unmet":\["'; then
  grep -e '--require is not met' "$folder/run.txt" | tail -n1
  result=$((result > 1 ? result : 1))
fi
# A green night with an accepted failure does not become the good one: its share of failed runs would be the next to compare
# with, and could rise a little every night. Neither does a night that checks less than the good one: the next night would
# have nothing to compare the other cases with, and a slower call or a newly listed bug would be green.
[ "$result$status$checks_less" != 00no ] || ln -sfn "nights/$(basename "$night")" "$folder/good"
[ "$result" != 0 ] || ln -sfn "nights/$(basename "$night")" "$folder/green"
[ "${GATE_FLEET:-}" = no ] || "$conformance" fleet "$reports" --format html --output "$reports/fleet.html"
exit "$result"
