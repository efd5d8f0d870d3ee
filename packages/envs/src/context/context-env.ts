// An environment whose observations are the text that an agent reads: the context that a config asks for.
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import type { ContextWriter } from './context-writer.js';

/** `observation` is the whole text; `state` is the environment's own observation where that is another. */
export class ContextEnv implements Env {
  constructor(
    private readonly env: Env,
    private readonly writer: ContextWriter,
  ) {}

  async reset(options?: { seed?: number }): Promise<ResetResult> {
    const result = await this.env.reset(options);
    return composed(result, this.writer.begin(result.observation, result.info));
  }

  async step(action: string): Promise<StepResult> {
    const result = await this.env.step(action);
    return composed(result, this.writer.follow(action, result.observation, result.info));
  }

  close(): Promise<void> {
    return this.env.close();
  }
}

function composed<Result extends ResetResult>(result: Result, text: string): Result {
  return text === result.observation ? result : { ...result, observation: text, state: result.observation };
}
