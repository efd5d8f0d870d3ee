// Wraps a game of this process for agents that reply in the ReAct format, which is parsed by the rules of AgentGym's clients
// (reply-rules.ts).
import type { Env, ResetResult, ResumableEnv, StepResult } from '../contract/env.js';
import type { ReplyRule } from './reply-rules.js';

/** Plays the action after `Action:` in each reply. A reply that the rule refuses counts as a turn, like an empty action. */
export class ReactReplies<Game extends Env = Env> implements Env {
  /** Wraps a game. @param expert returns the reply of the game's expert in this format; default: the game's own `expertReply` */
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
