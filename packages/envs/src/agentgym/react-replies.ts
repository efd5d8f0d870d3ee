// A game of this process whose players reply in the ReAct format, as AgentGym's clients read it (reply-rules.ts).
import type { Env, ResetResult, ResumableEnv, StepResult } from '../contract/env.js';
import type { ReplyRule } from './reply-rules.js';

/** Plays what a reply's `Action:` says. A reply that the rule refuses costs a turn, as an empty action does. */
export class ReactReplies<Game extends Env = Env> implements Env {
  /** @param expert what the game's expert replies, in this format; the game's own `expertReply` if not given */
  constructor(
    protected readonly game: Game,
    private readonly rule: ReplyRule,
    private readonly expert: () => string | null = () => game.expertReply?.() ?? null,
  ) {}

  reset(options: Parameters<Env['reset']>[0]): Promise<ResetResult> {
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

  close(): Promise<void> {
    return this.game.close();
  }
}

export class ResumableReactReplies extends ReactReplies<ResumableEnv> implements ResumableEnv {
  resume(): void {
    this.game.resume();
  }
}
