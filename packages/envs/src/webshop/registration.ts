import { agentGymEnv } from '../agentgym/options.js';
import { resetSchemaWith, type Registration } from '../registration.js';
import { webShopSchema, type WebShopOptions } from './options.js';
import { WebShop } from './webshop.js';

export const webShopRegistration: Registration<WebShopOptions> = {
  description: 'A shop to search, browse and buy in, as an instruction asks.',
  schema: webShopSchema,
  resetSchema: resetSchemaWith({
    goal: { description: 'Index of the goal to shop for.', type: 'integer', minimum: 0 } as { description: string },
  }),
  make: (options) => (options.backend === 'agentgym' ? served(options) : new WebShop(options)),
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
};

function served(options: WebShopOptions) {
  const { baseUrl, actionFormat, timeoutMs, connections, maxTurns, webshopLower, webshopUpper } = options;
  const firstItem = webshopLower ?? 0;
  return agentGymEnv('webshop', {
    ...{ baseUrl, actionFormat, timeoutMs, connections, firstItem },
    items: webshopUpper === null ? null : webshopUpper - firstItem,
    instructions: actionFormat !== 'plain',
    maxRounds: maxTurns,
  });
}
