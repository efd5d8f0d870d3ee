#!/bin/bash
# Starts a Slurm cluster of two nodes on this machine, for tests: munge, slurmctld, two slurmd and, where MariaDB is
# installed, slurmdbd, which sacct needs. Runs as root, without systemd and without cgroups.
#
#   apt-get install -y --no-install-recommends slurm-wlm munge slurmdbd mariadb-server
#   apt-get install -y --no-install-recommends openmpi-bin libpmix-dev  # for srun --mpi=pmix
#   benchmarks/slurm/start.sh /tmp/slurm && export SLURM_CONF=/tmp/slurm/slurm.conf
#   sbatch --wrap 'hostname' && squeue && sacct
#   benchmarks/slurm/stop.sh /tmp/slurm
set -euo pipefail
folder=$(realpath -m "${1:?usage: start.sh FOLDER [FIRST_PORT]}")
port=${2:-17500}
ctld_port=$port slurmd_port=$((port + 1)) dbd_port=$((port + 10))
mkdir -p "$folder"/{log,spool,state,munge,db}
chmod 755 "$folder"

wait_for() { # DESCRIPTION COMMAND...: until the command succeeds, at most 30 s
  local what=$1
  shift
  for _ in $(seq 150); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.2
  done
  echo "$what does not answer; see $folder/log" >&2
  return 1
}

# munge: a key, a socket and a log of its own, so that a munged of the system is left alone.
chmod 700 "$folder/munge"
[ -f "$folder/munge/key" ] || (umask 077 && head -c 128 /dev/urandom >"$folder/munge/key")
socket=$folder/munge.socket
munged --force --key-file="$folder/munge/key" --socket="$socket" --pid-file="$folder/munged.pid" \
  --seed-file="$folder/munge/seed" --log-file="$folder/log/munged.log" --num-threads=2
wait_for munged munge --socket="$socket" --no-input

accounting=''
if command -v mariadbd >/dev/null && command -v slurmdbd >/dev/null; then
  [ -d "$folder/db/mysql" ] ||
    mariadb-install-db --user=root --datadir="$folder/db" --auth-root-authentication-method=normal --skip-test-db >"$folder/log/install-db.log" 2>&1
  mariadbd --no-defaults --user=root --datadir="$folder/db" --socket="$folder/db.socket" --skip-networking \
    --pid-file="$folder/mariadbd.pid" --innodb-buffer-pool-size=16M --innodb-lock-wait-timeout=900 >"$folder/log/mariadbd.log" 2>&1 &
  wait_for mariadbd mariadb --socket="$folder/db.socket" --user=root --execute='SELECT 1'
  cat >"$folder/slurmdbd.conf" <<END
AuthType=auth/munge
AuthInfo=socket=$socket
DbdHost=localhost
DbdPort=$dbd_port
SlurmUser=root
LogFile=$folder/log/slurmdbd.log
PidFile=$folder/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm_accounting
END
  chmod 600 "$folder/slurmdbd.conf"
  MYSQL_UNIX_PORT="$folder/db.socket" SLURM_CONF="$folder/slurmdbd.conf" slurmdbd -D >"$folder/log/slurmdbd.out" 2>&1 &
  wait_for slurmdbd bash -c "echo >/dev/tcp/localhost/$dbd_port"
  accounting="AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort=$dbd_port
AccountingStoragePass=$socket
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1"
fi

# cred_expire: a requeued job waits that many seconds, 120 by default. MaxArraySize is small so that tests reach it.
# TmpFS: srun --mpi=pmix makes a folder of the step's name there on every node, and the nodes here have one /tmp.
cat >"$folder/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$socket,cred_expire=5
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
SlurmctldPort=$ctld_port
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd-%n.log
SlurmdSpoolDir=$folder/spool/%n
TmpFS=$folder/tmp/%n
StateSaveLocation=$folder/state
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=5,bf_interval=5,batch_sched_delay=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobRequeue=1
MaxArraySize=${MAX_ARRAY_SIZE:-1001}
KillWait=10
MinJobAge=300
ReturnToService=2
$accounting
NodeName=node[1-2] NodeAddr=127.0.0.1 Port=[$slurmd_port-$((slurmd_port + 1))] CPUs=4 RealMemory=4000 State=UNKNOWN
PartitionName=main Nodes=node[1-2] Default=YES MaxTime=1-0 State=UP PriorityTier=1 GraceTime=20
PartitionName=urgent Nodes=node[1-2] MaxTime=1-0 State=UP PriorityTier=10 PreemptMode=OFF
END
export SLURM_CONF=$folder/slurm.conf
slurmctld
wait_for slurmctld scontrol ping
for node in node1 node2; do mkdir -p "$folder/spool/$node" "$folder/tmp/$node" && slurmd -N "$node"; done
wait_for 'two nodes' bash -c '[ "$(sinfo --noheader --Node --partition=main --states=idle | wc -l)" = 2 ]'
echo "export SLURM_CONF=$folder/slurm.conf"
