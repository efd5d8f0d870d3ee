import { resetSchemaWith, type Registration } from '../registration.js';
import {
  textWorldExpressDescriptions,
  textWorldExpressGames,
  textWorldExpressSampleActions,
  type TextWorldExpressGame,
} from './descriptions.js';
import { textWorldExpressSchema, type TextWorldExpressOptions } from './options.js';
import { TextWorldExpress } from './textworld-express.js';

const { fold, params, stepLimit } = textWorldExpressSchema.properties;

/** One environment a game, all with the same options. */
export const textWorldExpressRegistrations = Object.fromEntries(
  textWorldExpressGames.map((game): [TextWorldExpressGame, Registration<TextWorldExpressOptions>] => [
    game,
    {
      description: textWorldExpressDescriptions[game],
      schema: textWorldExpressSchema,
      resetSchema: resetSchemaWith({ fold, params, stepLimit }),
      make: (options) => new TextWorldExpress(game, options),
      sampleActions: textWorldExpressSampleActions,
    },
  ]),
) as Record<TextWorldExpressGame, Registration<TextWorldExpressOptions>>;
