// Simulates the loop of collector and learner, event by event, with the queue that the product has (`StalenessQueue`).
//
//     node --conditions=source --import tsx benchmarks/async-simulation.ts [FILE]
//
// FILE has the lines that benchmarks/async-rollouts.ts prints for it: each measured run is simulated with its own times of a call of the
// policy, of an update and of a turn in the environment, and both are printed. Without FILE: set-ups of docs/scale.md.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { StalenessQueue } from '@bowyer/algorithms';
import { Rng } from '@bowyer/core';

export interface Setup {
  mode: 'synchronous' | 'lock_step' | 'asynchronous';
  maxStaleness: number;
  slots: number;
  rolloutSize: number;
  iterations: number;
  /** Milliseconds of a call of the policy for n turns: fixed + perTurn · n. */
  call: { fixed: number; perTurn: number };
  /** Milliseconds of a turn in the environment, evenly between the two. */
  latency: readonly [number, number];
  /** Milliseconds of the learner for one rollout, evaluations and bookkeeping included. */
  update: number;
  /** Turns of episodes: one of these, each as likely. */
  turns: readonly number[];
}

export interface Figures {
  episodesPerSecond: number;
  learnerIdle: number;
  /** Share of the slots without an episode. */
  collectorIdle: number;
  staleness: number;
  queue: number;
}

interface Episode {
  turnsLeft: number;
  group: number;
}

/** Iterations at the start that are not counted: queues are empty then. */
const WARM_UP = 2;

/** The events that happen next, in a binary heap. */
class Agenda {
  readonly #heap: { at: number; run: () => void }[] = [];

  add(at: number, run: () => void): void {
    const heap = this.#heap;
    let i = heap.push({ at, run }) - 1;
    for (let up = (i - 1) >> 1; i > 0 && heap[up].at > heap[i].at; i = up, up = (i - 1) >> 1)
      [heap[up], heap[i]] = [heap[i], heap[up]];
  }

  next(): { at: number; run: () => void } {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop()!;
    if (heap.length > 0) heap[0] = last;
    for (let i = 0; ;) {
      let least = i;
      for (const child of [2 * i + 1, 2 * i + 2])
        if (child < heap.length && heap[child].at < heap[least].at) least = child;
      if (least === i) return first;
      [heap[least], heap[i]] = [heap[i], heap[least]];
      i = least;
    }
  }
}

class Simulation {
  #now = 0;
  readonly #agenda = new Agenda();
  readonly #rng = new Rng(1);
  readonly #queue: StalenessQueue<Episode>;
  #ready: Episode[] = [];
  #isCalling = false;
  #inPlay = 0;
  #next = 0;
  /** The version of the weights that play, and the version that is taken up after the call. */
  #version = 0;
  #published = 0;
  #iteration = 0;
  #isWaiting = true;
  #waitsSince = 0;
  readonly #sums = { learnerIdle: 0, slotsIdle: 0, staleness: 0, queue: 0, from: 0, takes: 0, taken: 0 };
  readonly #begun = new Map<number, number>();
  #changedAt = 0;

  constructor(private readonly setup: Setup) {
    const { rolloutSize, maxStaleness } = setup;
    this.#queue = new StalenessQueue({ perRollout: rolloutSize, maxStaleness: this.#isAhead ? maxStaleness : 0 });
  }

