// Checks whether an environment fulfils the contract of environments (env.ts): plays it in the allowed and in forbidden orders of
// calls, and lists every violated clause.
import { Rng } from '@bowyer/core';
import { EnvContractError, uncheckedEnv } from './checked-env.js';
import { envFaults, expertFault, resetFaults, stepFaults } from './clauses.js';
import type { Env } from './env.js';

export interface CheckEnvOptions {
  /** The actions among which the check draws with a seeded generator. They should lead to many different states. */
  actions: readonly string[];
  /** The number of episodes that are played with the same seeds in two instances of the environment. */
  episodes?: number;
  /** The largest number of steps of an episode. An episode that does not end within it violates the contract. */
  maxSteps?: number;
}

export interface CheckEnvReport {
  episodes: number;
  steps: number;
}

/** Plays an environment and returns the numbers of episodes and steps. @throws {EnvContractError} with every violated clause */
export async function checkEnv(
  makeEnv: () => Env | Promise<Env>,
  { actions, episodes = 4, maxSteps = 1000 }: CheckEnvOptions,
): Promise<CheckEnvReport> {
  const violations = new Set<string>();
  const made = [await makeEnv(), await makeEnv()];
  const faults = made.flatMap(envFaults);
  if (faults.length > 0) throw new EnvContractError([...new Set(faults)]);
  const [env, twin] = made.map(uncheckedEnv);
  let steps = 0;
  try {
    await expectRejection(() => env.step(actions[0]), 'step() before the first reset() must reject', violations);
    for (let episode = 0; episode < episodes; episode++) {
      // The last two resets have no seed: both instances, seeded equally before, must then draw the same random numbers.
      const seed = episode < Math.max(1, episodes - 2) ? episode : undefined;
      // Only the first instance is asked for expert replies, so that a difference also shows that asking has side effects.
      const first = await playOnce(env, { seed, playerSeed: episode, actions, maxSteps, asks: true }, violations);
      const second = await playOnce(twin, { seed, playerSeed: episode, actions, maxSteps }, violations);
      compare(first, second, seed === undefined ? 'reset() without a seed' : `reset({ seed: ${seed} })`, violations);
      steps += first.length - 1;
      await expectRejection(() => env.step(actions[0]), 'step() after the end of an episode must reject', violations);
    }
    // Seed 0 is played again in both instances, after episodes with other seeds; the two episodes must be equal.
    const again = await playOnce(env, { seed: 0, playerSeed: 0, actions, maxSteps }, violations);
    const fresh = await playOnce(twin, { seed: 0, playerSeed: 0, actions, maxSteps }, violations);
    compare(again, fresh, 'reset({ seed: 0 }) after other episodes', violations);
  } finally {
    await env.close();
    await twin.close();
  }
  await expectNoRejection(() => env.close(), 'close() twice must be allowed', violations);
  await expectRejection(() => env.step(actions[0]), 'step() after close() must reject', violations);
  await expectRejection(() => env.reset(), 'reset() after close() must reject', violations);
  if (violations.size > 0) throw new EnvContractError([...violations]);
  return { episodes, steps };
}

interface Play {
  seed: number | undefined;
  playerSeed: number;
  actions: readonly string[];
  maxSteps: number;
  /** Whether `expertReply` is called before each step, if the environment has an expert. */
  asks?: boolean;
}

/** Plays one episode and returns it as text for a comparison: a line for the reset and one for each step. */
async function playOnce(env: Env, { seed, playerSeed, actions, maxSteps, asks }: Play, violations: Set<string>) {
  const player = new Rng(playerSeed);
  const start = await env.reset(seed === undefined ? {} : { seed });
  const lines = [checkedLine(start, resetFaults(start), violations)];
  for (let turn = 0; turn < maxSteps; turn++) {
    const advice = asks && env.expertReply ? expertFault(env.expertReply()) : null;
    if (advice !== null) violations.add(advice);
    const result = await env.step(player.choice(actions));
    lines.push(checkedLine(result, stepFaults(result), violations));
    if (!result || result.terminated || result.truncated) return lines;
  }
  violations.add(`an episode must end; this one still ran after ${maxSteps} steps (option maxSteps)`);
  return lines;
}

/** Returns a result as JSON; empty if it violates the contract, since JSON may then be unable to express it. */
function checkedLine(result: unknown, faults: readonly string[], violations: Set<string>): string {
  for (const fault of faults) violations.add(fault);
  return faults.length > 0 ? '' : JSON.stringify(result);
}

function compare(first: string[], second: string[], what: string, violations: Set<string>): void {
  const length = Math.max(first.length, second.length);
  for (let i = 0; i < length; i++) {
    if (first[i] === second[i]) continue;
    const where = i === 0 ? 'the first observation' : `step ${i}`;
    violations.add(`${what} and the same actions must give the same episode; two environments differ at ${where}`);
    return;
  }
}

async function expectRejection(call: () => Promise<unknown>, clause: string, violations: Set<string>): Promise<void> {
  try {
    await call();
  } catch {
    return;
  }
  violations.add(clause);
}

async function expectNoRejection(call: () => Promise<unknown>, clause: string, violations: Set<string>): Promise<void> {
  try {
    await call();
  } catch (error) {
    violations.add(`${clause}; it threw: ${String(error)}`);
  }
}
