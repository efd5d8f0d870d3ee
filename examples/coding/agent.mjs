// A coding agent: it repairs a repository with tools that run its tests, and read and edit its files. Each rollout has a copy of
// the repository with one fault. The agent calls a model over OpenAI's protocol. The reward is 1 if the tests pass at the end,
// else 0.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FIXTURE = fileURLToPath(new URL('fixture', import.meta.url));
const SYSTEM = 'A test of this repository fails. Run the tests, read the file, and repair it.';
/** The maximum number of calls of the model. */
const TURNS = 6;

const tool = (name, description, ...parameters) => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }])),
      required: parameters,
    },
  },
});

const tools = [
  tool('run_tests', 'Runs the tests and returns the names of those that fail.'),
  tool('read_file', 'Returns the text of a file.', 'file'),
  tool('edit_file', 'Replaces a text that is in a file once.', 'file', 'old_text', 'new_text'),
];

/**
 * Repairs a copy of the repository.
 * @param work what is done in the copy's folder: this agent, or a program (program.mjs)
 * @returns whether its tests pass afterwards
 */
export async function repair({ file, fault }, { baseURL, apiKey, signal }, work = converse) {
  const folder = await mkdtemp(join(tmpdir(), 'coding-'));
  try {
    await cp(FIXTURE, folder, { recursive: true });
    await edit(folder, { file, old_text: fault.right, new_text: fault.wrong });
    await work(folder, { baseURL, apiKey, signal });
    // The original tests are used, even if the agent has changed its copy of them.
    await cp(join(FIXTURE, 'all.test.mjs'), join(folder, 'all.test.mjs'));
    return (await failing(folder)).length === 0;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function converse(folder, { baseURL, apiKey, signal }) {
  const messages = [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: `The files are: ${(await readdir(folder)).join(' ')}` },
  ];
  for (let turn = 0; turn < TURNS; turn++) {
    const response = await fetch(`${baseURL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ model: 'any', messages, tools }),
      signal,
    });
    if (!response.ok) throw new Error(`the model's endpoint answered ${response.status}: ${await response.text()}`);
    const { message } = (await response.json()).choices[0];
    messages.push(message);
    if (!message.tool_calls?.length) return;
    for (const { id, function: call } of message.tool_calls)
      messages.push({ role: 'tool', tool_call_id: id, content: await use(folder, call) });
  }
}

/** An incorrect call is answered with an error, so that the model can correct it. */
async function use(folder, { name, arguments: json }) {
  try {
    const args = JSON.parse(json);
    if (name === 'run_tests')
      return (await failing(folder)).map((test) => `${test} fails`).join('\n') || 'all tests pass';
    if (!(await readdir(folder)).includes(args.file)) return `error: there is no file ${args.file}`;
    if (name === 'read_file') return await readFile(join(folder, args.file), 'utf8');
    await edit(folder, args);
    return 'edited';
  } catch (error) {
    return `error: ${error.message}`;
  }
}

async function edit(folder, { file, old_text: old, new_text: text }) {
  const parts = (await readFile(join(folder, file), 'utf8')).split(old);
  if (parts.length !== 2) throw new Error(`${file} has the text ${parts.length - 1} times`);
  await writeFile(join(folder, file), parts.join(text));
}

/** Returns the names of the tests that fail. */
function failing(folder) {
  // This variable would tell Node's test runner that another test has started it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ['--test-reporter=tap', 'all.test.mjs'];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: folder, env, timeout: 600_000 }, (error, output) => {
      const names = [...output.matchAll(/^ *not ok \d+ - (\w+)$/gm)].map(([, name]) => name);
      if (error !== null && names.length === 0) reject(new Error(`the tests do not run: ${output || error.message}`));
      else resolve(names);
    });
  });
}
