// Times a step of supervised fine-tuning of all weights (forward, backward, clipping, AdamW; 4 × 128 tokens or as given, all
// scored, random weights), alternating with the same step of transformers in PyTorch: float32, bfloat16 by autocast,
// torch.compile. It prints medians and PyTorch's time ÷ ours.
//   PYTHON=… node --conditions=source --import tsx benchmarks/sft-step.ts [gpt2 | 10.8M] [repetitions] [threads] [PyTorch's
//   forms] [4x128]
import { loadavg } from 'node:os';
import { minimum, Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { median } from './measure.js';
import { openPeer, timesOf, type Times } from './peer.js';
import { ROWS, TOKENS, trainedShapes } from './trained-shapes.js';
import { numberedWords } from './random-gpt2.js';

const name = process.argv[2] ?? '10.8M';
const repetitions = Number(process.argv[3] ?? 5);
const threads = Number(process.argv[4] ?? 1);
const forms = (process.argv[5] ?? 'float32,bfloat16,compiled').split(',').filter(Boolean);
const size = process.argv[6] ?? `${ROWS}x${TOKENS}`;
const [, rows, tokens] = (/^(\d+)x(\d+)$/.exec(size) ?? []).map(Number);
if (!rows || !tokens) throw new Error(`'${size}': give rows and tokens, e.g. 1x2048`);
const shape = trainedShapes[name];
if (!shape) throw new Error(`shape '${name}': ${Object.keys(trainedShapes).join(' or ')}`);
const positions = name === 'gpt2' ? 'n_positions' : 'max_position_embeddings';
const config = { ...shape, [positions]: Math.max(Number(shape[positions]), tokens) };
const vocabulary = Number(shape.vocab_size);

const device = await openDevice({ device: 'cpu', threads });
const settings = { config, rows, tokens, threads };
const peer = forms.length > 0 ? await openPeer<Times>('train_transformers.py', settings) : null;
try {
  const tokenizer = numberedWords(vocabulary - 8);
  const rng = new Rng(1);
  const model = await LanguageModel.create({ device, config, tokenizer, rng });
  const optimizer = await model.createOptimizer({ kind: 'adamw', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01 });
  const times = new Map<string, Times[]>([['ours', []], ...forms.map((form) => [form, []] as [string, Times[]])]);
  const loads: number[] = [];
  for (let i = 0; i <= repetitions; i++) {
    const examples = Array.from({ length: rows }, () => {
      const ids = Int32Array.from({ length: tokens + 1 }, () => rng.integer(1, vocabulary - 8));
      const weights = new Float32Array(tokens).fill(1 / (rows * tokens));
      return { ids: ids.slice(0, -1), targets: ids.slice(1), weights };
    });
    const step = async () => {
      await model.accumulateGradients(examples);
      await optimizer.step({ lr: 1e-4, maxGradNorm: 1 });
    };
    times.get('ours')!.push(await timesOf(step));
    if (peer) for (const form of forms) times.get(form)!.push(await peer.next(form));
    loads.push(loadavg()[0]);
  }
  for (const measured of times.values()) measured.shift(); // the first repetition is a warm-up
  const medianOf = (kind: string, key: keyof Times) => median(times.get(kind)!.map((row) => row[key]));
  console.log(`${name}, ${rows} × ${tokens} tokens, ${threads} thread(s), load ${median(loads).toFixed(1)}`);
  const ours = medianOf('ours', 'wall');
  console.log(`ours: ${ours.toFixed(3)} s, ${medianOf('ours', 'cpu').toFixed(3)} s of CPU time`);
  if (peer) {
    for (const form of forms) {
      const wall = medianOf(form, 'wall');
      const cpu = medianOf(form, 'cpu');
      const ratios = `÷ ours ${(wall / ours).toFixed(2)} (CPU time ${(cpu / medianOf('ours', 'cpu')).toFixed(2)})`;
      console.log(`PyTorch, ${form}: ${wall.toFixed(3)} s, ${cpu.toFixed(3)} s of CPU time; ${ratios}`);
    }
    console.log(
      `PyTorch's best ÷ ours ${(minimum(forms.map((form) => medianOf(form, 'wall'))) / ours).toFixed(2)} (aim 1.25)`,
    );
  }
} finally {
  peer?.close();
  await device.close();
}
