#!/bin/bash
# The health check of the image: exits with 0 if Baoco is ready. It costs a few milliseconds of CPU; starting Node would cost a hundred.
exec 3<> "/dev/tcp/127.0.0.1/${METRICS_PORT:-${PORT:-8080}}" || exit 1
printf 'GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3
read -r -t 4 _ status _ <&3
[ "$status" = 200 ]
