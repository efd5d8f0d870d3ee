// Counts how many of the tool calls in held-out dialogues a model writes itself, when it is given the dialogue up to the call.
import { isDeepStrictEqual } from 'node:util';
import { maximum } from '@bowyer/core';
import { endOfText, generateTexts, type LanguageModel } from '@bowyer/models';
import type { CallReader } from '@bowyer/serving';
import type { EncodedConversation } from '@bowyer/text';
import type { CallCounts } from '../../run/finetune-results.js';
import type { Example, Examples } from './examples.js';

type Call = ReturnType<CallReader['read']>['calls'][number];

/** A reply with tool calls in a held-out dialogue, and the tokens before the reply. */
interface CallPlace {
  promptIds: number[];
  replyIds: number[];
  calls: readonly Call[];
  tools: readonly Readonly<Record<string, unknown>>[];
}

/** The largest number of replies that the model generates, since a greedy reply takes about as long as an optimizer step. */
const MOST_PLACES = 100;
const BATCH = 8;

/** Returns the held-out replies that contain tool calls; if there are too many, a selection at equal distances. */
export function callPlaces({ validation, calls: reader }: Pick<Examples, 'validation' | 'calls'>): CallPlace[] {
  if (reader === null) return [];
  const places = validation.flatMap((example) => placesOf(example, reader));
  const count = Math.min(places.length, MOST_PLACES);
  return Array.from({ length: count }, (_, i) => places[Math.floor((i * places.length) / count)]);
}

function placesOf({ item, tokens }: Example, reader: CallReader): CallPlace[] {
  const tools = item.kind === 'conversation' ? (item.inputs?.tools ?? []) : [];
  if (tools.length === 0) return [];
  return learnedReplies(tokens).flatMap((reply) => {
    const { calls } = reader.read(reply.promptIds, reply.replyIds, tools);
    return calls.length === 0 ? [] : [{ ...reply, calls, tools }];
  });
}

/** Returns each text of a conversation that is learned, with all tokens before it. */
export function learnedReplies({ ids, lossMask }: EncodedConversation): Pick<CallPlace, 'promptIds' | 'replyIds'>[] {
  const starts = lossMask.flatMap((weight, i) => (i > 0 && weight > 0 && lossMask[i - 1] === 0 ? [i] : []));
  return starts.map((start) => {
    const length = lossMask.slice(start).indexOf(0);
    return { promptIds: ids.slice(0, start), replyIds: ids.slice(start, length < 0 ? undefined : start + length) };
  });
}

/** Generates a greedy reply in place of each recorded one, and counts how many of the recorded calls it makes. */
export async function countedCalls(
  model: LanguageModel,
  places: readonly CallPlace[],
  { ends, calls: reader }: Pick<Examples, 'ends' | 'calls'>,
): Promise<CallCounts> {
  const counts = { recorded: 0, rightName: 0, rightArguments: 0, noCall: 0 };
  const longest = maximum(places.map(({ replyIds }) => replyIds.length));
  const texts = generateTexts(
    model,
    places.map(({ promptIds }) => ({ promptIds })),
    {
      temperature: 1,
      topK: 0,
      topP: 1,
      greedy: true,
      batchSize: BATCH,
      seed: 0,
      terminatorIds: [...new Set([...ends, ...reader!.endIds, ...endOfText(model)])],
      maxNewTokens: 2 * longest,
    },
  );
  let place = 0;
  for await (const { ids } of texts) {
    const { promptIds, calls, tools } = places[place++];
    const written = reader!.read(promptIds, ids, tools).calls;
    calls.forEach((call, i) => {
      counts.recorded++;
      if (written[i] === undefined) counts.noCall++;
      else if (written[i].name === call.name) {
        counts.rightName++;
        if (isSameJson(written[i].arguments, call.arguments)) counts.rightArguments++;
      }
    });
  }
  return counts;
}

/** Returns whether two JSON texts have equal values; the order of an object's members and spaces do not matter. */
const isSameJson = (first: string, second: string): boolean => isDeepStrictEqual(JSON.parse(first), JSON.parse(second));
