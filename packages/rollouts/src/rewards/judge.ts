// Compares the rollouts of a group by a model as judge: it reads all of them with a rubric, and gives each a score from 0 to 1.
// The scores need to be comparable only within a group, since group methods such as GRPO use only differences within it. Source
// of the idea: RULER of OpenPipe's ART (art.openpipe.ai/fundamentals/ruler). The text and the checks are our own.
import type { OpenAiChat } from '@bowyer/envs';

/** One message of a rollout's dialogue, as the judge reads it. */
export interface JudgedMessage {
  role: string;
  text: string;
}

export interface Verdict {
  /** The judge's score of a rollout, from 0 to 1. */
  score: number;
  explanation: string;
}

export interface JudgeOptions {
  /** The criteria for good rollouts, which the judge reads. */
  rubric: string;
  /** The number of further requests to the judge if its answer cannot be parsed. */
  retries: number;
  /** The largest number of tokens of the judge's answer. */
  maxTokens: number;
}

export const usualRubric =
  'A rollout that reaches the goal of its task scores clearly higher than one that does not. Among those that reach it, one that is more ' +
  'direct scores a little higher than one that wastes steps. One that does not reach it scores higher the more real progress it has made. ' +
  'Claims that the tools’ results do not support score low.';

/** Returns verdicts on the rollouts of a group, in their order. @throws if none of the judge's answers can be parsed */
export async function judgeGroup(
  chat: Pick<OpenAiChat, 'complete'>,
  rollouts: readonly (readonly JudgedMessage[])[],
  { rubric, retries, maxTokens }: JudgeOptions,
): Promise<Verdict[]> {
  const message = judgeMessage(rollouts, rubric);
  let problem: unknown;
  for (let attempt = 0; attempt <= retries; attempt++) {
    const { content } = await chat.complete([{ role: 'user', content: message }], { max_tokens: maxTokens });
    try {
      return verdictsOf(content, rollouts.length);
    } catch (error) {
      problem = error;
    }
  }
  throw new Error(`the judge gave no verdict in ${retries + 1} answers\n  the last: ${(problem as Error).message}`, {
    cause: problem,
  });
}

/** Returns the message that the judge reads. Messages with which all rollouts of the group begin are written once. */
export function judgeMessage(rollouts: readonly (readonly JudgedMessage[])[], rubric: string): string {
  const shared = sharedMessages(rollouts);
  const written = (messages: readonly JudgedMessage[]) =>
    messages.map(({ role, text }) => `${role}: ${text}`).join('\n');
  return [
    'Below are several rollouts of AI agents on the same task. Compare them by this rubric, and give each a score from 0 to 1.',
    `<rubric>\n${rubric}\n</rubric>`,
    ...(shared === 0
      ? []
      : [`All of them begin with:\n<context>\n${written(rollouts[0].slice(0, shared))}\n</context>`]),
    ...rollouts.map((messages, i) => `<rollout id="${i + 1}">\n${written(messages.slice(shared))}\n</rollout>`),
    'Answer with JSON alone, every rollout once:',
    '{"scores": [{"id": 1, "explanation": "a sentence", "score": 0.5}]}',
  ].join('\n\n');
}

/** Returns the number of first messages that all rollouts of the group have in common. */
function sharedMessages(rollouts: readonly (readonly JudgedMessage[])[]): number {
  const [first] = rollouts;
  if (rollouts.length < 2) return 0;
  const isShared = (i: number) =>
    rollouts.every((other) => other[i]?.role === first[i].role && other[i].text === first[i].text);
  let shared = 0;
  while (shared < first.length && isShared(shared)) shared++;
  return shared;
}

/** Parses the judge's answer. @throws if it does not score each of the rollouts exactly once, from 0 to 1 */
export function verdictsOf(answer: string, rollouts: number): Verdict[] {
  const start = answer.indexOf('{');
  const end = answer.lastIndexOf('}');
  if (start < 0 || end < start) throw new Error(`the judge's answer has no JSON object: ${excerptOf(answer)}`);
  const { scores } = JSON.parse(answer.slice(start, end + 1)) as { scores?: unknown };
  if (!Array.isArray(scores)) throw new Error(`the judge's answer has no list of scores: ${excerptOf(answer)}`);
  const verdicts = new Map<number, Verdict>();
  for (const each of scores as Record<string, unknown>[]) {
    const id = Number(each.id);
    const { score, explanation = '' } = each;
    if (!Number.isInteger(id) || id < 1 || id > rollouts)
      throw new Error(`the judge scored a rollout ${String(each.id)}`);
    if (verdicts.has(id)) throw new Error(`the judge scored rollout ${id} twice`);
    if (typeof score !== 'number' || !(score >= 0 && score <= 1))
      throw new Error(`the judge gave rollout ${id} the score ${JSON.stringify(score)}, which is not from 0 to 1`);
    verdicts.set(id, { score, explanation: String(explanation) });
  }
  return Array.from({ length: rollouts }, (_, i) => {
    const verdict = verdicts.get(i + 1);
    if (verdict === undefined) throw new Error(`the judge did not score rollout ${i + 1}`);
    return verdict;
  });
}

const excerptOf = (answer: string): string => JSON.stringify(answer.slice(0, 200));