  get #isAhead() {
    return this.setup.mode !== 'synchronous';
  }

  run(): Figures {
    this.#fill();
    this.#call();
    while (this.#iteration < this.setup.iterations) {
      const { at, run } = this.#agenda.next();
      this.#now = at;
      run();
      this.#fill();
      this.#call();
      this.#learn();
    }
    const { learnerIdle, slotsIdle, staleness, queue, from, takes, taken } = this.#sums;
    const time = this.#now - from;
    return {
      episodesPerSecond: taken / (time / 1000),
      learnerIdle: learnerIdle / time,
      collectorIdle: slotsIdle / time,
      staleness: staleness / taken,
      queue: queue / takes,
    };
  }

  #after(milliseconds: number, run: () => void): void {
    this.#agenda.add(this.#now + milliseconds, run);
  }

  /** In lock step and in a synchronous run a rollout begins when the one before has ended. */
  #mayBegin(): boolean {
    const { mode, rolloutSize, maxStaleness, iterations } = this.setup;
    const rollout = Math.floor(this.#next / rolloutSize);
    if (rollout >= iterations) return false;
    if (mode === 'asynchronous') return this.#queue.mayBegin(this.#next, this.#version);
    if (rollout > this.#published + (mode === 'lock_step' ? maxStaleness : 0)) return false;
    return this.#next % rolloutSize !== 0 || this.#inPlay === 0;
  }

  #fill(): void {
    while (this.#inPlay < this.setup.slots && this.#mayBegin()) {
      const { turns, mode, rolloutSize, maxStaleness } = this.setup;
      const rollout = Math.floor(this.#next / rolloutSize);
      const version =
        mode === 'asynchronous' ? this.#version : Math.max(0, rollout - (this.#isAhead ? maxStaleness : 0));
      this.#queue.begin(this.#next, version);
      this.#begun.set(this.#next, version);
      this.#count(1);
      this.#ready.push({ group: this.#next++, turnsLeft: turns[this.#rng.integer(0, turns.length - 1)] });
    }
  }

  #count(change: number): void {
    if (this.#iteration >= WARM_UP)
      this.#sums.slotsIdle +=
        (1 - this.#inPlay / this.setup.slots) * (this.#now - Math.max(this.#changedAt, this.#sums.from));
    this.#changedAt = this.#now;
    this.#inPlay += change;
  }

  /** All that are ready, in one call of the policy; newer weights are taken up before it. */
  #call(): void {
    if (this.#isCalling || this.#ready.length === 0) {
      if (!this.#isCalling) this.#version = this.#published;
      return;
    }
    this.#version = this.#published;
    this.#isCalling = true;
    const { call, latency } = this.setup;
    const batch = this.#ready;
    this.#ready = [];
    this.#after(call.fixed + call.perTurn * batch.length, () => {
      this.#isCalling = false;
      for (const episode of batch) {
        const [least, most] = latency;
        this.#after(least + (most - least) * this.#rng.uniform(), () => {
          if (--episode.turnsLeft > 0) return void this.#ready.push(episode);
          this.#queue.finish(episode.group, [episode]);
          this.#count(-1);
        });
      }
    });
  }

  #learn(): void {
    if (!this.#isWaiting) return;
    const groups = this.#queue.take(this.#iteration);
    if (groups === null) return;
    this.#isWaiting = false;
    const isCounted = this.#iteration >= WARM_UP;
    if (isCounted) {
      this.#sums.learnerIdle += this.#now - this.#waitsSince;
      this.#sums.queue += this.#queue.waiting;
      this.#sums.takes++;
      for (const { group } of groups.flat()) this.#sums.staleness += this.#iteration - this.#begun.get(group)!;
      this.#sums.taken += groups.length;
    }
    this.#after(this.setup.update, () => {
      this.#count(0);
      this.#iteration++;
      this.#published = this.#iteration;
      if (this.#iteration === WARM_UP) this.#sums.from = this.#changedAt = this.#now;
      this.#waitsSince = this.#now;
      this.#isWaiting = true;
    });
  }
}

export const simulate = (setup: Setup): Figures => new Simulation(setup).run();

const row = (name: string, { episodesPerSecond, learnerIdle, collectorIdle, staleness, queue }: Figures): string =>
  `| ${name} | ${episodesPerSecond.toFixed(1)} | ${percent(learnerIdle)} | ${percent(collectorIdle)} | ${staleness.toFixed(2)} | ${queue.toFixed(0)} |`;
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
const HEADER =
  '| | episodes/s | learner idle | collector idle | staleness at begin | queue |\n|---|---|---|---|---|---|';

function compare(file: string): void {
  console.log(HEADER);
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const { name, setup, measured } = JSON.parse(line) as { name: string; setup: Setup; measured: Figures };
    console.log(row(`${name}, measured`, measured));
    console.log(row(`${name}, simulated`, simulate(setup)));
  }
}

/** 10,000 environments on a server of 100 ms to 2 s a turn, a policy that answers 512 turns in 1 s: docs/scale.md. */
function onPaper(): void {
  console.log(HEADER);
  const common = {
    iterations: 6,
    turns: [5, 10, 15, 20, 40],
    latency: [100, 2000] as const,
    call: { fixed: 60, perTurn: 1.8 },
    rolloutSize: 10_000,
    update: 60_000,
  };
  for (const slots of [500, 10_000])
    for (const [mode, maxStaleness] of [
      ['synchronous', 0],
      ['lock_step', 1],
      ['asynchronous', 1],
      ['asynchronous', 2],
    ] as const)
      console.log(row(`${slots} slots, ${mode} ${maxStaleness}`, simulate({ ...common, slots, mode, maxStaleness })));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2]) compare(process.argv[2]);
  else onPaper();
}
