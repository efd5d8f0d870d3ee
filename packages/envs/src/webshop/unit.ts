import { listedHistory, servedOffer } from '../context/context-options.js';
import { agentGymNames, missingAddress } from '../agentgym/backend.js';
import { instructionsOf } from '../agentgym/instructions.js';
import { agentGymEnv } from '../agentgym/agentgym-env.js';
import { expertNoiseSchema, playedOptions, playedSet, type ExpertNoise } from '../played-demonstrations.js';
import { defineEnvironment } from '../define-environment.js';
import { resetSchemaWith, type Condition, type EnvProblem } from '../unit.js';
import { webShopDemonstrations, webShopTexts } from './demonstrations.js';
import { webShopSplits } from './splits.js';
import { webShopSchema, type WebShopOptions } from './options.js';
import { WebShop, type WebShopInfo } from './webshop.js';

const embedded: Condition = { backend: ['embedded'] };
const onSite: Condition = { backend: ['site'] };
const served: Condition = { backend: ['agentgym'] };
const remote: Condition = { backend: ['site', 'agentgym'] };
const ownCatalogue: Condition = { ...embedded, products: [null] };

export const webShopUnit = defineEnvironment<WebShopOptions, ExpertNoise>({
  name: 'webshop',
  description: 'A shop to search, browse and buy in, as an instruction asks.',
  rules: ({ actionFormat }) => instructionsOf('webshop', actionFormat, null),
  schema: webShopSchema,
  resetSchema: resetSchemaWith({
    goal: { description: 'Index of the goal to shop for.', type: 'integer', minimum: 0 } as { description: string },
  }),
  make: (options) => (options.backend === 'agentgym' ? servedShop(options) : new WebShop(options)),
  splits: webShopSplits,
  // A page shows the effects of all earlier turns and the instruction, so that it suffices as the agent's context.
  context: ({ backend, observation }) => {
    if (backend === 'agentgym') return servedOffer;
    if (observation === 'archer') return listedHistory;
    const kind = observation === 'page' ? 'last' : 'dialogue';
    return { observation: 'turn', kind, parts: ['taskDescription', 'validActions'] };
  },
  sampleActions: [
    'search[dress shirts with long sleeve]',
    'search[]',
    'click[Back to Search]',
    'click[< Prev]',
    'click[Buy Now]',
    'think[what next?]',
    'look',
    '',
  ],
  // The return is the score, from 0 to 1. A policy after supervised training on half-random demonstrations earns about 0.4.
  critic: { typicalReturn: () => 0.4 },
  config: {
    // ArCHer's default range of goals, 2000 to 2099, is for its site only: the built-in shop has other goals.
    flatNames: {
      env_load_path: 'baseUrl',
      ...agentGymNames,
      webshop_lower: 'webshopLower',
      webshop_upper: 'webshopUpper',
    },
    readWith: {
      baseUrl: remote,
      webshopLower: onSite,
      webshopUpper: onSite,
      actionFormat: served,
      timeoutMs: remote,
      connections: remote,
      testItems: served,
      observation: { backend: ['embedded', 'site'] },
      products: embedded,
      attributes: embedded,
      goals: embedded,
      goalKind: embedded,
      productLimit: embedded,
      indexDir: embedded,
      numProducts: ownCatalogue,
      numGoals: ownCatalogue,
      catalogueSeed: embedded,
    },
    problems: (options) => [...missingAddress('webshop', options), ...missingSite(options)],
  },
  tokens: {
    vocabulary: (options) => (options.backend === 'embedded' ? webShopTexts(options) : []),
    // Product ids are split into several tokens: as single ones, an agent could write only ids of the training data.
    spells: 'codes',
  },
  replay: { engineText: ({ info }) => (info as WebShopInfo).text },
  demonstrations: {
    schema: expertNoiseSchema,
    revision: 3, // was raised when product numbers were split into pairs
    make: async (options, request) => playedSet(await webShopDemonstrations(options, playedOptions(request))),
    problem: ({ backend, observation }) =>
      backend === 'embedded' && observation !== 'text'
        ? null
        : 'webshop has demonstrations only with backend=embedded and observation=archer or page',
    independentOf: ['backend', 'baseUrl', 'actionFormat', 'timeoutMs', 'connections', 'testItems'],
  },
});

function missingSite({ backend, baseUrl }: WebShopOptions): EnvProblem[] {
  if (backend !== 'site' || baseUrl !== null) return [];
  return [
    {
      key: 'env.base_url',
      message: 'env.base_url is null: webshop is played on a site with env.backend=site, and none is named',
      remedy: 'give its address: env.base_url=http://HOST:PORT',
    },
  ];
}

function servedShop(options: WebShopOptions) {
  const { baseUrl, actionFormat, timeoutMs, connections, maxTurns, webshopLower, webshopUpper } = options;
  const firstItem = webshopLower ?? 0;
  return agentGymEnv('webshop', {
    baseUrl,
    actionFormat,
    timeoutMs,
    connections,
    firstItem,
    items: webshopUpper === null ? null : webshopUpper - firstItem,
    instructions: actionFormat !== 'plain',
    maxRounds: maxTurns,
  });
}
