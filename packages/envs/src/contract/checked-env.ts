// Checks every result of an environment against the contract of environments, whether it is built in, a plugin or a client of a
// server. Errors name the environment and the step of the episode; a call that has not returned after a while is reported.
import { types } from 'node:util';
import { waitingFor } from '@bowyer/core';
import { envFaults, expertFault, resetFaults, stepFaults } from './clauses.js';
import { refuseEndless } from './endless.js';
import type { Env, ResetResult, StepResult } from './env.js';
import { shown } from './shown.js';

/** The error for an environment that violates clauses of the contract of environments (env.ts). */
export class EnvContractError extends Error {
  override readonly name: string = 'EnvContractError';

  /** Describes the violations. @param where the environment and the step of the episode */
  constructor(
    readonly violations: readonly string[],
    where = 'the environment',
  ) {
    super(
      [
        `${where}: ${violations.length === 1 ? 'a clause' : `${violations.length} clauses`} of the contract of environments ${violations.length === 1 ? 'is' : 'are'} broken`,
        ...violations.map((violation) => `  - ${violation}`),
      ].join('\n'),
    );
  }
}

/** The error for an environment that throws a value other than an Error, or an error such as TypeError, which shows a bug. */
export class EnvFaultError extends Error {
  override readonly name = 'EnvFaultError';
}

/** An environment that wraps another one and returns results that were already checked. */
export interface WrappingEnv extends Env {
  readonly inner: Env;
}

const checked = new WeakMap<object, Env>();

/** Returns whether `checkedEnv` has already made this environment, or one that it wraps. */
const isChecked = (env: Env): boolean => checked.has(env) || ('inner' in env && isChecked((env as WrappingEnv).inner));

/** Returns the environment without the check that `checkedEnv` added, or the argument itself if it has no check. */
export const uncheckedEnv = (env: Env): Env => checked.get(env) ?? env;

/**
 * Returns the environment with its results checked, or the argument itself if they already are. @param name for messages;
 * default: the name of the environment's class @throws {EnvContractError} for a value that is not an environment
 */
export function checkedEnv<E extends Env>(env: E, name = classOf(env)): E {
  const faults = envFaults(env);
  if (faults.length > 0) throw new EnvContractError(faults, name);
  if (isChecked(env)) return env;
  const border = new Border(env, name);
  const own: Partial<Env> = {
    reset: (options) => border.reset(options),
    step: (action) => border.step(action),
    close: () => border.close(),
  };
  const expert = () => border.expertReply();
  const proxy = new Proxy(env, {
    get: (target, key) => {
      if (Object.hasOwn(own, key)) return own[key as keyof Env];
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return key === 'expertReply' ? expert : (value.bind(target) as unknown);
    },
  });
  checked.set(proxy, env);
  return proxy;
}

const classOf = (env: unknown): string => {
  const name = (env as { constructor?: { name?: unknown } } | null | undefined)?.constructor?.name;
  return typeof name === 'string' && !['', 'Object', 'Promise'].includes(name) ? name : 'the environment';
};

class Border {
  #begun: string | null = null;
  #step = 0;

  constructor(
    private readonly env: Env,
    private readonly name: string,
  ) {}

  async reset(options?: Parameters<Env['reset']>[0]): Promise<ResetResult> {
    this.#begun = JSON.stringify(options ?? {});
    this.#step = 0;
    return this.#answered('reset', () => this.env.reset(options), resetFaults);
  }

  async step(action: string): Promise<StepResult> {
    this.#step++;
    const result = await this.#answered('step', () => this.env.step(action), stepFaults);
    if (!result.terminated && !result.truncated) refuseEndless(this.#step, () => this.#where('step'));
    return result;
  }

  close(): Promise<void> {
    return this.#answered(
      'close',
      () => this.env.close(),
      () => [],
    );
  }

  expertReply(): string | null {
    try {
      const reply: unknown = this.env.expertReply!();
      const fault = expertFault(reply);
      if (fault === null) return reply as string | null;
      throw new EnvContractError([fault], this.#where('expertReply'));
    } catch (error) {
      throw this.#named(error, 'expertReply');
    }
  }

  async #answered<T>(call: string, work: () => Promise<T>, faultsOf: (result: unknown) => string[]): Promise<T> {
    let result: T;
    try {
      result = await waitingFor(() => `the run waits for ${this.#where(call)}`, work);
    } catch (error) {
      throw this.#named(error, call);
    }
    const faults = faultsOf(result);
    if (faults.length > 0) throw new EnvContractError(faults, this.#where(call));
    return result;
  }

  /** Describes the step at which a call was made: maze, step 3 of the episode of reset({"seed":5}). */
  #where(call: string): string {
    const episode = this.#begun === null ? '' : `reset(${this.#begun})`;
    if (call === 'reset') return `${this.name}, ${episode}`;
    const place = call === 'step' ? `step ${this.#step}` : `${call}() after ${this.#step} steps`;
    return `${this.name}, ${place}${episode && ` of the episode of ${episode}`}`;
  }

  /** Adds the environment and the episode to thrown values and to errors such as TypeError; other messages are complete. */
  #named(error: unknown, call: string): unknown {
    if (!types.isNativeError(error) && !(error instanceof Error))
      return new EnvFaultError(`${this.#where(call)}: it threw ${shown(error)}, which is not an Error`, {
        cause: error,
      });
    const { name, message, stack = '' } = error as Error;
    if (!['TypeError', 'ReferenceError', 'SyntaxError'].includes(name)) return error;
    const place = /\n(\s*at .*)/.exec(stack)?.[1].trim();
    return new EnvFaultError(`${this.#where(call)}: ${name}: ${message}${place ? `\n  ${place}` : ''}`, {
      cause: error,
    });
  }
}
