#!/bin/sh
# Counts the instructions of an operation for each entity, with callgrind:
#
#   ./instructions.sh 'random get' 1000 perigee
#   ./instructions.sh 'random get' 1000 ark 500         # 500 repetitions, not 100, of the shorter run
#
# Counts repeat within a part in a thousand on a machine that is never quiet, and
# better with more repetitions. The program runs twice, once with eleven times as
# many, and the difference counts, so that starting and filling the world does
# not. Operations that begin with preparations (create, destroy) are counted with
# them.
set -eu
op=$1 n=$2 who=$3 few=${4:-100}
many=$((few * 11))
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/bench" .

# count writes the instructions of so many repetitions to $dir/count, and the
# entities that they went over to $dir/entities.
count() {
	GODEBUG=asyncpreemptoff=1 GOMAXPROCS=1 GOGC=off valgrind --tool=callgrind \
		--callgrind-out-file=/dev/null --log-file="$dir/log" \
		"$dir/bench" -op "^$op\$" -n "$n" -only "$who" -times "$1" >"$dir/entities"
	sed -n 's/.*Collected : //p' "$dir/log" >"$dir/count"
}

count "$few"
before=$(cat "$dir/count") less=$(cat "$dir/entities")
count "$many"
echo "$before $(cat "$dir/count") $less $(cat "$dir/entities")" |
	awk -v what="$op, $n, $who" '{ printf "%s: %.2f instructions for each entity\n", what, ($2 - $1) / ($4 - $3) }'
