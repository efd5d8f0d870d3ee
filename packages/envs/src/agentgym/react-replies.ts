// A game of this process whose players reply in the ReAct format, as AgentGym's clients read it (reply-rules.ts).
import type { ResetResult, ResumableEnv, StepResult } from '../contract/env.js';
import type { ReplyRule } from './reply-rules.js';

/** Plays what a reply's `Action:` says. A reply that the rule refuses costs a turn, as an empty action does. */
export class ReactReplies implements ResumableEnv {
  /** @param expert what the game's expert replies, in this format */
  constructor(
    private readonly game: ResumableEnv,
    private readonly rule: ReplyRule,
    private readonly expert: () => string | null,
  ) {}

  reset(options: Parameters<ResumableEnv['reset']>[0]): Promise<ResetResult> {
    return this.game.reset(options);
  }

  async step(reply: string): Promise<StepResult> {
    const parsed = this.rule(reply);
    const sent = 'refusal' in parsed ? '' : parsed.action;
    const result = await this.game.step(sent);
    return 'refusal' in parsed ? { ...result, observation: parsed.refusal } : result;
  }

  expertReply(): string | null {
    return this.expert();
  }

  resume(): void {
    this.game.resume();
  }

  close(): Promise<void> {
    return this.game.close();
  }
}
