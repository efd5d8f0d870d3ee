import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { recordPytest } from '../programs.js';
import type { Suite } from '../suite.js';
import { repeatedCases } from './repeated.js';

const suite: Suite = {
  title: 'tokenizers',
  against: '`@bowyer/text`',
  sources: [
    { pip: 'tokenizers', version: '0.23.2', with: ['pytest==9.1.1', 'numpy'] },
    {
      github: 'huggingface/tokenizers',
      commit: '3ba8ad0061a885baf052bbb7bbd22857e73e0c4e',
      version: '0.23.2-dev',
      paths: ['bindings/python/tests'],
    },
  ],
  inCheck: false,
  notes:
    "The tests of the library's Python package run as they are, offline, while a plugin records each normalizer, pre-tokenizer, decoder and tokenizer that they use, with its input and output; " +
    'each is also given 16 further texts. The recorded calls are repeated here. Tests that download files of the hub record nothing.',
  async run({ folders: [python, repository], work }) {
    const tests = join(work, 'python');
    cpSync(join(repository, 'bindings/python'), tests, { recursive: true });
    const file = join(work, 'recorded.jsonl');
    const given = ['--continue-on-collection-errors', '--ignore=tests/test_benchmarks.py', 'tests'];
    const env = { BOWYER_RECORD: file, HF_HUB_OFFLINE: '1' };
    await recordPytest({ folder: tests, python, given, paths: [import.meta.dirname] }, env);
    return repeatedCases(file);
  },
};

export default suite;
