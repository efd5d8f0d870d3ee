import { contextParts } from '../context/context-options.js';
import { defineEnvironment } from '../define-environment.js';
import { resetSchemaWith } from '../unit.js';
import { expertSlipsSchema, playedSet, type ExpertSlips } from '../played-demonstrations.js';
import { textWorldExpressDemonstrations } from './demonstrations.js';
import {
  textWorldExpressDescriptions,
  textWorldExpressGames,
  textWorldExpressSampleActions,
  type TextWorldExpressGame,
} from './descriptions.js';
import { textWorldExpressSplits } from './splits.js';
import { textWorldExpressSchema, type TextWorldExpressOptions } from './options.js';
import { TextWorldExpress } from './textworld-express.js';

const { params, stepLimit } = textWorldExpressSchema.properties;
const fold = {
  description: 'Fold of the world (train, dev or test), instead of that of the options.',
  type: 'string',
  enum: ['train', 'dev', 'test'],
};

/** The difference of successive worlds' seeds; large, since adjacent seeds of Java's generator begin with similar draws. */
const SEED_STEP = 123_456;

const unitOf = (name: TextWorldExpressGame) =>
  defineEnvironment<TextWorldExpressOptions, ExpertSlips>({
    name,
    description: textWorldExpressDescriptions[name],
    schema: textWorldExpressSchema,
    resetSchema: resetSchemaWith({ fold, params, stepLimit }),
    make: (options) => new TextWorldExpress(name, options),
    splits: (options) => textWorldExpressSplits(name, options),
    context: () => ({ observation: 'turn', kind: 'dialogue', parts: contextParts }),
    sampleActions: textWorldExpressSampleActions,
    // The largest return is 1. Random valid actions earn less than half of it in most games.
    critic: { typicalReturn: () => 0.4 },
    demonstrations: {
      schema: expertSlipsSchema,
      make: async (options, { count: episodes, seed, slips, split = 'train' }) => {
        const { fold, params, stepLimit, contentDir, showValidActions } = options;
        const plan = textWorldExpressSplits(name, options);
        const items = new Map<number, string>();
        const played = await textWorldExpressDemonstrations(
          name,
          {
            fold: fold ?? 'train',
            params,
            stepLimit,
            contentDir,
            showValidActions,
            episodes,
            seedStep: SEED_STEP,
            slips,
            slipSeed: seed,
          },
          (seed) => {
            const { reset, item } = plan.choose({ split, seed });
            items.set(reset.seed, String(item));
            return reset;
          },
        );
        return playedSet(
          played.map(({ seed, transitions: [first, ...rest] }) => [
            { ...first, info: { ...first.info, item: items.get(seed) } },
            ...rest,
          ]),
        );
      },
    },
  });

/** The environments of all games, by name. They have the same options. */
export const textWorldExpressUnits = Object.fromEntries(
  textWorldExpressGames.map((name) => [name, unitOf(name)]),
) as Record<TextWorldExpressGame, ReturnType<typeof unitOf>>;
