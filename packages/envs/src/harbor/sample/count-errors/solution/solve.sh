#!/bin/bash
grep -c '^[0-9-]* ERROR ' /app/server.txt > /app/errors.txt
