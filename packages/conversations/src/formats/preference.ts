// Reads preference pairs in TRL's formats: {prompt, chosen, rejected} with texts or messages, and tools, or {chosen, rejected},
// which begin with the same messages or text. Source: TRL's documentation, "Dataset formats and types".
import { isDeepStrictEqual } from 'node:util';
import { isEmpty } from '@bowyer/core';
import { BadItem } from '../files/data-error.js';
import { conversationOf } from './chat.js';
import type { Reading, RecordedDialogue, TraceFormat } from './format.js';
import { isReply, messagesOf, promptOf, unlearned } from './prompted-messages.js';

type Item = Readonly<Record<string, unknown>>;

const TEMPLATE_KEYS = ['system', 'tools', 'functions', 'documents', 'chat_template_kwargs'];

const EXPECTED =
  '{"prompt": [{"role": "user", "content": "…"}], "chosen": [{"role": "assistant", "content": "…"}], "rejected": [{"role": "assistant", "content": "…"}]}';

export const preferenceFormat: TraceFormat = {
  name: 'preference',
  expected: EXPECTED,
  fits: (item) => item.chosen !== undefined || item.rejected !== undefined || isUnpaired(item),
  read: (item, reading) => pairOf(item, reading),
};

const isUnpaired = ({ label, completion }: Item): boolean => label !== undefined && completion !== undefined;

function pairOf(item: Item, reading: Reading): RecordedDialogue[] {
  if (isUnpaired(item))
    throw new BadItem(
      "is a completion with a 'label', an unpaired preference, from which nothing here learns; write two completions of a prompt as " +
        "'chosen' and 'rejected', or keep those whose label is true, without the label, for finetune",
    );
  reading.keys.check('an item', reading.place, item, ['prompt', 'chosen', 'rejected', ...TEMPLATE_KEYS], LOST);
  for (const key of ['chosen', 'rejected'] as const) if (isEmpty(item[key])) throw new BadItem(`'${key}' is missing`);
  const { prompt, chosen, rejected } = isEmpty(item.prompt) ? withImplicitPrompt(item) : withPrompt(item);
  if (isDeepStrictEqual(chosen, rejected)) throw new BadItem("has the same answer as 'chosen' and as 'rejected'");
  const beside = Object.fromEntries(TEMPLATE_KEYS.map((key) => [key, item[key]]));
  const dialogue = (key: string, answer: readonly Item[], score: number): RecordedDialogue => {
    if (!answer.some(isReply)) throw new BadItem(`'${key}' has no message of the assistant`);
    const messages = [...prompt.map(unlearned), ...answer];
    return { ...conversationOf({ ...beside, messages }, reading.keys, reading.place), score, pair: reading.place };
  };
  return [dialogue('chosen', chosen, 1), dialogue('rejected', rejected, 0)];
}

/** Keys with scores of the two answers. They are ignored, since training uses only which of the answers is preferred. */
const LOST = ['score_chosen', 'score_rejected', 'chosen_score', 'rejected_score', 'chosen_rating', 'rejected_rating'];

interface Pair {
  prompt: readonly Item[];
  chosen: readonly Item[];
  rejected: readonly Item[];
}

function withPrompt(item: Item): Pair {
  const prompt = promptOf(item.prompt);
  const answers = (['chosen', 'rejected'] as const).map((key) => {
    const answer = messagesOf(key, item[key], 'assistant');
    // In some datasets the answers begin with the messages of the prompt, which are removed.
    const repeats =
      prompt.length < answer.length && prompt.every((message, i) => isDeepStrictEqual(message, answer[i]));
    return repeats ? answer.slice(prompt.length) : answer;
  });
  return { prompt, chosen: answers[0], rejected: answers[1] };
}

/** The prompt is the common prefix of the two answers. */
function withImplicitPrompt({ chosen, rejected }: Item): Pair {
  if (typeof chosen === 'string' && typeof rejected === 'string') return withSharedText(chosen, rejected);
  const [first, second] = [messagesOf('chosen', chosen, 'assistant'), messagesOf('rejected', rejected, 'assistant')];
  let shared = first.findIndex((message, i) => !isDeepStrictEqual(message, second[i]));
  if (shared < 0) shared = first.length;
  while (shared > 0 && isReply(first[shared - 1])) shared--;
  if (shared === 0) throw new BadItem("has no 'prompt', and 'chosen' and 'rejected' begin with different messages");
  return { prompt: first.slice(0, shared), chosen: first.slice(shared), rejected: second.slice(shared) };
}

function withSharedText(chosen: string, rejected: string): Pair {
  let shared = 0;
  while (shared < Math.min(chosen.length, rejected.length) && chosen[shared] === rejected[shared]) shared++;
  // The prompt ends at white space, so that a word of which only the beginning is equal does not belong to it.
  while (shared > 0 && !/\s/.test(chosen[shared - 1])) shared--;
  const prompt = chosen.slice(0, shared).trim();
  if (prompt === '') throw new BadItem("has no 'prompt', and 'chosen' and 'rejected' begin with different words");
  return {
    prompt: [{ role: 'user', content: prompt }],
    chosen: [{ role: 'assistant', content: chosen.slice(shared) }],
    rejected: [{ role: 'assistant', content: rejected.slice(shared) }],
  };
}
