// Separates a model's answer from its reasoning: servers without a reasoning parser send both as `content`. The formats are those
// of the reasoning parsers of vLLM and SGLang, and OpenAI's harmony format.

/** Patterns for the tags that begin and end a model's reasoning. */
const TAGS: readonly (readonly [RegExp, RegExp])[] = [
  // The tags of DeepSeek-R1, Qwen3, GLM, Seed-OSS and others.
  [/<(?:\w+:)?(?:think|thinking|thought|reasoning)>/gi, /<\/(?:\w+:)?(?:think|thinking|thought|reasoning)>/gi],
  [/\[THINK\]/g, /\[\/THINK\]/g], // Mistral
  [/◁think▷/g, /◁\/think▷/g], // Kimi
  [/<\|begin_of_thought\|>/g, /<\|end_of_thought\|>/g], // OpenThinker
  [/<\|START_THINKING\|>/g, /<\|END_THINKING\|>/g], // Cohere
  [/<\|channel>thought\b/g, /<channel\|>/g], // Gemma
];

/** Matches any tag of any model family that ends reasoning. */
export const ENDS_OF_THOUGHTS = new RegExp(TAGS.map(([, close]) => close.source).join('|'), 'gi');

/** Tags that some of these model families write around the answer. */
const ANSWER_MARKS = /<\|(?:begin|end)_of_solution\|>|<\|(?:START|END)_(?:RESPONSE|TEXT)\|>/g;

/** Returns the trimmed text after the reasoning, whose first tag may be in the prompt; null if the reasoning does not end. */
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
  // If the text has nothing after the reasoning, the answer is the text before it.
  return rest.trim() === '' && last !== undefined && first !== undefined ? text.slice(0, first.index) : rest;
}

/** Returns the answer in harmony format; without its special tokens the text is `analysis…assistantfinal…`. */
function harmonyAnswer(text: string): string | null {
  const bare = /^analysis[^]*?assistantfinal([^]*)$/.exec(text.trimStart());
  if (bare !== null) return bare[1];
  if (!/<\|(?:channel|message)\|>/.test(text)) return text;
  const final = /[^]*<\|channel\|>final\b[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>([^]*)$/.exec(text);
  return final === null ? null : final[1].split(/<\|(?:end|return|call|start)\|>/)[0];
}
