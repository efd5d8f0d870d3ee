// Declares the options of the iterations of algorithms that learn from their own episodes.
import { Type, type TObject, type TProperties } from '@sinclair/typebox';
import { choice, group, integer, optional, type OptionsOf } from '@bowyer/core';

const MAX_ITERATIONS = 1_000_000_000;
const DECODINGS = ['greedy', 'sample', 'both'] as const;
const DECODING =
  'how evaluations and the final test choose tokens. greedy: the likeliest, as in ArCHer; sample: sampled as in rollouts; both: both are played and reported, and the sampled episodes choose the best agent';

export const decodingOption = (value: (typeof DECODINGS)[number]) =>
  choice(DECODINGS, value, DECODING, { flat: 'eval_decoding' });

interface LoopDefaults {
  iterations: number;
  rolloutSize?: number;
  /** Iterations between evaluations, and between checkpoints. */
  every?: number;
  evalSize?: number;
  decoding?: (typeof DECODINGS)[number];
}

const turns = (minimum: number) => Type.Integer({ minimum });

/** Declares the options of iterations, rollouts (`rollout`: further ones), evaluations and checkpoints. */
export const loopOptions = <Rollout extends TProperties = Record<never, never>>(
  { iterations, rolloutSize = 128, every = 25, evalSize = 32, decoding = 'greedy' }: LoopDefaults,
  rollout?: Rollout,
) => ({
  iterations: integer(iterations, 'iterations of rollout and update', {
    maximum: MAX_ITERATIONS,
    flat: 'iterations',
    decides: false, // a finished run may continue with more iterations
  }),
  save_freq: integer(every, 'iterations between checkpoints', { flat: 'save_freq', decides: false }),
  rollout: group(
    {
      size: integer(rolloutSize, 'episodes per iteration', { flat: 'rollout_size' }),
      horizon: optional(
        () => Type.Array(Type.Tuple([turns(0), turns(1)])),
        'longest rollout episodes as a list of [iteration, turns]: from that iteration on, an episode is truncated after that ' +
          'number of turns, e.g. [[0,6],[100,13],[200,20]]; null: the limit of the environment alone',
        { flat: 'horizon' },
      ),
      ...(rollout as Rollout),
    },
    'episodes that are played to learn from',
  ),
  eval: group(
    {
      freq: integer(every, 'iterations between evaluations', { flat: 'eval_freq' }),
      size: integer(evalSize, 'episodes per evaluation', { flat: 'eval_size' }),
      decoding: decodingOption(decoding),
    },
    'evaluations',
  ),
});

export type LoopOptions = OptionsOf<TObject<ReturnType<typeof loopOptions>>>;
