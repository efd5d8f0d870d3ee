// WebShop: the scripted shopper's episodes as demonstrations; ArCHer's env_load_path and webshop_lower, webshop_upper on a site.
import { webShopDemonstrations, webShopTexts, type WebShopInfo, type WebShopOptions } from '@bowyer/envs';
import type { RunConfig } from '../run-config.js';
import type { DemonstrationSet, EnvironmentKnowledge } from './knowledge.js';
import { askedOfExpert, playedEpisodes } from './played-episodes.js';

export const webShop: EnvironmentKnowledge = {
  archerKeys: ['envLoadPath'],
  // ArCHer's own goals, 2000 to 2099, are those of its site; the embedded shop has others.
  archerOptions: ({ env, envLoadPath, webshopLower, webshopUpper }) => ({
    baseUrl: env.baseUrl ?? envLoadPath,
    ...(env.backend === 'site' && {
      webshopLower: env.webshopLower ?? webshopLower,
      webshopUpper: env.webshopUpper ?? webshopUpper,
    }),
  }),
  engineText: ({ info }) => (info as WebShopInfo).text,
  vocabulary,
  demonstrations,
  warmStartOptions: ({
    backend: _,
    baseUrl: __,
    actionFormat: ___,
    timeoutMs: ____,
    connections: _____,
    ...decisive
  }) => decisive,
};

/** Goals and products that no demonstration meets are read as well as those that one does. */
function vocabulary({ env }: RunConfig): string[] {
  const options = env as unknown as WebShopOptions;
  return options.backend === 'embedded' ? webShopTexts(options) : [];
}

async function demonstrations(config: RunConfig): Promise<DemonstrationSet> {
  const { name: _, ...options } = config.env as unknown as WebShopOptions & { name: string };
  if (options.backend !== 'embedded' || options.observation === 'text') {
    throw new Error(
      'webshop has demonstrations only with backend=embedded and observation=archer or page\n' +
        '  give a file of its own with demonstrations.path=FILE.jsonl, or a policy with policy_lm=FOLDER',
    );
  }
  return playedEpisodes(await webShopDemonstrations(options, askedOfExpert(config)));
}
