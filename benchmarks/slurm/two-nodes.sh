#!/bin/bash
# One training on two nodes, a process on each: srun starts them, PMIx brings them together, MPI averages their gradients (start.sh first).
# Undisturbed; preempted and queued again; with a process killed, and submitted again. Each is compared with a run of one process.
#
#   benchmarks/slurm/two-nodes.sh FOLDER
set -u
folder=$(realpath -m "${1:?usage: two-nodes.sh FOLDER}")
cd "$(dirname "$0")/../.." && mkdir -p "$folder"
bowyer() {
  nice -n 10 node packages/runner/bin/bowyer.js --config-name archer_20q policy.n_embd=16 policy.n_layer=1 policy.n_head=2 \
    demonstrations.count=32 env.max_turns=4 test_size=4 slots=4 threads=1 max_new_tokens=4 warm_start.epochs=1 seed=0 \
    cache_dir="$folder/cache" iterations=20 rollout_size=4 eval_freq=1 eval_size=4 save_freq=1 capacity=50 epochs=1 batch_size=4 \
    warmup_iter=0 actor_epochs=1 "$@"
}
sweep() { # NAME OVERRIDES...
  local name=$1
  shift
  bowyer -m launcher=slurm launcher.nodes=2 launcher.tasks_per_node=1 'launcher.srun_args=["--mpi=pmix"]' launcher.poll_seconds=1 \
    launcher.cpus_per_task=1 launcher.mem_gb=2 launcher.partition=main hydra.sweep.dir="$folder/$name" "$@" >"$folder/$name.out" 2>&1
}
until_running() { until grep -qs "evaluation after iteration $2:" "$folder/$1/0/job.log"; do sleep 0.2; done; }

bowyer save_path="$folder/one" >"$folder/one.out" 2>&1
echo "one process: exit code $?"

sweep undisturbed
echo "two nodes: exit code $?"

sweep preempted &
job=$!
until_running preempted 5
sbatch --parsable --partition=urgent --nodes=2 --exclusive --mem=0 --output=/dev/null --wrap 'sleep 3' >"$folder/urgent.id"
squeue --format='%8i %9P %10T %5D %N'
wait "$job"
echo "preempted: exit code $?"

sweep killed &
job=$!
until_running killed 5
for process in /proc/[0-9]*; do
  { tr "\0" "\n" <"$process/environ"; } 2>/dev/null | grep -qx "SLURM_PROCID=1" || continue
  tr '\0' ' ' <"$process/cmdline" | grep -q "^[^ ]*node .*$folder/killed" && kill -KILL "${process#/proc/}"
done
begin=$SECONDS
wait "$job"
echo "one process killed: exit code $?, $((SECONDS - begin)) s later"
grep -E 'failed after|srun: error' "$folder/killed.out"
sweep killed launcher.resume=true
echo "submitted again: exit code $?"

for name in undisturbed preempted killed; do
  events=$(sed -E 's/.*"event":"([^"]*)".*/\1/' "$folder/$name/0/slurm-events.jsonl" | paste -sd' ')
  echo "$name ($events):"
  node --conditions=source --import tsx benchmarks/slurm/run-difference.ts "$folder/one" "$folder/$name/0"
done
sacct --duplicates --format=JobID%8,Partition%9,State%12,ExitCode%8,Elapsed,NNodes%6,NTasks%6,NodeList%10 --starttime=now-1hour
