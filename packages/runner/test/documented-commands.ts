// Finds the commands in pages and comments, splits them into words as a shell does, and makes the files that they name.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withArguments } from '../src/config/originals/arguments.js';

const blockOf = /^```(?:bash|sh)\n([\s\S]*?)^```/gm;
const continuation = /\\\n[ #]*/g;

/** Lists the commands of a Markdown page, each on one line without its comment: those in blocks, and those in `code`. */
export function commandsOfPage(text: string): string[] {
  const joined = text.replace(continuation, ' ');
  const blocks = [...joined.matchAll(blockOf)].flatMap(([, block]) => block!.split('\n'));
  const inline = [...joined.replace(blockOf, '').matchAll(/`((?:npx (?:bowyer|run)|--config-name)\s[^`]+)`/g)];
  return [...blocks, ...inline.map(([, line]) => line!.replace(/\s+/g, ' '))].flatMap(commandIn);
}

/**
 * Lists the `curl` commands in a page's blocks, each with the last command before it that starts a server; null if there is none.
 */
export function curlsOfPage(text: string): { line: string; command: string | null }[] {
  let command: string | null = null;
  return [...text.replace(continuation, ' ').matchAll(blockOf)]
    .flatMap(([, block]) => block!.split('\n'))
    .flatMap((line) => {
      if (/^npx bowyer .*\btask\.port=\d+/.test(line)) command = line.replace(/\s+#.*$/, '');
      return line.startsWith('curl ') ? [{ line: line.replace(/\s+# .*$/, ''), command }] : [];
    });
}

/** Lists the programs that a page's commands start with Node, as written there. */
export const programsOfPage = (text: string): string[] =>
  [...text.replace(continuation, ' ').matchAll(/\bnode (?:--import \S+ |-\S+ )*([\w./-]+\.[cm]?[jt]s)\b/g)].map(
    ([, program]) => program!,
  );

/** Lists the commands in the comments of a YAML file, each on one line. */
export const commandsOfComments = (text: string): string[] =>
  text.split('\n').flatMap((line) => commandIn(/# (.*)$/.exec(line)?.[1] ?? ''));

/**
 * Finds the command in a line, up to its comment or the end of the sentence; `--config-name …` alone is one too. `init` has no
 * config: init.test.ts runs it.
 */
function commandIn(line: string): string[] {
  const found = /(?:npx (?:bowyer|run)(?! init)|^--config-name)(?= )(?:[^#;`]|(?<=\S)#)*/.exec(line)?.[0];
  if (found === undefined) return [];
  return [
    found
      .replace(/\. [A-Z].*$/, '')
      .replace(/[.:)\s]+$/, '')
      .replace(/^npx (bowyer|run) /, ''),
  ];
}

/** Splits words as a shell does: single and double quotes, no variables. */
export const shellWords = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  );

/** Placeholders for names that are neither files nor folders, with the values that replace them in the check. */
const placeholders: Readonly<Record<string, string>> = { 'env=NAME': 'env=coin', 'seed=N': 'seed=0' };

export const filledIn = (words: readonly string[]): string[] => words.map((word) => placeholders[word] ?? word);

/**
 * Options that name a model, and files that must exist before a command, without the node `task`. A command's output files must
 * not exist.
 */
const models = [
  'model',
  'policy.model',
  'policy.checkpoint',
  'critic.model',
  'compare_with',
  'algorithm.teacher',
  'policy_lm', // ArCHer's
  'critic_lm',
  'checkpoint_path',
  'model_path', // AgentGym's
  'model_train_path',
];
const files = [
  'tasks',
  'test_tasks',
  'input',
  'data',
  'demonstrations.path',
  'env.products',
  'env.attributes',
  'env.goals',
  'env.jar',
  'env.story',
  'env.problems',
  'env.data',
  'env.train_data',
  'env.tasks',
  'env.rewards',
  'train_file',
];

const conversation = `${JSON.stringify({
  messages: [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi' },
  ],
})}\n`;

/** The small example shop of the environment `tau2`, in the original's format. */
const shop = fileURLToPath(new URL('../../envs/src/tau2/sample', import.meta.url));

/** Makes the files that a command needs: a model in every folder that it names, and every file. */
export function makeFixtures(words: readonly string[], folder: string): void {
  const algorithm = words.map((word) => /^(archer|chai|bc|online_filteredbc)_/.exec(word)?.[1]).find(Boolean);
  for (const word of withArguments(words)) {
    const key = word.slice(0, word.indexOf('=')).replace(/^task\./, '');
    const value = word.slice(word.indexOf('=') + 1).replace(/^\[(.*)\]$/, '$1');
    if (value === 'null' || /^\w[\w-]*\/[\w.-]+@/.test(value)) continue;
    if (models.includes(key)) makeModel(join(folder, value), algorithm);
    if (key === 'adapters')
      for (const [, place] of value.matchAll(/: *([^,}]+)/g)) write(join(folder, place, 'adapter_config.json'), '{}');
    if (key === 'runtime_adapters') mkdirSync(join(folder, value), { recursive: true });
    if (key === 'env.tasks' && words.includes('env=harbor')) writeHarborTask(join(folder, value, 'five'));
    else if (key === 'env.data' && words.includes('env=tau2')) cpSync(shop, join(folder, value), { recursive: true });
    else if (files.includes(key)) write(join(folder, value), contentOf(key, value, words));
  }
}

/** Enough problems for every split. */
const problems = Array.from({ length: 40 }, (_, i) => `What is ${i} + 1?,${i + 1},${i} + 1 = ${i + 1}\n`).join('');

function contentOf(key: string, file: string, words: readonly string[]): string {
  if (key === 'env.problems') return `question,answer,solution\n${problems}`;
  if (key === 'env.tasks') return `${JSON.stringify({ id: '1', prompt: 'What is 1 + 1?', answer: '2' })}\n`;
  if (key === 'env.data' && words.includes('env=code')) return `${JSON.stringify(program)}\n`;
  if (/^env\.(?:train_)?data$/.test(key)) return `${JSON.stringify({ question: 'What is 1 + 1?', answer: '2' })}\n`;
  return key === 'data' || /conversation/.test(file) ? conversation.repeat(20) : '{}\n';
}

const program = { task_id: '1', prompt: 'Write a function f that returns 1.', tests: 'assert.equal(f(), 1);' };

function writeHarborTask(folder: string): void {
  write(join(folder, 'task.toml'), '');
  write(join(folder, 'instruction.md'), 'Write 5 to /five.txt.');
  write(join(folder, 'tests', 'test.sh'), 'cat /five.txt > /logs/verifier/reward.txt');
}

/** Writes a run's folder with its model in checkpoints/best; its critic is in the same folder. */
function makeModel(folder: string, algorithm: string | undefined): void {
  for (const place of [folder, join(folder, 'checkpoints', 'best')]) write(join(place, 'config.json'), '{}');
  if (algorithm === 'chai') mkdirSync(join(folder, 'critic'), { recursive: true });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
