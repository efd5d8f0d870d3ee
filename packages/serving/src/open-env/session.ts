// Plays one environment for one session of an OpenEnv server: it answers reset, step and state in the JSON that OpenEnv defines.
import { randomUUID } from 'node:crypto';
import type { Env } from '@bowyer/envs';
import type { ResetData } from './messages.js';

/** The observation of a text environment, with the fields that the server's GET /schema describes. */
export interface TextObservation {
  text: string;
  /** True if the text is the whole history of the episode; absent if it is only the answer to the last action. */
  is_history?: true;
  /** The valid actions, if the environment lists them. */
  available_actions?: string[];
  /** Why the last step ended the episode. OpenEnv's `done` alone does not distinguish a truncated episode. */
  end_reason?: 'success' | 'failure' | 'ended' | 'turn_limit';
}

export interface ObservationData {
  observation: TextObservation;
  reward: number | null;
  done: boolean;
}

interface StateData {
  episode_id: string | null;
  step_count: number;
}

/** Converts the problem's number or the seed of a reset request to the options of the environment's `reset`. */
export type ResetOptions = (data: ResetData) => object;

export class OpenEnvSession {
  #episodeId: string | null = null;
  #steps = 0;

  /** @param isHistory whether each observation contains the whole history of the episode */
  constructor(
    private readonly env: Env,
    private readonly resetOptions: ResetOptions,
    private readonly isHistory: boolean,
  ) {}

  get state(): StateData {
    return { episode_id: this.#episodeId, step_count: this.#steps };
  }

  async reset(data: ResetData): Promise<ObservationData> {
    const { observation: text, info } = await this.env.reset(this.resetOptions(data));
    this.#episodeId = data.episodeId ?? randomUUID();
    this.#steps = 0;
    return { observation: this.#observed(text, info), reward: null, done: false };
  }

  async step(message: string): Promise<ObservationData> {
    const { observation: text, reward, terminated, truncated, info } = await this.env.step(message);
    this.#steps++;
    const done = terminated || truncated;
    return {
      observation: {
        ...this.#observed(text, info),
        ...(done && { end_reason: truncated ? 'turn_limit' : endOf(info) }),
      },
      reward: Number.isFinite(reward) ? reward : null,
      done,
    };
  }

  #observed(text: string, { validActions }: Record<string, unknown>): TextObservation {
    return {
      text,
      ...(this.isHistory && { is_history: true as const }),
      ...(Array.isArray(validActions) && { available_actions: validActions.map(String) }),
    };
  }

  close(): Promise<void> {
    return this.env.close();
  }
}

const endOf = ({ won }: Record<string, unknown>) => (won === true ? 'success' : won === false ? 'failure' : 'ended');
