// Writes the answers of environment servers that speak AgentGym's HTTP protocol. AgentGym has a server for each family of
// environments, and these servers differ in the JSON of an id, of the beginning of an episode and of a step. Source: AgentGym's
// servers at commit 3ef9235; for textcraft, babyai, lmrlgym and webshop, recorded answers of the running servers.
import { agentGymFamilies, type AgentGymFamily, type Family } from '@bowyer/envs';
import type { HttpAnswer } from '../http/http-listener.js';

/** The state of one environment instance, from which the answers about it are written. */
export interface InstanceState {
  id: number;
  observation: string;
  /** The observation after the reset. */
  start: string;
  /** The reward of the last step. */
  reward: number;
  /** The sum of the rewards since the reset. */
  total: number;
  terminated: boolean;
  truncated: boolean;
  info: Readonly<Record<string, unknown>>;
}

export const ok = (json: unknown): HttpAnswer => ({ status: 200, json });
export const notFound: HttpAnswer = { status: 404, json: { detail: 'Not Found' } };
export const serverError: HttpAnswer = { status: 500, text: 'Internal Server Error' };

/** How the server of one AgentGym family differs from those of the other families. */
interface Forms {
  /** How failures are reported: as {"error"} with status 200, or as status 500 with plain text. */
  errors: 'field' | 'exception';
  /** Whether /create also begins an episode, with the item (numbered problem) whose number is the instance's id. */
  startsAtCreate: boolean;
  /** Whether /create without a JSON body is refused. */
  createNeedsBody: boolean;
  /** Whether steps after the end of an episode continue it instead of being refused. */
  continuesAfterEnd: boolean;
  /** The result of a reset without an item's number: it is refused, begins the first item, or begins any item. */
  noItem: 'refused' | 'first' | 'any';
  asksWorldType: boolean;
  /** The answer to GET /observation before the first reset; absent where this is an error. */
  unplayedText?: string;
  created: (state: InstanceState) => unknown;
  begun: (state: InstanceState) => unknown;
  stepped: (state: InstanceState) => unknown;
  /** The functions that write the answers of GET routes about one instance, by the routes' names. */
  forms: Readonly<Record<string, (state: InstanceState) => unknown>>;
  /** The answers of GET routes that are always the same. */
  fixed: Readonly<Record<string, HttpAnswer>>;
}

export interface Wire extends Forms, Pick<Family, 'idField' | 'itemField'> {
  path: string;
  health: string;
  closes: boolean;
}
export const hasEnded = ({ terminated, truncated }: InstanceState): boolean => terminated || truncated;

const bareId = ({ id }: InstanceState): unknown => id;
const bareText = ({ observation }: InstanceState): unknown => observation;
const actionsOf = ({ info }: InstanceState): unknown => (Array.isArray(info.validActions) ? info.validActions : []);

function snakeCased(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? [];
  const entries = Object.entries(value).map(([key, part]: [string, unknown]) => {
    const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [name, part];
  });
  return Object.fromEntries(entries) as unknown;
}

const detail = (state: InstanceState): object => ({
  observation: state.observation,
  done: hasEnded(state),
  reward: state.reward,
  deleted: false,
});

/** The behaviour that most families share; those of single families override parts of it. */
const common: Forms = {
  errors: 'field',
  startsAtCreate: false,
  createNeedsBody: false,
  continuesAfterEnd: false,
  noItem: 'refused',
  asksWorldType: false,
  created: ({ id }) => ({ id }),
  begun: ({ id, observation }) => ({ id, observation, done: false, reward: 0 }),
  stepped: (state) => ({ observation: state.observation, reward: state.reward, done: hasEnded(state) }),
  forms: { observation: bareText, detail, available_actions: actionsOf },
  fixed: {},
};

const textcraft: Forms = {
  ...common,
  startsAtCreate: true,
  createNeedsBody: true,
  continuesAfterEnd: true,
  noItem: 'first',
  created: ({ id, observation }) => ({ id, observation, done: false, reward: 0 }),
  forms: { observation: bareText, detail },
  fixed: { commands: serverError, goal: serverError },
};

/** Puts the first line with the goal, as in the observation after the reset, in front if it is missing. */
function withGoal({ observation, start }: InstanceState): string {
  const [goal] = start.split('\n', 1);
  return !goal.startsWith('Your goal:') || observation.startsWith(goal) ? observation : `${goal}\n${observation}`;
}

