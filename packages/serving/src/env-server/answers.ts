// What AgentGym's servers answer, family by family: the forms of an id, of an episode's start and of a step.
// Source: AgentGym's servers at 3ef9235; those of textcraft, babyai, lmrlgym and webshop as recorded.
import { agentGymFamilies, type AgentGymFamily, type Family } from '@bowyer/envs';

/** One instance as its family tells of it. */
export interface Told {
  id: number;
  observation: string;
  /** The observation after the reset. */
  start: string;
  /** Of the last step. */
  reward: number;
  /** Sum since the reset. */
  total: number;
  terminated: boolean;
  truncated: boolean;
  info: Readonly<Record<string, unknown>>;
}

/** A status and a body; text is sent as it is, anything else as JSON. */
export interface Answer {
  status: number;
  json?: unknown;
  text?: string;
  retryAfterS?: number;
}

export const ok = (json: unknown): Answer => ({ status: 200, json });
export const notFound: Answer = { status: 404, json: { detail: 'Not Found' } };
export const serverError: Answer = { status: 500, text: 'Internal Server Error' };

/** How one family's server differs from the others. */
interface Forms {
  /** Failures as {"error"} with status 200, or as 500 with a plain text. */
  errors: 'field' | 'exception';
  /** Whether /create begins an episode, that of the item with the id's number. */
  startsAtCreate: boolean;
  /** Whether /create without a JSON body is refused. */
  createNeedsBody: boolean;
  /** Whether steps after the end go on, instead of being refused. */
  goesOn: boolean;
  /** A reset without a number: refused, the first problem, or any. */
  noItem: 'refused' | 'first' | 'any';
  /** Whether /reset asks for world_type. */
  asksWorldType: boolean;
  /** What GET /observation says before the first reset, where that is no failure. */
  unplayedText?: string;
  created: (told: Told) => unknown;
  begun: (told: Told) => unknown;
  stepped: (told: Told) => unknown;
  /** Of GET routes that ask for one instance, by name. */
  forms: Readonly<Record<string, (told: Told) => unknown>>;
  /** Of GET routes that always answer the same. */
  fixed: Readonly<Record<string, Answer>>;
}

export interface Wire extends Forms, Pick<Family, 'idField' | 'itemField'> {
  path: string;
  health: string;
  closes: boolean;
}

const done = ({ terminated, truncated }: Told): boolean => terminated || truncated;
const bareId = ({ id }: Told): unknown => id;
const bareText = ({ observation }: Told): unknown => observation;
const actionsOf = ({ info }: Told): unknown => (Array.isArray(info.validActions) ? info.validActions : []);

/** {hasSearchBar, clickables} as {has_search_bar, clickables}. */
function snakeCased(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? [];
  const entries = Object.entries(value).map(([key, part]: [string, unknown]) => {
    const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [name, part];
  });
  return Object.fromEntries(entries) as unknown;
}

const detail = (told: Told): object => ({
  observation: told.observation,
  done: done(told),
  reward: told.reward,
  deleted: false,
});

/** What most are made from. */
const common: Forms = {
  errors: 'field',
  startsAtCreate: false,
  createNeedsBody: false,
  goesOn: false,
  noItem: 'refused',
  asksWorldType: false,
  created: ({ id }) => ({ id }),
  begun: ({ id, observation }) => ({ id, observation, done: false, reward: 0 }),
  stepped: (told) => ({ observation: told.observation, reward: told.reward, done: done(told) }),
  forms: { observation: bareText, detail, available_actions: actionsOf },
  fixed: {},
};

const textcraft: Forms = {
  ...common,
  startsAtCreate: true,
  createNeedsBody: true,
  goesOn: true,
  noItem: 'first',
  created: ({ id, observation }) => ({ id, observation, done: false, reward: 0 }),
  forms: { observation: bareText, detail },
  fixed: { commands: serverError, goal: serverError },
};

/** The observation of now below the goal that the reset told. */
function withGoal({ observation, start }: Told): string {
  const [goal] = start.split('\n', 1);
  return !goal.startsWith('Your goal:') || observation.startsWith(goal) ? observation : `${goal}\n${observation}`;
}

const scoreForm = (told: Told): object => ({
  observation: told.observation,
  reward: told.reward,
  score: told.total,
  done: done(told),
});

const scored: Forms = {
  ...common,
  begun: (told) => ({ ...scoreForm(told), deleted: false }),
  stepped: scoreForm,
  forms: {
    ...common.forms,
    observation: (told) => ({ ...scoreForm({ ...told, observation: withGoal(told) }), deleted: false }),
  },
};

const shop: Forms = {
  ...common,
  errors: 'exception',
  goesOn: true,
  created: bareId,
  begun: ({ observation }) => [observation, null],
  stepped: (told) => ({ state: told.observation, reward: told.reward, done: done(told), info: null }),
  forms: { observation: bareText },
};

const webshop: Forms = {
  ...shop,
  noItem: 'any',
  forms: {
    ...shop.forms,
    available_actions: ({ info }) => snakeCased(info.availableActions),
    instruction_text: ({ info }) => `Instruction: ${String(info.instruction ?? '')}`,
    // Upstream's handler unpacks a dict, so the values are the names.
    state: () => ({ url: 'url', html: 'html', instruction_text: 'instruction_text' }),
  },
};

const tool: Forms = {
  ...common,
  errors: 'exception',
  noItem: 'any',
  created: bareId,
  begun: bareText,
  stepped: (told) => ({ observation: told.observation, reward: told.total, done: done(told) }),
  forms: { observation: bareText },
};

const alfworld: Forms = {
  ...common,
  asksWorldType: true,
  begun: (told) => ({
    id: told.id,
    observation: told.observation,
    available_actions: actionsOf(told),
    task_type: String(told.info.taskType ?? ''),
  }),
  stepped: (told) => ({ ...(common.stepped(told) as object), available_actions: actionsOf(told) }),
  forms: {
    ...common.forms,
    detail: (told) => ({ world_type: 'Text', available_actions: actionsOf(told), ...detail(told) }),
  },
};

const sciworld: Forms = {
  ...scored,
  begun: (told) => ({
    ...(scored.begun(told) as object),
    task_name: '',
    var_num: 0,
    task_description: String(told.info.task ?? ''),
  }),
  forms: { observation: bareText, detail },
};

const webarena: Forms = {
  ...tool,
  created: ({ id }) => ({ env_idx: id }),
  begun: ({ observation }) => ({ observation, sites: [], object: '' }),
  stepped: ({ observation, reward, terminated, truncated }) => ({
    ...{ observation, reward, terminated, truncated },
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
  sqlgym: { ...shop, goesOn: false },
  searchqa: { ...tool, stepped: (told) => ({ ...(common.stepped(told) as object), info: null }) },
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

export const isFamily = (name: string): name is AgentGymFamily => Object.hasOwn(agentGymFamilies, name);

/** How an environment is served: as AgentGym serves it, or in babyai's forms where AgentGym does not. */
export function wireOf(name: string): Wire {
  if (!isFamily(name)) {
    const health = `This is environment ${name}.`;
    return { ...scored, noItem: 'any', idField: 'id', itemField: 'data_idx', path: '', health, closes: true };
  }
  const { idField, itemField, closes, path = '' }: Family = agentGymFamilies[name];
  const health = names[name] === undefined ? 'ok' : `This is environment ${names[name]}.`;
  return { ...families[name], idField, itemField, path, health, closes };
}
