#!/bin/sh
# Loads FILE, one animal per line, under KEY: docs/recipes.md. A body has 1 MiB at most: split into fewer lines if the animals are larger.
set -eu
file=$1 key=$2 count=0
[ -s "$file" ] || exit 0
# Without its texts and spaces, an animal is {0:0,0:1}.
awk '{ gsub(/"([^"\\]|\\.)*"/, 0); gsub(/[ \t\r]/, "") }
  !/^\{0:[-+.0-9Ee]+(,0:[-+.0-9Ee]+)*\}$/ { print "Line " NR " is no animal."; exit 1 }' < "$file" >&2
rm -f "$file".part-*
split -l 1000 "$file" "$file.part-"
for part in "$file".part-*; do
  # Without --fail: curl would repeat an invalid request, too.
  status=$(printf '{"pets":[%s]}' "$(paste -sd, "$part")" | curl -sS --retry 8 --retry-all-errors -o "$file.response" -w '%{http_code}' \
    -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -H "Idempotency-Key: $key-${part##*-}" \
    --data-binary @- "$STORE/pet-batches")
  [ "$status" = 201 ] || { echo "pets[0] is line $((count + 1))." | cat - "$file.response" >&2; exit 1; }
  rm "$part" "$file.response"
  count=$((count + 1000))
done
