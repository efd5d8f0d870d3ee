#!/bin/bash
# Two parts: the new names with their content, and all else as it was.
cd /app
renamed=0
kept=0
[ "$(cat notes/yew.md)" = "heartwood" ] && [ "$(cat notes/string.md)" = "hemp" ] && [ "$(ls notes | wc -l)" -eq 3 ] && renamed=1
[ -f notes/plan.csv ] && [ -f archive/old.txt ] && kept=1
printf '{"reward": %s, "renamed": %s, "kept": %s}\n' "$((renamed * kept))" "$renamed" "$kept" > /logs/verifier/reward.json
