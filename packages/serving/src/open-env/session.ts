// One environment as one OpenEnv session plays it: reset, step and state, in OpenEnv's records.
import { randomUUID } from 'node:crypto';
import type { Env } from '@bowyer/envs';
import type { ResetData } from './messages.js';

/** The observation of a text environment, in the form of its published schema. */
export interface TextObservation {
  text: string;
  /** The valid actions, if the environment lists them. */
  available_actions?: string[];
  /** The reason why the last step ended the episode: OpenEnv's `done` cannot say whether a limit cut the episode. */
  end_reason?: 'success' | 'failure' | 'ended' | 'turn_limit';
}

export interface ObservationData {
  observation: TextObservation;
  reward: number | null;
  done: boolean;
}

export interface StateData {
  episode_id: string | null;
  step_count: number;
}

/** Turns a problem's number, or a seed, into what the environment's reset takes. */
export type ResetOptions = (data: ResetData) => object;

export class OpenEnvSession {
  #episodeId: string | null = null;
  #steps = 0;

  constructor(
    private readonly env: Env,
    private readonly resetOptions: ResetOptions,
  ) {}

  get state(): StateData {
    return { episode_id: this.#episodeId, step_count: this.#steps };
  }

  async reset(data: ResetData): Promise<ObservationData> {
    const { observation: text, info } = await this.env.reset(this.resetOptions(data));
    this.#episodeId = data.episodeId ?? randomUUID();
    this.#steps = 0;
    return { observation: { text, ...actionsOf(info) }, reward: null, done: false };
  }

  async step(message: string): Promise<ObservationData> {
    const { observation: text, reward, terminated, truncated, info } = await this.env.step(message);
    this.#steps++;
    const done = terminated || truncated;
    return {
      observation: { text, ...actionsOf(info), ...(done && { end_reason: truncated ? 'turn_limit' : endOf(info) }) },
      reward: Number.isFinite(reward) ? reward : null,
      done,
    };
  }

  close(): Promise<void> {
    return this.env.close();
  }
}

const actionsOf = ({ validActions }: Record<string, unknown>) =>
  Array.isArray(validActions) ? { available_actions: validActions.map(String) } : {};

const endOf = ({ won }: Record<string, unknown>) => (won === true ? 'success' : won === false ? 'failure' : 'ended');
