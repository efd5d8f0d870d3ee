// Writes docs/models/families-table.md from the results of benchmarks/families.ts so far.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const STEPS = ['numbers', 'bits', 'webgpu', 'speed'] as const;
export type Step = (typeof STEPS)[number];

/** The first line of families_peer.py. */
export type Versions = Record<'transformers' | 'torch', string>;

/** The results of the small model. */
export interface Numbers {
  modelType: string;
  logits: number;
  logprobs: number;
  greedy: boolean;
  gradients: number;
  /** 'equal', 'differs', or the layers that are adapted here where PEFT has no default. */
  lora: string;
  versions: Versions;
}

/** The results of a family's wider test model, which is large enough for quantised weights. */
export interface Bits {
  /** Mean absolute difference of log-probabilities from float32, in nats. */
  bits: Record<'8bit' | '4bit', number>;
  /** The share of its greedy tokens that are those of transformers. */
  wideGreedy: number;
}

/** The small model's differences between GPU and CPU. */
export interface Webgpu {
  logprobs: number;
  /** null if generation is refused on the GPU. */
  greedy: boolean | null;
  gradients: number;
}

export interface Speed {
  parameters: number;
  tokensPerSecond: number;
  ratio: number;
  load: number;
}

/** Returns the file that stores a result between runs. */
export function resultPath(results: string, name: string, what: Step): string {
  return join(results, `${name}.${what}.json`);
}

/** The text above the table. */
const HEADER = `# Families: measured differences

Every family of decoders against VERSIONS, on DATE, by one command, which builds the
checkpoints, compares and writes this page:

\`\`\`sh
PYTHON=… node --conditions=source --import tsx benchmarks/families.ts
\`\`\`

Each checkpoint has random weights and small sizes; its config is that of
\`packages/models/test/families/make-family-recordings.py\`. transformers writes it with \`save_pretrained\`, and
\`LanguageModel.load\` reads it. The columns:

- **logits, log-probs**: largest difference over three texts of 40, 19 and 6 tokens, the longest of which exceeds the attention
  windows and the original context lengths. The reference computes everything in float64, also the norms, rotary angles, softmax
  and recurrent states that transformers computes in float32.
- **greedy**: whether 32 greedy tokens are equal, decoded with KV caches, windows and recurrent states.
- **gradients**: largest difference of a gradient's element, divided by the largest element of the gradient of the same parameter,
  or by a thousandth of the largest gradient of the model if that is larger. OPT's largest difference is in the biases of keys,
  whose exact gradient is 0. It is rounding, and so is Gemma 4's ([decision](../decisions/families.md)).
- **LoRA**: \`equal\` where the same layers are adapted by default as in PEFT. Where PEFT has no default (\`PEFT asks\`), the column
  lists the layers that are adapted here.
- **webgpu**: differences between \`device=webgpu\` and \`device=cpu\` in log-probabilities, greedy tokens and gradients, measured as
  above.
- **wide greedy**: share of equal greedy tokens of a wider model in 16 rows of 32 tokens; both programs compute in float32.
- **8, 4 bits**: mean absolute difference of the wide model's log-probabilities from float32, in nats.
- **size**, **tokens/s**, **ratio**, **load**: parameters of the wide model in millions; greedy tokens per second in float32 for
  16 rows with prompts of 64 tokens and 32 new ones; the same as a multiple of transformers' \`generate\` with as many threads; load
  average of the machine. Figures are medians of alternating repetitions. At a load above 2 both programs wait for others.
- A dash: not measured yet.

| family | logits | log-probs | greedy | gradients | LoRA | webgpu | wide greedy | 8, 4 bits | size | tokens/s | ratio | load |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
`;

/**
 * Writes the page of results.
 *
 * @param path of the page
 */
export async function writePage(path: string, results: string, names: readonly string[]): Promise<void> {
  const result = async <T>(name: string, what: Step): Promise<T | undefined> => {
    const file = resultPath(results, name, what);
    return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as T) : undefined;
  };
  const rows = [];
  for (const name of names) {
    const numbers = await result<Numbers>(name, 'numbers');
    const [bits, webgpu] = [await result<Bits>(name, 'bits'), await result<Webgpu>(name, 'webgpu')];
    const speed = await result<Speed>(name, 'speed');
    if (numbers) rows.push({ name, numbers, bits, webgpu, speed });
  }
  if (rows.length === 0) return;
  const { transformers, torch } = rows[0].numbers.versions;
  const text = HEADER.replace('VERSIONS', `transformers ${transformers}, PyTorch ${torch}`).replace(
    'DATE',
    new Date().toISOString().slice(0, 10),
  );
  await writeFile(path, `${text}${rows.map(tableLine).join('')}`);
}

function tableLine(row: { name: string; numbers: Numbers; bits?: Bits; webgpu?: Webgpu; speed?: Speed }): string {
  const { name, numbers, bits, webgpu, speed } = row;
  const cells = [
    name,
    rounded(numbers.logits),
    rounded(numbers.logprobs),
    numbers.greedy ? 'equal' : 'differs',
    rounded(numbers.gradients),
    numbers.lora,
    webgpu ? webgpuCell(webgpu) : '–',
    ...(bits ? bitsCells(bits) : ['–', '–']),
    ...(speed ? speedCells(speed) : ['–', '–', '–', '–']),
  ];
  return `| ${cells.join(' | ')} |\n`;
}

function rounded(value: number): string {
  return value.toExponential(0);
}

function webgpuCell(webgpu: Webgpu): string {
  const { logprobs, greedy, gradients } = webgpu;
  return `${rounded(logprobs)}, ${greedy === null ? 'refused' : greedy ? 'equal' : 'differs'}, ${rounded(gradients)}`;
}

function bitsCells({ bits, wideGreedy }: Bits): string[] {
  return [`${(100 * wideGreedy).toFixed(0)} %`, `${bits['8bit'].toFixed(3)}, ${bits['4bit'].toFixed(3)}`];
}

function speedCells({ parameters, tokensPerSecond, ratio, load }: Speed): string[] {
  return [(parameters / 1e6).toFixed(0), tokensPerSecond.toFixed(0), ratio.toFixed(2), load.toFixed(1)];
}
