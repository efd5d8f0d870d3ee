#!/bin/bash
# What Slurm does to jobs, done to real runs on a real cluster (start.sh first): a sweep that nothing disturbs, one whose jobs reach
# their time limit, one whose jobs are preempted by a more urgent job, one job cancelled. Resumed runs must be equal to undisturbed ones.
#
#   benchmarks/slurm/scenarios.sh FOLDER
set -u
folder=$(realpath -m "${1:?usage: scenarios.sh FOLDER}")
cd "$(dirname "$0")/../.." && mkdir -p "$folder"
sweep() { # NAME OVERRIDES...
  local name=$1
  shift
  nice -n 10 node packages/runner/bin/bowyer.js -m --config-name archer_20q launcher=slurm launcher.poll_seconds=2 \
    launcher.cpus_per_task=1 launcher.mem_gb=1 launcher.partition=main policy.n_embd=16 policy.n_layer=1 policy.n_head=2 \
    demonstrations.count=32 env.max_turns=4 test_size=4 slots=4 threads=1 max_new_tokens=4 warm_start.epochs=1 \
    cache_dir="$folder/cache" iterations=60 rollout_size=4 eval_freq=1 eval_size=4 save_freq=1 capacity=50 epochs=1 batch_size=4 \
    warmup_iter=0 actor_epochs=1 seed=0,1 hydra.sweep.dir="$folder/$name" "$@" >"$folder/$name.out" 2>&1
}
running() { grep -qs "evaluation after iteration $3:" "$folder/$1/$2/job.log"; }

sweep undisturbed
echo "undisturbed: exit code $?"

sweep limit launcher.timeout_min=1 launcher.signal_delay_s=30 launcher.max_num_timeout=5
echo "time limit: exit code $?"

sweep preempted &
job=$!
until running preempted 0 5 && running preempted 1 5; do sleep 0.5; done
sbatch --parsable --partition=urgent --nodes=2 --exclusive --mem=0 --output=/dev/null --wrap 'sleep 3' >"$folder/urgent.id"
wait "$job"
echo "preempted: exit code $?"

sweep cancelled &
job=$!
until running cancelled 1 5; do sleep 0.5; done
scancel --name=bowyer
wait "$job"
echo "cancelled: exit code $?"
sweep cancelled launcher.resume=true
echo "resumed after scancel: exit code $?"

for name in limit preempted cancelled; do
  for job in 0 1; do
    if cmp -s "$folder/undisturbed/$job/metrics.jsonl" "$folder/$name/$job/metrics.jsonl"; then same=equal; else same=DIFFERENT; fi
    starts=$(grep -c '"event":"started"' "$folder/$name/$job/slurm-events.jsonl")
    events=$(sed -E 's/.*"event":"([^"]*)".*/\1/' "$folder/$name/$job/slurm-events.jsonl" | paste -sd' ')
    echo "$name/$job: $starts starts ($events); metrics.jsonl $same to the undisturbed run's"
  done
done
sacct --duplicates --allocations --format=JobID%8,Partition%9,State%20,ExitCode%8,Elapsed,NodeList%10 --starttime=now-1hour
