// Plays the environment `webshop`: the agent searches for, chooses and buys a product that an instruction describes. The reward
// is a score for how well the product fits.
// Source: WebShop (Yao et al. 2022, arXiv:2207.01206) as ArCHer plays it (Zhou et al. 2024, arXiv:2402.19446). Differs from
// ArCHer: the last allowed turn truncates the episode and still shows the instruction; goals are drawn from a seed.
import { Rng } from '@bowyer/core';
import type { ResetResult, ResumableEnv, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { ARCHER_GOALS, loadShop, type WebShopOptions } from './options.js';
import type { PageSource } from './page.js';
import { WebShopOptionsError } from './shop-files.js';
import type { AvailableActions, Session } from './session.js';
import { ArcherSession } from './archer-session.js';
import { TextSession } from './text-session.js';
import { Site } from './site.js';

export interface WebShopInfo extends Record<string, unknown> {
  session: string;
  instruction: string;
  /** The text of the page, or of the refusal of an invalid action, without the history. */
  text: string;
  availableActions: AvailableActions;
  /** The valid clicks as an agent must write them; on the first page, a search. */
  validActions: string[];
  refused: boolean;
}

export class WebShop implements ResumableEnv {
  readonly #options: WebShopOptions;
  readonly #source: PageSource;
  readonly #goals: { lower: number; upper: number };
  readonly #available: number;
  readonly #order = new EpisodeOrder('webshop');
  #rng = new Rng(0);
  #session: Session | null = null;
  #history = '';
  #instruction = '';
  #turns = 0;
  #isClosed = false;

  constructor(options: WebShopOptions) {
    this.#options = options;
    let range: { lower: number; upper: number } = ARCHER_GOALS;
    if (options.backend === 'site') {
      if (options.baseUrl === null) throw new WebShopOptionsError('webshop with backend=site needs env.base_url');
      const { baseUrl, timeoutMs, connections } = options;
      this.#source = new Site({ baseUrl, timeoutMs, connections });
    } else {
      const shop = loadShop(options);
      this.#source = shop;
      range = { lower: 0, upper: shop.goals.length };
    }
    this.#goals = { lower: options.webshopLower ?? range.lower, upper: options.webshopUpper ?? range.upper };
    this.#available = range.upper;
    this.#checkGoals(range.upper);
  }

  #checkGoals(available: number): void {
    const { lower, upper } = this.#goals;
    if (lower < upper && (this.#options.backend === 'site' || upper <= available)) return;
    throw new WebShopOptionsError(
      `webshop: goals ${lower} … ${upper - 1} were asked for (env.webshop_lower, env.webshop_upper); the shop has 0 … ${available - 1}`,
    );
  }

  /** Checks that a goal with this index exists; a site, whose goals are unknown here, checks it itself. */
  #checkGoal(goal: number): void {
    if (this.#options.backend === 'site' || (goal >= 0 && goal < this.#available)) return;
    throw new WebShopOptionsError(`webshop: there is no goal ${goal}; the shop has 0 … ${this.#available - 1}`);
  }

  /** Begins an episode. @param options.goal index of the goal; default: the seed draws one from the range in the options */
  async reset({ seed, goal }: { seed?: number; goal?: number } = {}): Promise<ResetResult> {
    this.#order.begin();
    if (seed !== undefined) this.#rng = new Rng(seed);
    const { lower, upper } = this.#goals;
    if (goal !== undefined) this.#checkGoal(goal);
    const name = `fixed_${goal ?? this.#rng.integer(lower, upper - 1)}`;
    const Kind = this.#options.observation === 'text' ? TextSession : ArcherSession;
    const session = new Kind(this.#source, name);
    const text = await session.open();
    this.#session = session;
    this.#instruction = session.instruction;
    this.#history = `\nObservation:\n${text}`;
    this.#turns = 0;
    const info = { ...this.#info(session, text, false), taskDescription: session.instruction };
    return { observation: this.#observe(session, text, false), info };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    const session = this.#session as Session;
    const said = action.replace(/\n$/, '');
    const { text, reward, bought, refused } = await session.act(said);
    this.#turns++;
    this.#history += `\nAction:\n${said}\nObservation:\n${text}`;
    const truncated = !bought && this.#turns >= this.#options.maxTurns;
    if (bought || truncated) this.#order.end();
    const info = this.#info(session, text, refused);
    return { observation: this.#observe(session, text, refused), reward, terminated: bought, truncated, info };
  }

  resume(): void {
    this.#order.resume();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#order.close();
    await this.#source.close?.();
  }

  #observe(session: Session, text: string, refused: boolean): string {
    const end = `\nInstruction:\n${this.#instruction} `;
    switch (this.#options.observation) {
      case 'text':
        return text;
      case 'page':
        return `${refused ? `${text}\n` : ''}${session.pageText()}${end}`;
      case 'archer':
        return this.#history + end;
    }
  }

  #info(session: Session, text: string, refused: boolean): WebShopInfo {
    const [availableActions, validActions] = [session.availableActions(), session.validActions()];
    return { session: session.session, instruction: this.#instruction, text, availableActions, validActions, refused };
  }
}
