// Joins demonstrations and episodes that the policy has played into the examples of one loss.
import type { Trajectory } from '@bowyer/core';
import type { TokenExample } from '@bowyer/models';
import { packTurns } from '../learning/pack-turns.js';
import type { Dataset } from '../run/training-run.js';
import { conversationExample, episodeExamples, learnedTokens, type Examples } from './examples.js';

/** Weight 1 on each learned token of one episode or conversation. */
interface Piece {
  examples: TokenExample[];
  tokens: number;
}

/** The loss is a mean over utterances, or over learned tokens if the demonstrations are conversations. */
export function joinedExamples(
  dataset: Dataset,
  played: readonly Trajectory[],
  { scoreTerminator }: { scoreTerminator: boolean },
): Examples<unknown> {
  const options = { scoreTerminator };
  if (dataset.kind === 'episodes') return episodeExamples([...dataset.episodes, ...played], options);
  const items = [
    ...dataset.conversations.map((one): Piece => {
      return { examples: [conversationExample(one, 1)], tokens: learnedTokens(one) };
    }),
    ...played.map((trajectory) => pieceOf(trajectory, options)),
  ];
  const joined: Examples<Piece> = {
    items,
    batchOf(batch) {
      const count = batch.reduce((sum, { tokens }) => sum + tokens, 0);
      const scaled = ({ weights, ...example }: TokenExample) => ({
        ...example,
        weights: weights.map((w) => w / count),
      });
      return { examples: batch.flatMap(({ examples }) => examples.map(scaled)), count };
    },
    metricsOf: ({ nll, steps }) => ({ 'losses/nll': nll, 'optim/steps': steps }),
  };
  return joined;
}

function pieceOf(trajectory: Trajectory, options: { scoreTerminator: boolean }): Piece {
  const turns = trajectory.segments.flatMap(({ utterances }) => utterances.map(({ turn }) => turn));
  const { examples } = packTurns(
    turns.map((turn) => ({ trajectory, turn })),
    options,
  );
  return { examples, tokens: examples.reduce((sum, { weights }) => sum + weights.reduce((a, b) => a + b, 0), 0) };
}
