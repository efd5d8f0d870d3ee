// Describes the server of each AgentGym environment in a table: the names in its requests and the meaning of its answers. Source:
// code and recorded answers of AgentGym's servers and clients at commit 3ef9235.
import { alfworldFunctions, sciworldFunctions, webshopFunctions, type FunctionTable } from './functions.js';
import { reactRule, splitRule, sqlRule, wholeRule, wordsRule, type ReplyRule } from './reply-rules.js';

export type ActionFormat = 'react' | 'function_calling' | 'code_as_action' | 'plain';

export interface Family {
  /** The key of the instance's id in all requests except /create. */
  idField: 'id' | 'env_idx';
  itemField: string;
  /** The number of problems in AgentGym's dataset; a large number for environments that generate a problem from any number. */
  items: number;
  createBody?: object;
  resetBody?: object;
  /** Whether the server has /close. Without it, unused instances are kept and used again by later episodes. */
  closes: boolean;
  /** Whether the answer to /reset lacks the first observation, so that the client must request it by GET /observation. */
  asksForStart: boolean;
  /** Returns the observation in an answer to /reset, which is also repeated to the agent if its action cannot be parsed. */
  observed?: (answer: Readonly<Record<string, unknown>>) => string;
  /** The field of the answer to /step with the reward. `isTotal`: it is the sum of the episode so far, not that of one step. */
  worth: { field: 'reward' | 'score'; isTotal: boolean };
  /** Returns whether an episode with this total reward is a success. */
  succeeds: (worth: number) => boolean;
  rounds: number;
  /** The rule that extracts the action from a reply in the format `react`. */
  rule: ReplyRule;
  /** The functions that the agent can call in the formats function_calling and code_as_action; absent if there are none. */
  functions?: FunctionTable;
  /** The path of this environment below the server's address. */
  path?: string;
  /** The path from which the vocabulary is requested once, after /create. The instructions to the agent contain it. */
  vocabularyPath?: string;
}

const isOne = (worth: number): boolean => worth === 1;
const ofStep = { field: 'reward', isTotal: false } as const;

/** Returns the table entry of a tool-use server, whose reward is the share of the subgoals that are reached so far. */
const toolServer = (items: number, rounds: number): Family => ({
  idField: 'env_idx',
  itemField: 'id',
  items,
  createBody: { id: 0 },
  closes: false,
  asksForStart: true,
  worth: { field: 'reward', isTotal: true },
  succeeds: isOne,
  rounds,
  rule: wholeRule,
});

const webarenaRule: ReplyRule = (reply) =>
  /```[^]*?```/.test(reply)
    ? { thought: '', action: reply }
    : { refusal: 'No action was found. Write exactly one action between a pair of triple backticks.' };

export const agentGymFamilies = {
  webshop: {
    idField: 'env_idx',
    itemField: 'session_id',
    items: 3930,
    closes: false,
    asksForStart: true,
    worth: ofStep,
    succeeds: isOne,
    rounds: 10,
    rule: reactRule,
    functions: webshopFunctions,
  },
  alfworld: {
    idField: 'id',
    itemField: 'game',
    items: 2420,
    resetBody: { world_type: 'Text' },
    closes: false,
    asksForStart: false,
    observed: ({ observation, available_actions: actions }) =>
      `${String(observation)}\nAVAILABLE ACTIONS: ${Array.isArray(actions) ? actions.join(',') : ''}`,
    worth: ofStep,
    succeeds: isOne,
    rounds: 30,
    rule: reactRule,
    functions: alfworldFunctions,
  },
  textcraft: {
    idField: 'id',
    itemField: 'data_idx',
    items: 544,
    createBody: { minecraft_dir: 'agentenv_textcraft/', commands: null, goal: null },
    closes: true,
    asksForStart: false,
    worth: ofStep,
    succeeds: isOne,
    rounds: 20,
    rule: wordsRule,
  },
  sciworld: {
    idField: 'id',
    itemField: 'data_idx',
    items: 2120,
    closes: true,
    asksForStart: false,
    // Only the answer to /reset contains the task.
    observed: ({ task_description: task, observation }) =>
      task === undefined ? String(observation) : `${String(task)}\n${String(observation)}`,
    worth: { field: 'score', isTotal: true },
    succeeds: (worth) => worth === 100,
    rounds: 30,
    rule: reactRule,
    functions: sciworldFunctions,
  },
  babyai: {
    idField: 'id',
    itemField: 'data_idx',
    items: 4000,
    closes: true,
    asksForStart: false,
    worth: { field: 'score', isTotal: true },
    succeeds: (worth) => worth > 0, // rewards are discounted by time and stay below 1
    rounds: 20,
    rule: wordsRule,
  },
  webarena: {
    idField: 'env_idx',
    itemField: 'idx',
    items: 812,
    resetBody: { seed: 0 },
    closes: true,
    asksForStart: true,
    worth: ofStep,
    succeeds: isOne,
    rounds: 25,
    rule: webarenaRule,
  },
  maze: {
    idField: 'id',
    itemField: 'game',
    items: 25, // game 25 starts at its goal and cannot be reset
    closes: false,
    asksForStart: false,
    worth: ofStep,
    succeeds: isOne,
    rounds: 15,
    rule: splitRule,
    path: '/maze',
  },
  wordle: {
    idField: 'id',
    itemField: 'seed',
    items: 1000,
    closes: false,
    asksForStart: false,
    worth: ofStep,
    succeeds: isOne,
    rounds: 8,
    rule: splitRule,
    path: '/wordle',
    vocabularyPath: '/filtered_vocab',
  },
  searchqa: {
    idField: 'env_idx',
    itemField: 'id',
    items: 51_713,
    createBody: { id: 0 },
    closes: true,
    asksForStart: true,
    worth: ofStep,
    succeeds: isOne,
    rounds: 10,
    rule: wholeRule,
  },
  sqlgym: {
    idField: 'env_idx',
    itemField: 'item_id',
    items: 9428,
    closes: false,
    asksForStart: true,
    worth: ofStep,
    succeeds: isOne,
    rounds: 1,
    rule: sqlRule,
  },
  weather: toolServer(343, 10),
  movie: toolServer(238, 12),
  todo: toolServer(155, 15),
  academia: toolServer(20, 12),
  sheet: toolServer(20, 15),
} as const satisfies Record<string, Family>;

export type AgentGymFamily = keyof typeof agentGymFamilies;

export const familyOf = (name: AgentGymFamily): Family => agentGymFamilies[name];
