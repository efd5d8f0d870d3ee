// Tests online algorithms with a chat template and the real command: every turn is a message, its tokens are the sampled ones,
// and the next prompt begins with them.
import { existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSafetensors } from '@bowyer/checkpoints';
import { chatTemplate, loadTokenizer, type ChatMessage } from '@bowyer/text';
import { spokenIds, type TrajectoryRecord } from '@bowyer/core';
import { newFolder } from '@bowyer/testing';
import { tinyGame, succeeds } from './command-line.js';
import { runHere } from './in-process.js';

const directory = newFolder();

const at = (...path: string[]) => join(directory, ...path);
const short = ['iterations=2', 'rollout_size=6', 'eval_size=2', 'test_size=2'];
const made = (name: string) => [`cache_dir=${at(name, 'cache')}`, 'policy.n_positions=768'];

/**
 * Runs a config until it ends.
 *
 * @param policy the folder of the policy; null: the run makes one
 */
async function ends(config: string, name: string, policy: string | null, ...overrides: string[]): Promise<void> {
  const chat = ['play_as_chat=true', 'max_new_tokens=8', 'threads=1', `save_path=${at(name)}`];
  const start = policy === null ? made(name) : [`policy_lm=${policy}`];
  const words = [...tinyGame(config, policy === null ? 'made' : 'given'), ...short, ...chat, ...start, ...overrides];
  await succeeds(runHere(words));
}

/** Returns the initial policy of a run that was given none. */
const startOf = (name: string) => {
  const starts = at(name, 'cache', 'warm-starts');
  return join(starts, readdirSync(starts)[0]);
};

async function lines<T>(...path: string[]): Promise<T[]> {
  return (await readFile(at(...path), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}

/** Checks that a run's tokens are the template's prompt, an utterance, the template's text after it, and so on. */
async function expectTemplateTokens(name: string, template: string, policy: string): Promise<void> {
  const tokenizer = await loadTokenizer(policy);
  const chat = chatTemplate(template, tokenizer);
  const episodes = await lines<TrajectoryRecord>(name, 'trajectories', 'rollout.jsonl');
  expect(episodes).toHaveLength(12);
  for (const { opening, turns, segments } of episodes) {
    const [{ ids, utterances }, ...others] = segments;
    expect(others).toEqual([]);
    expect(utterances).toHaveLength(turns.length);
    const messages: ChatMessage[] = [{ role: 'user', content: opening.trim() }];
    const expected = chat.encodePrompt(messages);
    utterances.forEach((utterance, turn) => {
      expect(utterance.start).toBe(expected.length);
      expected.push(...spokenIds(utterance));
      const said = tokenizer.decode(spokenIds(utterance));
      expect(said.trim()).toBe(turns[turn].action);
      messages.push({ role: 'assistant', content: said }, { role: 'user', content: turns[turn].reply!.trim() });
      if (turn + 1 < turns.length) expected.push(...chat.encodeContinuation(messages, messages.length - 1)!);
    });
    expect(ids).toEqual(expected);
  }
}

/** The template of Qwen2.5's tokenizer_config.json, without tools and the default system message. */
const qwen =
  "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>' + '\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

test('ArCHer through ChatML from a start of its own; filtered BC of adapters beside that through a Jinja template', async () => {
  await ends('archer_20q', 'archer', null, 'warmup_iter=0', 'chat_template=chatml');
  const start = startOf('archer');
  await expectTemplateTokens('archer', 'chatml', start);
  const figures = await lines<Record<string, number>>('archer', 'metrics.jsonl');
  expect(figures.map((row) => Number.isFinite(row['losses/policy']))).toEqual([true, true]);
  // The warm start imitated the demonstrations with the template.
  const epochs = (await readFile(join(start, 'metrics.jsonl'), 'utf8')).trimEnd().split('\n');
  expect(JSON.parse(epochs[0])).toHaveProperty('losses/perplexity');

  await writeFile(at('qwen.jinja'), qwen);
  const lora = ['use_lora=true', 'lora.target_modules=all-linear', 'lm_lr=1e-2'];
  const template = `chat_template=${at('qwen.jinja')}`;
  await ends('online_filteredbc_20q', 'filtered', start, 'warmup_iter=0', ...lora, template);
  expect(existsSync(at('filtered', 'cache'))).toBe(false);
  await expectTemplateTokens('filtered', qwen, start);
  const adapter = await readSafetensors(at('filtered', 'checkpoints', 'best', 'adapter_model.safetensors'));
  expect(Object.entries(adapter).some(([name, { data }]) => name.includes('lora_B') && data.some((x) => x !== 0))).toBe(
    true,
  );
}, 180_000);

test('ArCHer with fresh utterances at replayed states, and CHAI, through Llama-2’s template', async () => {
  const template = 'chat_template=llama-2';
  const replay = ['actor_samples=replay', 'v_target_action=policy', 'batch_size=4', 'warmup_iter=0'];
  await ends('archer_20q', 'replayed', null, template, ...replay);
  await expectTemplateTokens('replayed', 'llama2', startOf('replayed'));
  await ends('chai_20q', 'chai', startOf('replayed'), template, 'num_candidates=2');
  await expectTemplateTokens('chai', 'llama2', startOf('replayed'));
}, 180_000);
