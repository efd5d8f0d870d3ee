// Runs OpenResponses' compliance tests, by Bun as their authors do.
import { join } from 'node:path';
import { linkPackages, outputOf } from '../programs.js';
import { writeScriptedModel } from '../scripted-model.js';
import { withServer } from '../serve.js';
import type { CaseResult, Suite } from '../suite.js';

interface Report {
  results: { id: string; status: CaseResult['outcome']; errors?: string[] }[];
}

const suite: Suite = {
  title: 'OpenResponses compliance',
  against: '`serve_model`, `/v1/responses`',
  sources: [
    {
      github: 'openresponses/openresponses',
      commit: '92c12d96d7b61d6d15e2214daa5e9c6000ab6e1c',
      version: 'main of 14 July 2026',
      paths: ['bin', 'src/lib', 'src/generated', 'package.json', 'tsconfig.json'],
    },
    { npm: 'bun', version: '1.4.5', with: ['zod@3.25.76'] },
  ],
  inCheck: false,
  notes: '`bin/compliance-test.ts` is run by Bun.',
  async run({ folders: [tests, installed], work }) {
    linkPackages(tests, installed);
    const model = await writeScriptedModel(join(work, 'model'), [
      { to: 'weather', says: [['get_weather', { location: 'San Francisco' }]] },
    ]);
    const bun = join(installed, `node_modules/@oven/bun-${process.platform}-${process.arch}/bin/bun`);
    const report = await withServer(model, { max_new_tokens: 2000 }, ({ origin }) =>
      outputOf(
        [bun, 'bin/compliance-test.ts', '--json', '--model', 'tiny', '--api-key', 'any', '--base-url', `${origin}/v1`],
        tests,
      ),
    );
    const { results } = JSON.parse(report) as Report;
    return results.map(({ id, status, errors }) => ({ name: id, outcome: status, detail: errors?.join('; ') }));
  },
};
export default suite;
