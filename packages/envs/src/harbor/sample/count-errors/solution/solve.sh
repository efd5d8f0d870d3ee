#!/bin/bash
grep -c '^[0-9-]* ERROR ' /app/server.log > /app/errors.txt
