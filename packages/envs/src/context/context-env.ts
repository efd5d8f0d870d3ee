// Wraps an environment so that its observations become the text that the agent reads. The config's node `context` selects what
// this text contains; examples from the episode memory may precede it.
import type { WrappingEnv } from '../contract/checked-env.js';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import type { MemoryReader, Recalled } from '../memory/memory-reader.js';
import type { ContextWriter } from './context-writer.js';

/** Returns the agent's text as `observation`. If it differs from the environment's own observation, the latter is in `state`. */
export class ContextEnv implements WrappingEnv {
  constructor(
    readonly inner: Env,
    private readonly writer: ContextWriter,
    private readonly memory: MemoryReader | null = null,
  ) {}

  async reset(options?: { seed?: number }): Promise<ResetResult> {
    const result = await this.inner.reset(options);
    const { observation, info } = result;
    const recalled = await this.memory?.begin(observation, info);
    return composed(result, this.writer.begin(observation, info, recalled?.text), recalled);
  }

  async step(action: string): Promise<StepResult> {
    const result = await this.inner.step(action);
    const { observation, info } = result;
    const recalled = await this.memory?.follow(observation);
    return composed(result, this.writer.follow(action, observation, info, recalled?.text), recalled);
  }

  expertReply(): string | null {
    return this.inner.expertReply?.() ?? null;
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}

function composed<Result extends ResetResult>(result: Result, text: string, recalled?: Recalled): Result {
  const { observation } = result;
  const retrieved = recalled && { retrieved: recalled.ids };
  if (text === observation) return retrieved ? { ...result, ...retrieved } : result;
  return { ...result, observation: text, state: observation, ...retrieved };
}
