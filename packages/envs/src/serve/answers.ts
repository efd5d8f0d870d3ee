// What AgentGym's servers answer, family by family: the forms of an id, of an episode's start and of a step.
// Source: AgentGym's servers at 3ef9235; those of textcraft, babyai, lmrlgym and webshop as recorded.
import { agentGymFamilies, type AgentGymFamily, type Family } from '../agentgym/families.js';

/** One instance as its family tells of it. */
export interface Told {
  id: number;
  observation: string;
  /** Of the last step. */
  reward: number;
  /** Sum since the reset. */
  total: number;
  terminated: boolean;
  truncated: boolean;
  info: Readonly<Record<string, unknown>>;
}

export interface Wire extends Pick<Family, 'idField' | 'itemField'> {
  path: string;
  health: string;
  /** Failures as {"error"} with status 200, or as 500 with a plain text. */
  errors: 'field' | 'exception';
  closes: boolean;
  /** Whether /create begins an episode, that of the item with the id's number. */
  startsAtCreate: boolean;
  created: (told: Told) => unknown;
  begun: (told: Told) => unknown;
  stepped: (told: Told) => unknown;
  /** Of GET /observation. */
  observed: (told: Told) => unknown;
  /** Of GET /available_actions. */
  actions: (told: Told) => unknown;
  /** Of GET /available_actions where it is not asked of one instance. */
  allActions?: readonly string[];
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

/** Textcraft's, and what all others are made from. */
const common = {
  errors: 'field',
  startsAtCreate: false,
  created: ({ id }: Told): unknown => ({ id }),
  begun: ({ id, observation }: Told): unknown => ({ id, observation, done: false, reward: 0 }),
  stepped: (told: Told): unknown => ({ observation: told.observation, reward: told.reward, done: done(told) }),
  observed: bareText,
  actions: actionsOf,
} as const;

const scored = {
  ...common,
  begun: ({ observation }: Told): unknown => ({ observation, reward: 0, score: 0, deleted: false, done: false }),
  stepped: (told: Told): unknown => ({
    observation: told.observation,
    reward: told.reward,
    score: told.total,
    done: done(told),
  }),
} as const;

const shop = {
  ...common,
  errors: 'exception',
  created: bareId,
  begun: ({ observation }: Told): unknown => [observation, null],
  stepped: (told: Told): unknown => ({ state: told.observation, reward: told.reward, done: done(told), info: null }),
} as const;

const tool = {
  ...common,
  errors: 'exception',
  created: bareId,
  begun: bareText,
  stepped: (told: Told): unknown => ({ observation: told.observation, reward: told.total, done: done(told) }),
} as const;

type Forms = Omit<Wire, 'idField' | 'itemField' | 'path' | 'health' | 'closes'>;

const forms: Record<AgentGymFamily, Forms> = {
  textcraft: {
    ...common,
    startsAtCreate: true,
    created: ({ id, observation }) => ({ id, observation, done: false, reward: 0 }),
  },
  babyai: { ...scored, observed: scored.begun },
  sciworld: {
    ...scored,
    begun: (told) => ({
      ...(scored.begun(told) as object),
      task_name: '',
      var_num: 0,
      task_description: String(told.info.task ?? ''),
    }),
  },
  alfworld: {
    ...common,
    begun: (told) => ({
      id: told.id,
      observation: told.observation,
      available_actions: actionsOf(told),
      task_type: String(told.info.taskType ?? ''),
    }),
    stepped: (told) => ({ ...(common.stepped(told) as object), available_actions: actionsOf(told) }),
  },
  maze: {
    ...common,
    begun: ({ observation }) => ({ observation }),
    allActions: ['move left', 'move right', 'move up', 'move down'],
  },
  wordle: { ...common, begun: ({ id, observation }) => ({ id, observation }) },
  webshop: { ...shop, actions: ({ info }) => snakeCased(info.availableActions) },
  sqlgym: shop,
  searchqa: { ...tool, stepped: (told) => ({ ...(common.stepped(told) as object), info: null }) },
  webarena: {
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
  },
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
    return { ...forms.babyai, idField: 'id', itemField: 'data_idx', path: '', health, closes: true };
  }
  const { idField, itemField, closes, path = '' }: Family = agentGymFamilies[name];
  const health = names[name] === undefined ? 'ok' : `This is environment ${names[name]}.`;
  return { ...forms[name], idField, itemField, path, health, closes };
}
