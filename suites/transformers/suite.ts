// Runs the tests of transformers' tokenizers.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { recordPytest } from '../programs.js';
import type { Suite } from '../suite.js';
import { repeatedCases } from '../tokenizers/repeated.js';

const MODELS =
  'barthez bert big_bird blenderbot camembert clip code_llama codegen cohere deberta distilbert funnel gemma gpt2 gpt_neox herbert ' +
  'llama mbart mbart50 mpnet nllb nougat openai pegasus qwen2 reformer rembert roberta splinter t5 whisper xglm xlm_roberta xlnet';
const FILES = MODELS.split(' ').map((model) => `tests/models/${model}/test_tokenization_${model}.py`);

const suite: Suite = {
  title: "transformers' tokenizers",
  against: '`@bowyer/text`',
  sources: [
    { pip: 'transformers', version: '5.18.0', with: ['pytest==9.1.1', 'sentencepiece==0.2.2', 'protobuf', 'jinja2'] },
    {
      github: 'huggingface/transformers',
      commit: 'd6a6c82680cba9c51decdacac6dd6315ea4a766a',
      version: '5.0.0.dev0',
      paths: ['tests', 'conftest.py', 'pyproject.toml', 'setup.py', 'utils'],
    },
  ],
  inCheck: false,
  notes:
    'The tests of 34 families of models, and those of all fast tokenizers, run as they are, offline, on tokenizers of the classes that they name, with a vocabulary of 400 tokens that ' +
    'is trained on their sample text and stands under the name of the hub. A plugin records what each tokenizer answers, also to 16 further texts, ' +
    'and the chat templates that are rendered; Bowyer repeats all of them. The lists of ids in the tests belong to vocabularies of the hub and are ' +
    'not compared. Padding, truncation and pairs of texts have no counterpart here. A machine without GitHub can use a clone of any fork that has the commit.',
  async run({ folders: [python, repository], work }) {
    const tests = join(work, 'repository');
    cpSync(repository, tests, { recursive: true, filter: (path) => !/[/]\.git$/.test(path) });
    const file = join(work, 'recorded.jsonl');
    const given = ['--continue-on-collection-errors', 'tests/tokenization', ...FILES];
    const paths = [join(import.meta.dirname, '../tokenizers'), import.meta.dirname];
    const env = { BOWYER_RECORD: file, HF_HUB_OFFLINE: '1' };
    await recordPytest({ folder: tests, python, given, paths, plugins: ['recorder', 'stand_ins'] }, env);
    return repeatedCases(file);
  },
};

export default suite;
