// Makes a run with metrics and dialogues, which the suites of loggers log.
import type { Trajectory } from '@bowyer/core';
import type { LoggedRun, LoggedStep } from '@bowyer/logging';

export const loggedRun = (directory: string, resumedAfter: number): LoggedRun => ({
  directory,
  resumedAfter,
  project: 'suites',
  name: 'a run',
  config: { seed: 3, env: { name: 'maze', words: ['dog', 'café'] }, lm_lr: 0.1, quiet: false },
  inputs: [],
  note: () => undefined,
  onOutput: () => () => undefined,
  warn: (message) => {
    throw new Error(message);
  },
});

/** Makes a step with an episode for each reward. */
export const loggedStep = (iteration: number, nll: number, rewards: readonly number[]): LoggedStep => ({
  iteration,
  metrics: { 'losses/nll': nll, 'eval/odd': iteration === 2 ? Infinity : -0.1 },
  seconds: { train: 1.5 },
  episodes: rewards.map(episode),
});

const episode = (reward: number, number: number): Trajectory => ({
  episode: number,
  seed: 1,
  infos: [],
  segments: [],
  transitions: [
    { observation: 'a | b', action: 'naïve\n🙂', reward, nextObservation: '', terminated: true, truncated: false },
  ],
});
