// Writes the text that an agent reads at each turn, as the config's node `context` selects. Rollouts, demonstrations and
// evaluation share this writer, so that the same episode gives the same texts.
import {
  contextProblems,
  historyOffer,
  resolveContext,
  type ContextOffer,
  type ContextOptions,
  type ContextTurn,
  type ResolvedContext,
} from './context-options.js';
import { tutorialPrompt } from './tutorial-prompt.js';

/** Writes one episode at a time: `begin` is called after a reset, `follow` after each step. Both return the next prompt. */
export class ContextWriter {
  readonly #context: ResolvedContext;
  #isHistory: boolean;
  #task = '';
  #turns: ContextTurn[] = [];
  #dialogue = '';
  /** The memory's latest examples, which precede the text at each turn. */
  #examples = '';
  /** Whether each observation so far begins with the one before it, so that observations may be histories of the episode. */
  #mayBeHistory = true;

  /** Makes a writer for one environment. @param name the environment's name, for error messages */
  constructor(
    private readonly name: string,
    private readonly options: ContextOptions,
    private readonly offer: ContextOffer,
  ) {
    this.#context = resolveContext(options, offer);
    this.#isHistory = offer.observation === 'history';
  }

  /** Begins an episode and returns its first prompt. @param examples from the memory, which precede the prompt */
  begin(observation: string, info: Readonly<Record<string, unknown>>, examples = ''): string {
    this.#examples = examples;
    this.#isHistory = this.offer.observation === 'history' || this.#saysHistory(info);
    if (this.#isHistory) return examples + observation;
    this.#turns = [];
    this.#dialogue = '';
    this.#mayBeHistory = true;
    this.#task = this.#context.taskDescription ? this.#text(info, 'taskDescription', 'task_description') : '';
    return this.#write(observation, info, examples);
  }

  /** Adds a turn and returns the next prompt. @param examples as in `begin`; undefined: the previous turn's examples are kept */
  follow(
    action: string,
    observation: string,
    info: Readonly<Record<string, unknown>>,
    examples: string | undefined = undefined,
  ): string {
    this.#examples = examples ?? this.#examples;
    if (this.#isHistory) return this.#examples + observation;
    const last = this.#turns.at(-1)!;
    last.action = action;
    this.#refuseHistory(last, observation);
    this.#dialogue += `${action}\n`;
    return this.#write(observation, info, examples ?? '');
  }

  /**
   * Returns whether a server reports by `is_history` that its observations are the whole episode so far, which the check of the
   * config cannot know. @throws if the selected text cannot be written from such observations
   */
  #saysHistory(info: Readonly<Record<string, unknown>>): boolean {
    if ((info.isHistory ?? info.is_history) !== true) return false;
    const [problem] = contextProblems(this.options, this.name, historyOffer);
    if (problem !== undefined) throw new Error(`${problem.message}\n  ${problem.remedy}`);
    return true;
  }

  /** Writes the agent's text. @param added new examples, which a dialogue does not contain yet */
  #write(observation: string, info: Readonly<Record<string, unknown>>, added: string): string {
    const { kind, inventory, validActions, taskDescription, stepCounter } = this.#context;
    const turn: ContextTurn = {
      number: this.#turns.length,
      observation,
      inventory: inventory ? this.#text(info, 'inventory', 'inventory') : '',
      validActions: validActions ? this.#actions(info) : [],
      action: '',
    };
    this.#turns.push(turn);
    if (kind === 'dialogue') return (this.#dialogue += added + this.#current(turn));
    if (kind === 'last' && !taskDescription && !stepCounter && !inventory && !validActions)
      return this.#examples + observation;
    return (
      this.#examples +
      this.#fitted((past) => (kind === 'tutorial' ? this.#tutorial(past, turn) : this.#window(past, turn)))
    );
  }

  /** Leaves out the oldest turns until the agent's text has at most `max_chars` characters. */
  #fitted(write: (past: readonly ContextTurn[]) => string): string {
    const { historyTurns, maxChars } = this.#context;
    const earlier = this.#turns.slice(0, -1);
    for (let count = Math.min(historyTurns, earlier.length); ; count--) {
      const text = write(earlier.slice(earlier.length - count));
      if (count === 0 || maxChars === null || text.length <= maxChars) return text;
    }
  }

  /** Writes the text of kind `window`: the last turns, preceded by the task if these turns do not contain it. */
  #window(past: readonly ContextTurn[], turn: ContextTurn): string {
    const turns = past.map((earlier) => `${this.#heading(earlier)}${earlier.observation.trim()}\n${earlier.action}\n`);
    const text = turns.join('') + this.#current(turn);
    return text.includes(this.#task) ? text : `${this.#task.trim()}\n\n${text}`;
  }

  #tutorial(past: readonly ContextTurn[], turn: ContextTurn): string {
    const { inventory, validActions } = this.#context;
    const withoutTask = ({ observation, ...rest }: ContextTurn): ContextTurn => ({
      ...rest,
      observation: observation.startsWith(this.#task) ? observation.slice(this.#task.length).trimStart() : observation,
    });
    return tutorialPrompt(this.#task, past.map(withoutTask), withoutTask(turn), { inventory, validActions });
  }

  #heading({ number }: ContextTurn): string {
    return this.#context.stepCounter ? `Step ${number}\n` : '';
  }

  /** Writes the current observation with inventory and valid actions, and a final newline, after which the action follows. */
  #current(turn: ContextTurn): string {
    const { inventory, validActions } = this.#context;
    const lines = [
      `${this.#heading(turn)}${turn.observation.trim()}`,
      ...(inventory ? [`Inventory: ${turn.inventory.trim()}`] : []),
      ...(validActions ? [`Valid actions: ${turn.validActions.join(', ')}`] : []),
    ];
    return `${lines.join('\n')}\n`;
  }

  /** Returns a text of `info`. Recorded episodes have the keys of `info` in snake_case, which `recorded` names. */
  #text(info: Readonly<Record<string, unknown>>, key: string, recorded: string): string {
    const value = info[key] ?? info[recorded];
    if (typeof value === 'string') return value;
    throw this.#missing(recorded);
  }

  #actions(info: Readonly<Record<string, unknown>>): readonly string[] {
    const value = info.validActions ?? info.valid_actions;
    if (Array.isArray(value)) return value as string[];
    throw this.#missing('valid_actions');
  }

  #missing(part: string): Error {
    return new Error(
      `context.${part}: turn ${this.#turns.length} of an episode of ${this.name} has no ${part} in its info\n` +
        `  write context.${part}=false, or give episodes that have it (task=demonstrations writes them)`,
    );
  }

  /**
   * Throws for kind `dialogue` if observations are histories, which would repeat every turn. Histories grow from the first turn
   * on, so that a later observation which begins with the previous one by chance is not refused.
   */
  #refuseHistory({ observation, action }: ContextTurn, next: string): void {
    this.#mayBeHistory &&= next.startsWith(observation);
    const said = action.split('\n', 1)[0].trim();
    if (!this.#mayBeHistory || this.#context.kind !== 'dialogue' || said === '' || observation === '') return;
    const follows = next.slice(observation.length).trimStart().startsWith(said);
    if (!follows) {
      this.#mayBeHistory = false;
      return;
    }
    throw new Error(
      `the observations of ${this.name} contain what was said before, which context=dialogue would repeat in every turn\n` +
        "  declare it in the environment's unit (context: () => historyOffer) or, on an OpenEnv server, in its observations " +
        '(is_history: true); or write context=last',
    );
  }
}
