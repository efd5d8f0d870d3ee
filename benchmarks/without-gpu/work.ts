// Defines the shapes and jobs of without-gpu.ts, and the results that its programs return.
import { gpt2Config } from '@bowyer/models';

/** The settings of trained adapters. */
export const LORA = { r: 8, alpha: 16, dropout: 0, targetModules: 'all-linear', seed: 1 } as const;

interface Shape {
  /** Contents of config.json. */
  config: Record<string, unknown>;
  /** Whether adapters are trained; otherwise all weights are. */
  lora: boolean;
  /** The number of tasks in an iteration, and of episodes of each task. */
  prompts: number;
  group: number;
  checkpointing: boolean;
  /** Programs that are in memory at the same time and take turns; each list runs after the previous one. */
  together: readonly (readonly string[])[];
}

export const OURS = ['ours float32', 'ours 8 bits', 'ours 4 bits'] as const;
export const PEERS = ['TRL float32', 'TRL bfloat16'] as const;

const words = (vocabulary: number) => ({ vocab_size: vocabulary, bos_token_id: 1, eos_token_id: 1, pad_token_id: 0 });
const gpt2 = (layers: number, width: number, heads: number) => ({
  config: { ...gpt2Config({}), n_layer: layers, n_embd: width, n_head: heads, ...words(512), n_positions: 512 },
  lora: false,
  checkpointing: false,
  prompts: 16,
  group: 8,
  together: [['ours float32', ...PEERS]],
});

/** The shapes; their weights are random. */
export const shapes = {
  '0.9M': gpt2(4, 128, 4),
  '10.8M': gpt2(6, 384, 6),
  'SmolLM2 135M': {
    config: {
      model_type: 'llama',
      hidden_size: 576,
      intermediate_size: 1536,
      num_hidden_layers: 30,
      num_attention_heads: 9,
      num_key_value_heads: 3,
      max_position_embeddings: 8192,
      rope_theta: 100_000,
      tie_word_embeddings: true,
      ...words(49_152),
    },
    lora: true,
    checkpointing: true,
    prompts: 1,
    group: 4,
    together: [[...OURS, ...PEERS]],
  },
  'Qwen 2.5 0.5B': {
    config: {
      model_type: 'qwen2',
      hidden_size: 896,
      intermediate_size: 4864,
      num_hidden_layers: 24,
      num_attention_heads: 14,
      num_key_value_heads: 2,
      max_position_embeddings: 32_768,
      rope_theta: 1_000_000,
      tie_word_embeddings: true,
      ...words(151_936),
    },
    lora: true,
    checkpointing: true,
    prompts: 1,
    group: 4,
    together: [
      ['ours 8 bits', 'ours 4 bits', 'TRL bfloat16'],
      ['ours float32', 'TRL float32'],
    ],
  },
} as const satisfies Record<string, Shape>;
export type ShapeName = keyof typeof shapes;

/** A training step on given texts, or an iteration of GRPO: rollout, rewards, one optimizer step on all episodes. */
export type Work =
  | { kind: 'step'; rows: number; tokens: number }
  | { kind: 'grpo'; promptTokens: number; turns: number; written: number; read: number };

export const works = {
  step: { kind: 'step', rows: 4, tokens: 128 },
  'one turn': { kind: 'grpo', promptTokens: 128, turns: 1, written: 256, read: 0 },
  'ten turns': { kind: 'grpo', promptTokens: 64, turns: 10, written: 16, read: 16 },
} as const satisfies Record<string, Work>;
export type WorkName = keyof typeof works;

export const contextLength = ({ promptTokens, turns, written, read }: Work & { kind: 'grpo' }): number =>
  promptTokens + turns * (written + read);

/** A program's settings, which it gets as a JSON argument. */
export interface Settings {
  config: Record<string, unknown>;
  /** A folder with a model of this config. */
  dir: string;
  /** 'float32', 'bfloat16', '8 bits' or '4 bits' */
  form: string;
  /** Whether activations of a block are recomputed instead of stored, TRL's default. */
  checkpointing: boolean;
  /** The adapters' settings; null if all weights are trained. */
  lora: { r: number; lora_alpha: number; target_modules: string } | null;
  prompts: number;
  group: number;
  work: Work;
  threads: number;
  /** The number of pieces of work. */
  steps: number;
}

/** The result of one piece of work. Times are in seconds; those of the rollout are 0 without one. */
export interface Piece {
  wall: number;
  cpu: number;
  /** The time until the last episode has been played. */
  rollout: number;
  rolloutCpu: number;
  /** The tokens that the policy wrote, and those that it only read; in a step the trained tokens. */
  tokens: number;
  observed: number;
  /** The peak resident memory of the program so far, in GiB. */
  peak: number;
}

/** The file results.json. */
export interface Results {
  rows: {
    shape: ShapeName;
    work: WorkName;
    program: string;
    date: string;
    machine: string;
    /** The program's versions, which it printed when it was ready. */
    about: string;
    /** The first piece, in which graphs are compiled. */
    first: Piece & { load: number };
    pieces: (Piece & { load: number })[];
  }[];
}
