import { writeFileSync } from 'node:fs';
import { composed } from './composed.js';
import { shippedConfigs } from './shipped-files.js';
import { optionsOfConfig } from '../src/config/units.js';
import { validateConfig } from '../src/config/validate-config.js';
import { flatValues } from '@bowyer/core';
import { bowyer } from '../src/program.js';
test('dump', async () => {
  const out: Record<string, unknown> = {};
  const names = bowyer([]).flatNames!;
  for (const { config } of shippedConfigs().filter(({ config }) => !config.includes('/'))) {
    try {
      const c = await composed(config);
      const nodes = c.resolve();
      let problem: string | null = null;
      try { await validateConfig(c); } catch (error) { problem = String((error as Error).message).slice(0, 300); }
      const flat: Record<string, unknown> = { ...flatValues(optionsOfConfig(c), nodes) };
      for (const name of Object.keys(names)) { const v = c.pathOf(name) === name ? undefined : c.setting(name); if (v !== undefined && !(name in flat)) flat[name] = v; }
      out[config] = { nodes, flat, problem };
    } catch (error) { out[config] = String((error as Error).stack).slice(0, 400); }
  }
  writeFileSync('/tmp/dump-new.json', JSON.stringify(out, (_, v) => typeof v === 'bigint' ? String(v) : v, 1));
}, 600000);
