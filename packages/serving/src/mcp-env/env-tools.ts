// Makes the tools, resources and prompts with which MCP clients (Model Context Protocol) play environments. The tools' schemas
// are made once for all sessions, since the SDK compiles a validator for each schema object.
import { fromJsonSchema, McpServer, type CallToolResult } from '@modelcontextprotocol/server';
import type { Opening, ServedGames } from './games.js';
import { PlayError, type Player, type PlayedTurn } from './player.js';
import { begunText, instructionsFor, playText, steppedText } from './texts.js';

/** Finds the player (one environment with its episode) that a tool call addresses. */
export interface Seat {
  /** Returns the player for a reset, and the episode id for the client's next calls: null where the session has one player. */
  take(episode?: string): { player: Player; episode: string | null };
  /** Throws PlayError for an unknown id. */
  find(episode?: string): Player;
}

type Arguments = Record<string, unknown>;

const text = { type: 'string' } as const;
const number = { type: 'number' } as const;
const flag = { type: 'boolean' } as const;
const object = (properties: Readonly<Record<string, object>>, required: readonly string[]) =>
  fromJsonSchema<Arguments>({
    type: 'object',
    properties: { ...properties },
    required: [...required],
    additionalProperties: false,
  });

type Schema = ReturnType<typeof object>;

interface Reset {
  opening: Opening;
  input: Schema;
}

/** Makes the tools of one served environment or mixture. Source: the Model Context Protocol of 2025-11-25, section Tools. */
export class EnvTools {
  readonly #named: boolean;
  readonly #resets: Reset[];
  readonly #begun: Schema;
  readonly #step: Schema;
  readonly #stepped: Schema;
  readonly #actions: Schema;
  readonly #listed: Schema;

  /**
   * @param options.isNamed whether each call must contain the id of its episode, as it must over HTTP without sessions
   * @param options.drawSeed returns the seed for an episode whose reset has none
   */
  constructor(
    private readonly served: ServedGames,
    private readonly options: { isNamed: boolean; version: string; drawSeed: () => number },
  ) {
    const { isNamed } = options;
    this.#named = isNamed;
    const episode: Record<string, object> = isNamed
      ? { episode: { ...text, description: 'The id that reset has answered.' } }
      : {};
    const named = Object.keys(episode);
    const left: Record<string, object> = isNamed
      ? { episode: { ...text, description: 'An episode that is left for this one.' } }
      : {};
    this.#resets = served.openings.map((opening) => ({
      opening,
      input: object({ ...opening.properties, ...left }, []),
    }));
    this.#begun = object({ observation: text, seed: { type: ['integer', 'null'] }, ...episode }, [
      'observation',
      'seed',
      ...named,
    ]);
    const action = { ...text, description: 'What you do, as the rules say that an action is written.' };
    this.#step = object({ action, ...episode }, ['action', ...named]);
    this.#stepped = object(steppedProperties, steppedRequired);
    this.#actions = object(episode, named);
    this.#listed = object({ actions: { type: ['array', 'null'], items: text } }, ['actions']);
  }

  /** Makes an MCP server for one session or one request; the caller connects it to a transport. */
  serverFor(seat: Seat): McpServer {
    const { name } = this.served;
    const { version } = this.options;
    const instructions = instructionsFor(this.served, this.#named);
    const server = new McpServer({ name: `bowyer-${name}`, version }, { instructions });
    for (const reset of this.#resets) this.#addReset(server, seat, reset);
    this.#addStep(server, seat);
    if (this.served.games.some(({ listsActions }) => listsActions)) this.#addActions(server, seat);
    this.#addRules(server);
    return server;
  }

  #addReset(server: McpServer, seat: Seat, { opening, input }: Reset): void {
    const { tool, description, resetOptions } = opening;
    const config = { description, inputSchema: input, outputSchema: this.#begun, annotations: PLAYS };
    server.registerTool(tool, config, ({ episode: left, ...given }) =>
      answered(async () => {
        const { player, episode } = seat.take(left as string | undefined);
        const drawn = this.options.drawSeed();
        const turn = await player.reset(resetOptions(given, drawn));
        const seed = given.item === undefined ? ((given.seed as number | undefined) ?? drawn) : null;
        const { observation } = turn;
        return [begunText(turn, seed, episode), { observation, seed, ...(episode !== null && { episode }) }];
      }),
    );
  }

  #addStep(server: McpServer, seat: Seat): void {
    const description =
      'Does one action in the running episode. Answers the observation, the reward and whether it ended.';
    const config = { description, inputSchema: this.#step, outputSchema: this.#stepped, annotations: PLAYS };
    server.registerTool('step', config, ({ action, episode }) =>
      answered(async () => {
        const turn = await seat.find(episode as string | undefined).step(action as string);
        return [steppedText(turn), steppedContent(turn)];
      }),
    );
  }

  #addActions(server: McpServer, seat: Seat): void {
    const description = 'Lists the actions that are possible now, where the environment knows them.';
    const annotations = { readOnlyHint: true, openWorldHint: false };
    const config = { description, inputSchema: this.#actions, outputSchema: this.#listed, annotations };
    server.registerTool('actions', config, ({ episode }) =>
      answered(async () => {
        const actions = await seat.find(episode as string | undefined).actions();
        return [
          actions?.join('\n') ?? 'The environment does not list its actions; the rules say how one is written.',
          { actions },
        ];
      }),
    );
  }

  #addRules(server: McpServer): void {
    const { name, description, games } = this.served;
    for (const game of games) {
      const uri = `bowyer://rules/${encodeURIComponent(game.label)}`;
      const metadata = { title: `Rules of ${game.label}`, description: game.description, mimeType: 'text/plain' };
      server.registerResource(`rules-${game.label}`, uri, metadata, () => ({
        contents: [{ uri, mimeType: 'text/plain', text: game.rules }],
      }));
    }
    server.registerPrompt('play', { title: `Play ${name}`, description }, () => ({
      messages: [{ role: 'user', content: { type: 'text', text: playText(this.served) } }],
    }));
  }
}

/** Annotations of the tools that change an episode, as hints for clients: a call changes only its own episode. */
const PLAYS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };

const steppedProperties = {
  observation: text,
  reward: { ...number, description: 'The reward of this step alone.' },
  terminated: { ...flag, description: 'The task ended.' },
  truncated: { ...flag, description: 'A limit cut the episode.' },
  return: { ...number, description: 'Sum of the rewards of the episode.' },
  steps: { type: 'integer', description: 'Steps of the episode.' },
  won: { ...flag, description: 'Absent where the environment does not say.' },
};
const steppedRequired = ['observation', 'reward', 'terminated', 'truncated', 'return', 'steps'];

const steppedContent = ({ episodicReturn, ...turn }: PlayedTurn): Arguments => ({ ...turn, return: episodicReturn });

/** Mistakes of the player and errors of the environment become results, so that a model reads them and continues. */
async function answered(work: () => Promise<[text: string, content: Arguments]>): Promise<CallToolResult> {
  try {
    const [content, structuredContent] = await work();
    return { content: [{ type: 'text', text: content }], structuredContent };
  } catch (error) {
    if (!(error instanceof PlayError)) throw error;
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}
