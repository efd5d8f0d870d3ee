// Wraps a game of this process for players who reply in the ReAct format, as AgentGym's clients read it (reply-rules.ts).
import type { Env, ResetResult, ResumableEnv, StepResult } from '../contract/env.js';
import type { ReplyRule } from './reply-rules.js';

/** Plays the action after `Action:` in a reply. A reply that the rule refuses counts as a turn, as an empty action does. */
export class ReactReplies<Game extends Env = Env> implements Env {
  /** Wraps a game. @param expert returns the reply of the game's expert in this format; the game's own `expertReply` if not given */
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
