// Makes the training texts of a dialogue for a template that does not mark what the assistant wrote. In them each assistant message
// follows exactly the text that precedes it when the model is served.
import { ChatTemplateError, isWithoutEnd, lossWeight, type ChatMessage } from './chat-message.js';
import { lengthWithoutEnd } from './open-message.js';

/** One training text. */
interface ServedTurn {
  text: string;
  /** The parts of the text that the assistant wrote and that are trained on, in UTF-16 code units. */
  written: { start: number; end: number; weight: number }[];
}

/**
 * Writes the first messages as text.
 *
 * @param asks whether it ends with the text that begins the assistant's next message
 */
type Render = (messages: readonly ChatMessage[], asks: boolean) => string;

/** One assistant message as in serving: the prompt, and the prompt with the message. */
interface Served {
  prompt: string;
  whole: string;
  /** The length of the text up to the end of the trained part: the whole text, or for a message that was cut off, without its end. */
  end: number;
  /** The weight in the loss. */
  weight: number;
}

/**
 * Returns the training texts of a dialogue. There is one, unless the text of earlier messages changes when more follow. A template that
 * omits earlier thoughts, or moves the list of tools, gives several texts, and each of them covers the messages that it contains in the
 * served form.
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

/**
 * Restores the served form of a message whose beginning the template puts into the prompt (`<think>`) and later omits: what follows that
 * beginning is the message itself, and then the end that the template writes.
 */
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
