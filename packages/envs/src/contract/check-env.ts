// checkEnv: plays an environment by the rules of the contract and against them, and names every clause it breaks.
import { Rng } from '@bowyer/core';
import type { Env, StepResult } from './env.js';

export interface CheckEnvOptions {
  /** What the checking player may say; drawn with a seeded generator. Give words that reach interesting states. */
  actions: readonly string[];
  /** Episodes compared between two environments, one seed each. */
  episodes?: number;
  /** An episode still running after this many steps breaks the contract. */
  maxSteps?: number;
}

export interface CheckEnvReport {
  episodes: number;
  steps: number;
}

export class EnvContractError extends Error {
  override readonly name = 'EnvContractError';

  constructor(readonly violations: readonly string[]) {
    super(
      [
        `The environment breaks ${violations.length} clause(s) of the contract:`,
        ...violations.map((v) => `  - ${v}`),
      ].join('\n'),
    );
  }
}

/** Throws `EnvContractError` with every violated clause; returns what was played otherwise. */
export async function checkEnv(
  makeEnv: () => Env | Promise<Env>,
  { actions, episodes = 4, maxSteps = 1000 }: CheckEnvOptions,
): Promise<CheckEnvReport> {
  const violations = new Set<string>();
  const [env, twin] = [await makeEnv(), await makeEnv()];
  let steps = 0;
  try {
    await expectRejection(() => env.step(actions[0]), 'step() before the first reset() must reject', violations);
    for (let episode = 0; episode < episodes; episode++) {
      // The last two have no seed: the generators in use must then agree.
      const seed = episode < Math.max(1, episodes - 2) ? episode : undefined;
      // Its expert alone is asked: what differs from the twin is also what asking has changed.
      const first = await playOnce(env, { seed, playerSeed: episode, actions, maxSteps, asks: true }, violations);
      const second = await playOnce(twin, { seed, playerSeed: episode, actions, maxSteps }, violations);
      compare(first, second, seed === undefined ? 'reset() without a seed' : `reset({ seed: ${seed} })`, violations);
      steps += first.length - 1;
      await expectRejection(() => env.step(actions[0]), 'step() after the end of an episode must reject', violations);
    }
    // The first seed again, in an environment that has since played others.
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
  /** Whether the environment's expert, if it has one, is asked before each step. */
  asks?: boolean;
}

/** One episode as comparable text, one line for the reset and one for each step. */
async function playOnce(env: Env, { seed, playerSeed, actions, maxSteps, asks }: Play, violations: Set<string>) {
  const player = new Rng(playerSeed);
  const start = await env.reset(seed === undefined ? {} : { seed });
  if (typeof start?.observation !== 'string') violations.add('reset() must return an observation that is a string');
  if (!isRecord(start?.info)) violations.add('reset() must return an info object');
  const lines = [JSON.stringify(start)];
  for (let turn = 0; turn < maxSteps; turn++) {
    const advice = asks ? env.expertReply?.() : undefined;
    if (advice === '') violations.add('expertReply() must return a reply, or null where it knows no further');
    const result = await env.step(player.choice(actions));
    lines.push(JSON.stringify(result));
    checkStep(result, violations);
    if (result.terminated || result.truncated) return lines;
  }
  violations.add(`an episode must end; this one still ran after ${maxSteps} steps (option maxSteps)`);
  return lines;
}

function checkStep(result: StepResult, violations: Set<string>): void {
  if (typeof result.observation !== 'string') violations.add('step() must return an observation that is a string');
  if (typeof result.reward !== 'number' || !Number.isFinite(result.reward)) {
    violations.add(`rewards must be finite numbers; got ${String(result.reward)}`);
  }
  if (typeof result.terminated !== 'boolean' || typeof result.truncated !== 'boolean') {
    violations.add('terminated and truncated must be booleans');
  }
  if (result.terminated && result.truncated) violations.add('terminated and truncated must never both be true');
  if (!isRecord(result.info)) violations.add('step() must return an info object');
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

const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
