#!/bin/bash
# Ends the daemons that start.sh started in the same folder, and the jobs they run.
folder=$(realpath -m "${1:?usage: stop.sh FOLDER}")
export SLURM_CONF=$folder/slurm.conf
scancel --user="$(id -un)" 2>/dev/null && sleep 2
for name in slurmd-node1 slurmd-node2 slurmctld slurmdbd mariadbd munged; do
  [ -f "$folder/$name.pid" ] && kill "$(cat "$folder/$name.pid")" && sleep 0.5
done
exit 0
