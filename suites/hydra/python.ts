// Runs tests of Hydra and OmegaConf under the recorder, and returns the recorded calls.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonLines } from '../cases.js';
import { recordPytest } from '../programs.js';
import type { Source } from '../suite.js';

export const pythonSources: readonly Source[] = [
  {
    github: 'facebookresearch/hydra',
    commit: '2c03d1b925fe239e0b67b923699d4027685f198f',
    version: '1.4.0.dev9',
    paths: ['hydra', 'tests', 'build_helpers', 'pytest.ini', 'ATTRIBUTION'],
  },
  {
    github: 'omry/omegaconf',
    commit: '63b63041ed308751a0ce80f017ba1701e920f93f',
    version: '2.4.0.dev14',
    paths: ['omegaconf', 'tests', 'build_helpers'],
  },
  { pip: 'pytest', version: '9.1.1', with: ['PyYAML==6.0.3', 'attrs==26.1.0'] },
];

/** A value with its type, in the form of recorder.py. */
export type Tagged = null | boolean | string | { readonly [tag: string]: unknown };

export interface Recorded {
  readonly test: string;
  readonly kind: string;
  readonly error?: string;
  readonly [field: string]: unknown;
}

/** Makes the parser of a grammar, as the repository's own build does. */
function generate(hydra: string, gen: string, lexer: string, parser: string): void {
  const jar = join(hydra, 'build_helpers/bin/antlr-4.11.1-complete.jar');
  const common = ['-jar', jar, '-Dlanguage=Python3', '-Xexact-output-dir', '-visitor', '-no-listener', '-o', gen];
  execFileSync('java', [...common, lexer]);
  execFileSync('java', [...common, '-lib', gen, parser]);
  for (const name of readdirSync(gen).filter((each) => each.endsWith('.py'))) {
    const file = join(gen, name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll(/^(\s*)from antlr4/gm, '$1from omegaconf.vendor.antlr4'));
  }
}

/** Runs tests; the calls of failed ones are recorded too. */
export async function recorded(
  [hydra, omegaconf, pytest]: readonly string[],
  of: 'hydra' | 'omegaconf',
  tests: readonly string[],
  work: string,
): Promise<Recorded[]> {
  const [overrides, values] = [join(hydra, 'hydra/grammar'), join(omegaconf, 'omegaconf/grammar')];
  generate(hydra, join(overrides, 'gen'), join(overrides, 'OverrideLexer.g4'), join(overrides, 'OverrideParser.g4'));
  generate(
    hydra,
    join(values, 'gen'),
    join(values, 'OmegaConfGrammarLexer.g4'),
    join(values, 'OmegaConfGrammarParser.g4'),
  );
  const file = join(work, 'recorded.jsonl');
  writeFileSync(file, '');
  const [folder, plugins] =
    of === 'hydra' ? [hydra, ['recorder', 'hydra.extra.pytest_plugin']] : [omegaconf, undefined];
  const paths = [hydra, omegaconf, import.meta.dirname];
  const env = { BOWYER_RECORDED: of, BOWYER_RECORDING: file };
  await recordPytest({ folder, python: pytest, given: tests, paths, plugins }, env);
  return jsonLines(readFileSync(file, 'utf8'));
}
