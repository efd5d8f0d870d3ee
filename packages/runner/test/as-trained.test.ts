// Tests as_trained: an evaluation reads the settings that the command line does not give from the agent's run, including those of
// a mixture's members.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { composed, notesOf, refusal } from './composed.js';

const folder = newFolder();

const common = {
  context: { kind: 'auto' },
  memory: { kind: 'none' },
  playAsChat: true,
  chatTemplate: 'chatml',
  chatTemplateKwargs: {},
  maxNewTokens: 17,
  eosStr: '\n',
  actionChoice: 'free',
  quantization: 'none',
};

/** Writes the part of a run's folder that is read before the start. */
function agent(name: string, record: object): string {
  const best = join(folder, name, 'checkpoints', 'best');
  mkdirSync(best, { recursive: true });
  writeFileSync(join(best, 'config.json'), '{}');
  writeFileSync(join(folder, name, 'run-config.json'), JSON.stringify({ ...common, ...record }));
  return `checkpoint_path=${join(folder, name)}`;
}

/** A window with every key, as in a run's record. */
const window = {
  kind: 'window',
  historyTurns: 3,
  taskDescription: false,
  stepCounter: false,
  inventory: false,
  validActions: false,
  maxChars: null,
};

const envs = [
  { name: 'wordle', observation: 'answer', reward: 'agentgym' },
  { name: 'maze', max_steps: 15 },
  { name: 'textcraft', observation: 'turn' },
];

test('environment, algorithm and template are those of the run', async () => {
  const place = agent('coin', {
    agentType: 'archer',
    env: { name: 'coin', params: 'numLocations=2', stepLimit: 9 },
    context: window,
  });
  expect(await refusal('eval_agentgym', place)).toBeNull();
  expect((await composed('eval_agentgym', place)).resolve()).toMatchObject({
    algorithm: { name: 'archer' },
    env: { name: 'coin', params: 'numLocations=2', step_limit: 9 },
    context: { kind: 'window', history_turns: 3 },
    play: { as_chat: true },
    chat: { template: 'chatml' },
    sampling: { max_new_tokens: 17 },
  });
  const notes = await notesOf('eval_agentgym', place);
  expect(notes).toContain(`env=coin, since the agent in ${join(folder, 'coin')} was trained with it`);
});

test('the command line has priority over the recorded config', async () => {
  const place = agent('typed', { agentType: 'bc', env: { name: 'coin', stepLimit: 9 } });
  const typed = ['env.step_limit=5', 'max_new_tokens=3', 'play_as_chat=false'];
  expect((await composed('eval_agentgym', place, ...typed)).resolve()).toMatchObject({
    env: { name: 'coin', step_limit: 5 },
    sampling: { max_new_tokens: 3 },
    play: { as_chat: false },
  });
});

test('of a mixture: all of it, or one of its environments as it was there', async () => {
  const place = agent('mixed', { agentType: 'agent_evol', env: { name: 'mixture', envs } });
  const env = async (...overrides: string[]) => (await composed('eval_agentgym', place, ...overrides)).setting('env');
  expect(await env()).toEqual({ name: 'mixture', envs });
  expect(await env('env=wordle')).toMatchObject({ name: 'wordle', observation: 'answer', reward: 'agentgym' });
  expect(await env('task_name=lmrlgym_maze')).toMatchObject({ name: 'maze', max_steps: 15 });
  for (const name of ['mixture', 'wordle', 'maze', 'textcraft'])
    expect(await refusal('eval_agentgym', place, `env=${name}`)).toBeNull();
  expect(await refusal('eval_agentgym', place, 'env=maze', 'env_server_base=http://127.0.0.1:1/maze')).toBeNull();
  expect(await refusal('eval_agentgym', place, 'env=coin')).toMatch(
    /was trained in mixture, and would be played in coin\n.*\n {2}write env=mixture, or one of its environments: wordle, maze, textcraft$/,
  );
});

test('evaluations without as_trained follow their config', async () => {
  const place = agent('plain', { agentType: 'bc', env: { name: 'twenty_questions', words: 'full' } });
  expect((await composed('bc_20q', 'task=evaluate', place)).setting('env.words')).toBe('subset10');
  expect((await composed('bc_20q', 'task=evaluate', place, 'as_trained=true')).setting('env.words')).toBe('full');
});
