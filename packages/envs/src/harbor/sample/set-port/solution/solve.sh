#!/bin/bash
jq '.server.port = 8080' /app/config.json > /tmp/config.json
mv /tmp/config.json /app/config.json
