// Separates a model's answer from its reasoning: a server without a reasoning parser sends both as `content`. Forms: those that
// the reasoning parsers of vLLM and SGLang know, and OpenAI's harmony format.

/** The marks at which reasoning begins and ends. */
const TAGS: readonly (readonly [RegExp, RegExp])[] = [
  // DeepSeek-R1, Qwen3, GLM, Seed-OSS and others
  [/<(?:\w+:)?(?:think|thinking|thought|reasoning)>/gi, /<\/(?:\w+:)?(?:think|thinking|thought|reasoning)>/gi],
  [/\[THINK\]/g, /\[\/THINK\]/g], // Mistral
  [/◁think▷/g, /◁\/think▷/g], // Kimi
  [/<\|begin_of_thought\|>/g, /<\|end_of_thought\|>/g], // OpenThinker
  [/<\|START_THINKING\|>/g, /<\|END_THINKING\|>/g], // Cohere
  [/<\|channel>thought\b/g, /<channel\|>/g], // Gemma
];

/** The marks at which the reasoning of any of them ends. */
export const ENDS_OF_THOUGHTS = new RegExp(TAGS.map(([, close]) => close.source).join('|'), 'gi');

/** Marks that some of these families write around the answer itself. */
const ANSWER_MARKS = /<\|(?:begin|end)_of_solution\|>|<\|(?:START|END)_(?:RESPONSE|TEXT)\|>/g;

/**
 * Returns the text after the last thoughts, trimmed; null where they do not end, so that there is no answer. A reply whose thoughts
 * end without a beginning is one too: the beginning was in the prompt.
 */
export function visibleAnswer(content: string): string | null {
  let text: string | null = content;
  for (const [open, close] of TAGS) text = text === null ? null : afterThoughts(text, open, close);
  const answer = text === null ? null : harmonyAnswer(text.replace(ANSWER_MARKS, ''));
  return answer === null ? null : answer.trim();
}

function afterThoughts(text: string, open: RegExp, close: RegExp): string | null {
  const last = [...text.matchAll(close)].at(-1);
  const rest = last === undefined ? text : text.slice(last.index + last[0].length);
  const [first] = text.matchAll(open);
  if (rest.search(open) >= 0) return null;
  // Reasoning at the end is about the answer before it.
  return rest.trim() === '' && last !== undefined && first !== undefined ? text.slice(0, first.index) : rest;
}

/** Returns the answer of the harmony format, also where its special tokens were left out, which leaves `analysis…assistantfinal…`. */
function harmonyAnswer(text: string): string | null {
  const bare = /^analysis[^]*?assistantfinal([^]*)$/.exec(text.trimStart());
  if (bare !== null) return bare[1];
  if (!/<\|(?:channel|message)\|>/.test(text)) return text;
  const final = /[^]*<\|channel\|>final\b[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>([^]*)$/.exec(text);
  return final === null ? null : final[1].split(/<\|(?:end|return|call|start)\|>/)[0];
}