const scoreForm = (state: InstanceState): object => ({
  observation: state.observation,
  reward: state.reward,
  score: state.total,
  done: hasEnded(state),
});

const scored: Forms = {
  ...common,
  begun: (state) => ({ ...scoreForm(state), deleted: false }),
  stepped: scoreForm,
  forms: {
    ...common.forms,
    observation: (state) => ({ ...scoreForm({ ...state, observation: withGoal(state) }), deleted: false }),
  },
};

const shop: Forms = {
  ...common,
  errors: 'exception',
  continuesAfterEnd: true,
  created: bareId,
  begun: ({ observation }) => [observation, null],
  stepped: (state) => ({ state: state.observation, reward: state.reward, done: hasEnded(state), info: null }),
  forms: { observation: bareText },
};

const webshop: Forms = {
  ...shop,
  noItem: 'any',
  forms: {
    ...shop.forms,
    available_actions: ({ info }) => snakeCased(info.availableActions),
    instruction_text: ({ info }) => `Instruction: ${String(info.instruction ?? '')}`,
    // These values equal their names because AgentGym's handler unpacks a dict, which yields its keys.
    state: () => ({ url: 'url', html: 'html', instruction_text: 'instruction_text' }),
  },
};

const tool: Forms = {
  ...common,
  errors: 'exception',
  noItem: 'any',
  created: bareId,
  begun: bareText,
  stepped: (state) => ({ observation: state.observation, reward: state.total, done: hasEnded(state) }),
  forms: { observation: bareText },
};

const alfworld: Forms = {
  ...common,
  asksWorldType: true,
  begun: (state) => ({
    id: state.id,
    observation: state.observation,
    available_actions: actionsOf(state),
    task_type: String(state.info.taskType ?? ''),
  }),
  stepped: (state) => ({ ...(common.stepped(state) as object), available_actions: actionsOf(state) }),
  forms: {
    ...common.forms,
    detail: (state) => ({ world_type: 'Text', available_actions: actionsOf(state), ...detail(state) }),
  },
};

const sciworld: Forms = {
  ...scored,
  begun: (state) => ({
    ...(scored.begun(state) as object),
    task_name: '',
    var_num: 0,
    task_description: String(state.info.task ?? ''),
  }),
  forms: { observation: bareText, detail },
};

const webarena: Forms = {
  ...tool,
  created: ({ id }) => ({ env_idx: id }),
  begun: ({ observation }) => ({ observation, sites: [], object: '' }),
  stepped: ({ observation, reward, terminated, truncated }) => ({
    observation,
    reward,
    terminated,
    truncated,
    info: null,
  }),
};

const moves = ['move left', 'move right', 'move up', 'move down'];

const families: Record<AgentGymFamily, Forms> = {
  textcraft,
  babyai: { ...scored, unplayedText: 'Environment not initialized' },
  sciworld,
  alfworld,
  maze: { ...common, begun: ({ observation }) => ({ observation }), fixed: { available_actions: ok(moves) } },
  wordle: { ...common, begun: ({ id, observation }) => ({ id, observation }) },
  webshop,
  sqlgym: { ...shop, continuesAfterEnd: false },
  searchqa: { ...tool, stepped: (state) => ({ ...(common.stepped(state) as object), info: null }) },
  webarena,
  weather: tool,
  movie: tool,
  todo: tool,
  academia: tool,
  sheet: tool,
};

const names: Partial<Record<AgentGymFamily, string>> = {
  textcraft: 'TextCraft',
  babyai: 'BabyAI',
  alfworld: 'AlfWorld',
  sciworld: 'ScienceWorld',
  maze: 'LMRL-Gym',
  wordle: 'LMRL-Gym',
};

const isFamily = (name: string): name is AgentGymFamily => Object.hasOwn(agentGymFamilies, name);

/** Returns the routes and forms of an environment's AgentGym family, or those of babyai where AgentGym does not have it. */
export function wireOf(name: string): Wire {
  if (!isFamily(name)) {
    const health = `This is environment ${name}.`;
    return { ...scored, noItem: 'any', idField: 'id', itemField: 'data_idx', path: '', health, closes: true };
  }
  const { idField, itemField, closes, path = '' }: Family = agentGymFamilies[name];
  const health = names[name] === undefined ? 'ok' : `This is environment ${names[name]}.`;
  return { ...families[name], idField, itemField, path, health, closes };
}
