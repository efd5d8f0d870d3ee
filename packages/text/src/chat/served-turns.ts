// Writes training texts for a template without `{% generation %}` blocks: in each an assistant message follows exactly the prompt
// that the model gets when it is served.
import { ChatTemplateError, isWithoutEnd, lossWeight, type ChatMessage } from './chat-message.js';
import { lengthWithoutEnd } from './open-message.js';

interface ServedTurn {
  text: string;
  /** The ranges that are trained on, in UTF-16 code units, with their weights in the loss. */
  written: { start: number; end: number; weight: number }[];
}

/** Writes the first messages of a dialogue. `asks`: whether the text ends with the generation prompt. */
type Render = (messages: readonly ChatMessage[], asks: boolean) => string;

/** One assistant message as in serving: its prompt, and `whole`, the prompt followed by the message. */
interface Served {
  prompt: string;
  whole: string;
  /** The length of `whole` up to the last character that is trained on, without the end after a message that was cut off. */
  end: number;
  weight: number;
}

/**
 * Returns one text, unless the template writes earlier messages differently when more follow, as one that omits earlier thoughts.
 * Then there are several; in each those messages are trained on that it contains as they are written in serving.
 */
export function servedTurns(messages: readonly ChatMessage[], render: Render): ServedTurn[] {
  const text = render(messages, false);
  const replies = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
  let left = replies.map((index) => served(messages, index, render));
  if (left.length === 0) return [{ text, written: [] }];
  const turns: ServedTurn[] = [];
  let candidate = text;
  while (left.length > 0) {
    const stands = ({ prompt, whole }: Served) => candidate.startsWith(whole) && whole.startsWith(prompt);
    const here = left.filter(stands);
    const learnt = here.filter(({ weight }) => weight > 0);
    if (learnt.length > 0)
      turns.push({
        text: candidate,
        written: learnt.map(({ prompt, end, weight }) => ({ start: prompt.length, end, weight })),
      });
    left = left.filter((each) => !here.includes(each));
    candidate = left.at(-1)?.whole ?? '';
  }
  return turns.length > 0 ? turns.reverse() : [{ text, written: [] }];
}

function served(messages: readonly ChatMessage[], index: number, render: Render): Served {
  const prompt = render(messages.slice(0, index), true);
  const rendered = render(messages.slice(0, index + 1), false);
  const whole = rendered.startsWith(prompt) ? rendered : begun(prompt, rendered, messages[index], index);
  const weight = isWithoutEnd(messages[index]) ? 0 : lossWeight(messages[index]);
  if (!messages[index].cut || weight === 0) return { prompt, whole, end: whole.length, weight };
  const length = lengthWithoutEnd(messages.slice(0, index + 1), (marked) => render(marked, false));
  if (length === null) return { prompt, whole, end: whole.length, weight: 0 };
  return { prompt, whole, end: Math.max(prompt.length, whole.length - (rendered.length - length)), weight };
}

/** For a template that puts the beginning of the message (`<think>`) into the prompt and omits it in the rendered dialogue. */
function begun(prompt: string, rendered: string, { content }: ChatMessage, index: number): string {
  let common = 0;
  while (common < prompt.length && prompt[common] === rendered[common]) common++;
  const [opening, rest] = [prompt.slice(common), rendered.slice(common)];
  if (typeof content !== 'string' || !content.startsWith(opening)) throw unlike(index, opening, rest);
  let kept = 0;
  while (kept < content.length && !rest.startsWith(content.slice(kept))) kept++;
  const end = rest.slice(content.length - kept);
  if (kept === content.length) throw unlike(index, opening, rest);
  return prompt + content.slice(opening.length) + end;
}

function unlike(index: number, opening: string, rest: string): ChatTemplateError {
  const excerpt = (text: string) => JSON.stringify(Array.from(text).slice(0, 20).join(''));
  return new ChatTemplateError(
    `it asks for message ${index} with ${excerpt(opening)}, but writes it as ${excerpt(rest)}`,
    'what the assistant wrote cannot be determined; begin the message with what the template asks with, use a template with ' +
      '{% generation %} blocks, or chat.template=chatml or llama2',
  );
}
