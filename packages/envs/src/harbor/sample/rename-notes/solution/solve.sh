#!/bin/bash
cd /app/notes
for file in *.txt; do
  mv "$file" "${file%.txt}.md"
done
