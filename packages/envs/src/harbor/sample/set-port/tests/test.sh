#!/bin/bash
if [ "$(jq -S . /app/config.json)" = "$(jq -S . /tests/expected.json)" ]; then
  echo 1.0 > /logs/verifier/reward.txt
else
  echo 0.0 > /logs/verifier/reward.txt
fi
