// WebShop: the scripted shopper's episodes as demonstrations; ArCHer's env_load_path and webshop_lower, webshop_upper on a site.
import { webShopDemonstrations, type WebShopInfo, type WebShopOptions } from '@bowyer/envs';
import { demonstrationsOf, recordedReturn, recordOf } from '../episode-record.js';
import type { RunConfig } from '../run-config.js';
import type { DemonstrationSet, EnvironmentKnowledge } from './knowledge.js';

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
  demonstrations,
  warmStartOptions: ({ backend: _, baseUrl: __, actionFormat: ___, timeoutMs: ____, ...decisive }) => decisive,
};

async function demonstrations({ env, demonstrations: { count, path } }: RunConfig): Promise<DemonstrationSet> {
  const { name: _, ...options } = env as unknown as WebShopOptions & { name: string };
  if (path !== null)
    throw new Error(`demonstrations.path: '${path}' is no .jsonl file, the only kind that webshop has`);
  if (options.backend !== 'embedded' || options.observation !== 'archer') {
    throw new Error(
      'webshop has demonstrations only with backend=embedded and observation=archer\n' +
        '  give a file of its own with demonstrations.path=FILE.jsonl, or a policy with policy_lm=FOLDER',
    );
  }
  const records = (await webShopDemonstrations(options, count)).map((transitions) => recordOf(transitions));
  const steps = records.reduce((sum, record) => sum + record.steps.length, 0);
  const meanReturn = records.reduce((sum, record) => sum + recordedReturn(record), 0) / records.length;
  return {
    demonstrations: records.flatMap(demonstrationsOf),
    summary: `${records.length} episodes, ${steps} turns, mean return ${meanReturn.toFixed(3)}`,
    file: {
      name: 'demonstrations.jsonl',
      text: () => records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    },
  };
}
