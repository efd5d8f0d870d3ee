import { listedHistory, servedOffer } from '../context/context-options.js';
import { backendOptionNames, playedHereOrServed } from '../agentgym/backend.js';
import { ResumableReactReplies } from '../agentgym/react-replies.js';
import { reactLine, wordsRule } from '../agentgym/reply-rules.js';
import { servedSplits } from '../agentgym/splits.js';
import {
  expertNoiseSchema,
  expertSlipsSchema,
  expertStraysSchema,
  playedOptions,
  playedSet,
  type ExpertNoise,
  type ExpertSlips,
  type ExpertStrays,
} from '../played-demonstrations.js';
import { defineEnvironment } from '../define-environment.js';
import { resetSchemaWith, type EnvProblem } from '../unit.js';
import { textCraftDemonstrations, textCraftExpertSchema, type TextCraftExpert } from './demonstrations.js';
import { textCraftSchema, type TextCraftOptions } from './options.js';
import { textCraftSplits } from './splits.js';
import { itemTexts, TextCraft } from './textcraft.js';

const dataIdx = { description: "The goal, counted as AgentGym's data_idx.", type: 'integer' } as const;

/**
 * Returns the options of the built-in game in which the expert plays. AgentGym's server itself is not used for demonstrations:
 * the expert then plays the built-in game with the server's observations, which contain only the answer to the last action.
 */
const asPlayed = <Options extends TextCraftOptions>(options: Options): Options =>
  options.backend === 'agentgym' ? { ...options, observation: 'turn' } : options;

/** Reports `observation: history` with the ReAct format as an error, since a history repeats actions without thoughts. */
const thoughtsInHistory = ({ backend, actionFormat, observation }: TextCraftOptions): EnvProblem[] =>
  backend === 'embedded' && actionFormat === 'react' && observation === 'history'
    ? [
        {
          key: 'env.action_format',
          message:
            'env.action_format=react with env.observation=history: the history has actions without their thoughts',
          remedy: 'write env.observation=turn; the dialogue then has every reply as it was given',
        },
      ]
    : [];

export const textCraftUnit = defineEnvironment<
  TextCraftOptions,
  ExpertNoise & ExpertSlips & ExpertStrays & TextCraftExpert
>({
  name: 'textcraft',
  description: 'Craft an item of Minecraft by listed recipes from things that can be fetched (AgentGym).',
  resetSchema: resetSchemaWith({ dataIdx }),
  ...playedHereOrServed<TextCraftOptions>('textcraft', textCraftSchema, {
    limit: 'stepLimit',
    make: (options) => {
      const game = new TextCraft(options);
      const aloud = () => {
        const { thought, action } = game.expertAction();
        return reactLine(thought, action);
      };
      return options.actionFormat === 'react' ? new ResumableReactReplies(game, wordsRule, aloud) : game;
    },
    flatNames: { env_idx: 'goal' },
    readWith: { actionFormat: {} }, // every backend reads this option
    problems: thoughtsInHistory,
  }),
  hasExpert: ({ backend }) => backend === 'embedded',
  splits: (options) => (options.backend === 'agentgym' ? servedSplits('textcraft', options) : textCraftSplits(options)),
  evaluation: { taskType: ({ depth }) => (depth === undefined ? null : `depth ${String(depth)}`) },
  context: ({ backend, observation, actionFormat }) => {
    if (backend === 'agentgym') return servedOffer;
    // In the ReAct format ('Thought: … Action: …'), the observation has no line for the list of valid actions.
    const texts = ['taskDescription', 'inventory'] as const;
    if (actionFormat === 'react') return { observation: 'turn', kind: 'dialogue', parts: texts };
    const parts = [...texts, 'validActions'] as const;
    return observation === 'history' ? listedHistory : { observation, kind: 'dialogue', parts };
  },
  sampleActions: [
    'inventory',
    'get 2 stick',
    'get 8 glass',
    'get 1 bone',
    'craft 3 bone meal using 1 bone',
    'dance',
    '',
  ],
  tokens: { vocabulary: (options) => (options.backend === 'embedded' ? itemTexts(options) : []) },
  // An episode returns 1 if the goal is reached, else 0. A policy after supervised training on demonstrations reaches 0.6 of the
  // goals in 15 actions, which is a return of 0.3 with a discount of 0.95.
  critic: { typicalReturn: () => 0.3 },
  // The recorded games are from AgentGym's server, which has no limit of steps.
  replay: { options: { observation: 'turn', stepLimit: Number.MAX_SAFE_INTEGER } },
  demonstrations: {
    schema: {
      ...expertNoiseSchema,
      properties: {
        ...expertNoiseSchema.properties,
        ...expertSlipsSchema.properties,
        ...expertStraysSchema.properties,
        ...textCraftExpertSchema,
      },
    },
    make: async (options, { renamed, order, ...request }) =>
      playedSet(await textCraftDemonstrations(asPlayed(options), { ...playedOptions(request), renamed, order })),
    revision: 7, // raised when the inventory was added to the text of each turn
    independentOf: backendOptionNames.filter((name) => name !== 'backend' && name !== 'actionFormat'),
  },
});
