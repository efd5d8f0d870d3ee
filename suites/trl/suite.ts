// Runs TRL's tests of losses, advantages, datasets and chat templates.
/* oxlint-disable no-restricted-imports -- The items of a data file and the templates of Jinja do not belong to the interfaces of their packages. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { continuationTokens } from '@bowyer/models';
import { readConversations } from '@bowyer/conversations';
import {
  cispoLoss,
  dpoLoss,
  entropyBonus,
  gspoLoss,
  groupRelativeAdvantages,
  klPenalty,
  ppoClipLoss,
  tokenWeights,
  weightedSum,
  type LossAggregation,
  type TokenLoss,
} from '@bowyer/core';
import { chatTemplate, cutRight, loadTokenizer, type ChatMessage, type EncodedConversation } from '@bowyer/text';
import { JinjaTemplate } from '../../packages/text/src/chat/jinja-template.js';
import { readTrainingItems } from '../../packages/runner/src/tasks/finetune/training-items.js';
import { jsonLines, triedCase } from '../cases.js';
import { isClose } from '../close.js';
import { python } from '../peft/python.js';
import { recordPytest } from '../programs.js';
import type { CaseResult, Suite } from '../suite.js';

type Rows = readonly (readonly number[])[];
type Json = Readonly<Record<string, unknown>>;

interface PolicyBatch {
  readonly logprobs: Rows;
  readonly old: Rows | null;
  readonly oldSums: readonly number[] | null;
  readonly ref: Rows | null;
  readonly entropies: Rows;
  readonly mask: Rows;
  readonly advantages: readonly number[];
  readonly loss: number;
  readonly gradient: Rows;
  readonly entropyGradient: Rows | null;
}

/** A line of recorder.py. */
type Recorded = { readonly test: string } & (
  | ({
      readonly kind: 'grpo loss';
      readonly settings: {
        readonly loss_type: string;
        readonly level: 'token' | 'sequence';
        readonly low: number;
        readonly high: number;
        readonly delta: number | null;
        readonly beta: number;
        readonly entropy: number;
        readonly accumulation: number;
        readonly items: number | null;
        readonly longest: number;
        readonly top_entropy_quantile: number;
        readonly off_policy_mask_threshold: number | null;
        readonly use_bias_correction_kl: boolean;
      };
    } & PolicyBatch)
  | ({ readonly kind: 'rloo loss'; readonly settings: { readonly low: number; readonly high: number } } & PolicyBatch)
  | {
      readonly kind: 'grpo advantages' | 'rloo advantages';
      readonly settings: {
        readonly scale?: 'group' | 'batch' | 'none';
        readonly aggregation?: string;
        readonly normalize?: boolean;
        readonly clip?: [low: number, high: number] | null;
        readonly beta: number;
        readonly generations: number;
        readonly weights: readonly number[];
      };
      readonly rewards: readonly (readonly (number | null)[])[];
      /** log π − log π_ref of each completion; null where nothing is subtracted from the rewards. */
      readonly kl: readonly number[] | null;
      readonly found: readonly number[];
    }
  | {
      readonly kind: 'dpo loss';
      readonly settings: {
        readonly loss_types: readonly string[];
        readonly loss_weights: readonly number[];
        readonly beta: number;
        readonly f_divergence: string;
        readonly weighting: boolean;
        readonly ld_alpha: number | null;
      };
      readonly logprobs: Rows;
      readonly ref: Rows;
      readonly mask: Rows;
      readonly loss: number;
      readonly gradient: Rows;
    }
  | {
      readonly kind: 'sft tokens';
      readonly settings: {
        readonly tokenizer: string;
        readonly template: string | null;
        readonly assistant_only: boolean;
        readonly completion_only: boolean;
        readonly max_length: number | null;
        readonly truncation: string;
      };
      readonly row: Json;
      readonly input_ids: readonly number[];
      readonly labels: readonly number[];
    }
  | {
      readonly kind: 'dpo tokens';
      readonly settings: { readonly tokenizer: string; readonly template: string };
      readonly row: Json;
      readonly prompt_ids: readonly number[];
      readonly chosen_ids: readonly number[];
      readonly rejected_ids: readonly number[];
    }
  | { readonly kind: 'implicit prompt' | 'roles'; readonly row: Json; readonly found: Json }
  | {
      readonly kind: 'template';
      readonly tokenizer: string;
      readonly template: string;
      readonly messages: readonly ChatMessage[];
      readonly tools: readonly Json[] | null;
      readonly variables: Json;
      readonly prompt: boolean;
      readonly text: string;
      readonly ids: readonly number[] | null;
      readonly mask: readonly number[] | null;
    }
);

/** Returns the values where a mask is not 0, row after row. */
const masked = (rows: Rows, mask: Rows): Float32Array =>
  Float32Array.from(rows.flatMap((row, i) => row.filter((_, t) => mask[i][t] !== 0)));

/** Returns the values where a mask is 0. */
const unmasked = (rows: Rows, mask: Rows): number[] => rows.flatMap((row, i) => row.filter((_, t) => mask[i][t] === 0));

const lengthsOf = (mask: Rows): number[] => mask.map((row) => row.filter((bit) => bit !== 0).length);

/** Compares a loss and its gradient with those of TRL, which has a gradient of 0 where the mask is 0. */
function sameLoss(
  found: TokenLoss,
  { loss, gradient, mask }: { loss: number; gradient: Rows; mask: Rows },
): string | null {
  if (!isClose([found.loss], [loss])) return `the loss is ${found.loss} instead of ${loss}`;
  if (unmasked(gradient, mask).some((slope) => slope !== 0)) return 'TRL has a gradient where the mask is 0';
  const expected = masked(gradient, mask);
  const at = expected.findIndex((slope, t) => !isClose([found.gradient[t]], [slope]));
  return at < 0 ? null : `the gradient of token ${at} is ${found.gradient[at]} instead of ${expected[at]}`;
}

/** Names the sums over tokens that TRL has for its types of loss. */
function aggregationOf(
  { loss_type: type, items, longest }: Extract<Recorded, { kind: 'grpo loss' }>['settings'],
  sequences: number,
): LossAggregation {
  if (type === 'grpo') return { kind: 'sequence_mean_token_mean' };
  if (type === 'bnpo') return { kind: 'token_mean' };
  if (type === 'luspo') return { kind: 'sequence_mean_token_sum' };
  return { kind: 'constant', divisor: type === 'dr_grpo' ? longest : items! / sequences };
}

/** Names the options of TRL's loss that Bowyer does not have. */
function unknownOptions(settings: Extract<Recorded, { kind: 'grpo loss' }>['settings']): string[] {
  return [
    ...(settings.top_entropy_quantile < 1 ? ['top_entropy_quantile'] : []),
    ...(settings.off_policy_mask_threshold === null ? [] : ['off_policy_mask_threshold']),
    ...(settings.use_bias_correction_kl ? ['use_bias_correction_kl'] : []),
  ];
}

function grpoDifference(recorded: Extract<Recorded, { kind: 'grpo loss' }>): string | null {
  const { settings, mask } = recorded;
  if (unknownOptions(settings).length > 0) return 'no such option';
  const lengths = lengthsOf(mask);
  const logprobs = masked(recorded.logprobs, mask);
  const oldLogprobs = recorded.old === null ? logprobs : masked(recorded.old, mask);
  const advantages = Float32Array.from(
    lengths.flatMap((length, i) => new Array<number>(length).fill(recorded.advantages[i])),
  );
  const weights = tokenWeights(lengths, aggregationOf(settings, lengths.length));
  const tokens = { logprobs, oldLogprobs, advantages, weights };
  const clip = { clipLow: settings.low, clipHigh: settings.high, dualClip: settings.delta };
  let policy: TokenLoss;
  if (settings.loss_type === 'cispo') policy = cispoLoss(tokens, { low: 0, high: settings.high });
  else if (!['grpo', 'bnpo', 'dr_grpo', 'dapo', 'luspo'].includes(settings.loss_type)) return 'no such loss';
  else policy = settings.level === 'token' ? ppoClipLoss(tokens, clip) : gspoLoss({ ...tokens, lengths }, clip);
  const terms = [{ loss: policy, coefficient: 1 }];
  if (settings.beta !== 0)
    terms.push({
      loss: klPenalty({ logprobs, refLogprobs: masked(recorded.ref!, mask), weights }, 'k3'),
      coefficient: settings.beta,
    });
  // Losses that are sums divided by the tokens of the whole step need no division by its minibatches.
  const steps = ['cispo', 'dapo'].includes(settings.loss_type) ? 1 : settings.accumulation;
  if (settings.entropy !== 0) {
    const isOfStep = ['cispo', 'dapo'].includes(settings.loss_type);
    const each = isOfStep ? weights : tokenWeights(lengths, { kind: 'token_mean' });
    terms.push({ loss: entropyBonus(masked(recorded.entropies, mask), each), coefficient: settings.entropy });
  }
  const total = weightedSum(...terms);
  const scaled = { loss: total.loss / steps, gradient: total.gradient.map((slope) => slope / steps) };
  const problem = sameLoss(scaled, recorded);
  if (problem !== null || recorded.entropyGradient === null || settings.entropy === 0) return problem;
  const expected = masked(recorded.entropyGradient, mask);
  const slopes = total.entropyGradient!.map((slope) => slope / steps);
  return isClose([...slopes], [...expected]) ? null : 'another gradient by the entropies';
}

function rlooDifference(recorded: Extract<Recorded, { kind: 'rloo loss' }>): string | null {
  const { settings, mask, oldSums, advantages } = recorded;
  const lengths = lengthsOf(mask);
  const logprobs = masked(recorded.logprobs, mask);
  // A ratio of sums is the same as that of one token with the sum as its log-probability.
  const sums = Float32Array.from(recorded.logprobs, (row, i) => row.reduce((sum, x, t) => sum + x * mask[i][t], 0));
  const single = ppoClipLoss(
    {
      logprobs: sums,
      oldLogprobs: Float32Array.from(oldSums!),
      advantages: Float32Array.from(advantages),
      weights: tokenWeights(
        lengths.map(() => 1),
        { kind: 'token_mean' },
      ),
    },
    { clipLow: settings.low, clipHigh: settings.high, dualClip: null },
  );
  const spread = Float32Array.from(lengths.flatMap((length, i) => new Array<number>(length).fill(single.gradient[i])));
  return (
    sameLoss({ loss: single.loss, gradient: spread }, recorded) ??
    (logprobs.length === spread.length ? null : 'lengths')
  );
}

function advantagesDifference(
  recorded: Extract<Recorded, { kind: 'grpo advantages' | 'rloo advantages' }>,
): string | null {
  const { settings, rewards, kl, found, kind } = recorded;
  const { scale, aggregation = 'sum_then_normalize', normalize, clip, beta, weights, generations } = settings;
  const isKnown = scale !== 'batch' && aggregation === 'sum_then_normalize' && normalize !== true && !clip;
  if (!isKnown || rewards.some((row) => row.every((reward) => reward === null))) return 'no such advantages';
  const isRloo = kind === 'rloo advantages';
  const returns = rewards.map((row, i) => {
    const reward = row.reduce<number>((sum, each, at) => sum + (each ?? 0) * weights[at], 0);
    return isRloo && beta !== 0 ? reward - beta * kl![i] : reward;
  });
  const groups = returns.map((_, i) => Math.floor(i / generations));
  const options = {
    baseline: isRloo ? ('others' as const) : ('mean' as const),
    scaleEpsilon: scale === 'group' ? 1e-4 : null,
  };
  const ours = [...groupRelativeAdvantages(returns, groups, options)];
  return isClose(ours, found) ? null : `${ours.join()} instead of ${found.join()}`;
}

function dpoDifference(recorded: Extract<Recorded, { kind: 'dpo loss' }>): string | null {
  const { settings, mask, logprobs, ref, gradient } = recorded;
  const known = ['sigmoid', 'sft'];
  const refused = settings.loss_types.find((type) => !known.includes(type));
  if (
    refused !== undefined ||
    settings.f_divergence !== 'reverse_kl' ||
    settings.weighting ||
    settings.ld_alpha !== null
  )
    return 'no such loss';
  const coefficient = (type: string) =>
    settings.loss_types.reduce((sum, each, i) => sum + (each === type ? settings.loss_weights[i] : 0), 0);
  const pairs = logprobs.length / 2;
  // TRL's batch has all chosen sequences first, Bowyer's one pair after the other.
  const order = Array.from({ length: 2 * pairs }, (_, i) => (i % 2 === 0 ? i / 2 : pairs + (i - 1) / 2));
  const inOrder = (rows: Rows): Rows => order.map((i) => rows[i]);
  const masks = inOrder(mask);
  const loss = dpoLoss(
    {
      logprobs: masked(inOrder(logprobs), masks),
      refLogprobs: masked(inOrder(ref), masks),
      lengths: lengthsOf(masks),
    },
    { beta: settings.beta, nllCoefficient: coefficient('sft') / (coefficient('sigmoid') || 1) },
  );
  return sameLoss(loss, { loss: recorded.loss, gradient: inOrder(gradient), mask: masks });
}

const listOf = (messages: unknown): ChatMessage[] => messages as ChatMessage[];

/** Writes items as a file of data. */
function dataFile(work: string, rows: readonly unknown[]): string {
  const file = join(work, 'rows.jsonl');
  writeFileSync(file, `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`);
  return file;
}

async function sftDifference(
  recorded: Extract<Recorded, { kind: 'sft tokens' }>,
  work: string,
): Promise<string | null> {
  const { settings, row, input_ids: ids, labels } = recorded;
  const tokenizer = await loadTokenizer(join(work, settings.tokenizer));
  const { items } = await readTrainingItems(dataFile(work, [row]));
  const [{ value: item }] = items;
  let encoded: EncodedConversation;
  if (item.kind === 'completion') {
    const { promptIds, continuationIds } = continuationTokens(
      tokenizer,
      { prompt: item.prompt, continuation: item.completion },
      0,
    );
    const learned = [...continuationIds, tokenizer.eosTokenId];
    encoded = { ids: [...promptIds, ...learned], lossMask: [...promptIds.map(() => 0), ...learned.map(() => 1)] };
  } else {
    const template = chatTemplate(settings.template, tokenizer);
    [encoded] = template.encodeConversation(item.messages, item.inputs);
  }
  const cut = settings.max_length === null ? encoded : cutRight(encoded, settings.max_length);
  if (cut === null) return 'nothing is learned';
  const found = cut.lossMask.map((weight, t) => (weight > 0 ? cut.ids[t] : -100));
  if (!isDeepStrictEqual(cut.ids, ids)) return `${cut.ids.join()} instead of ${ids.join()}`;
  return isDeepStrictEqual(found, labels) ? null : `labels ${found.join()} instead of ${labels.join()}`;
}

async function dpoTokensDifference(
  recorded: Extract<Recorded, { kind: 'dpo tokens' }>,
  work: string,
): Promise<string | null> {
  const { row, settings, prompt_ids: prompt } = recorded;
  const tokenizer = await loadTokenizer(join(work, settings.tokenizer));
  const template = chatTemplate(settings.template, tokenizer);
  const { items } = await readConversations(dataFile(work, [row]), { preferences: true });
  for (const [index, answer] of [recorded.chosen_ids, recorded.rejected_ids].entries()) {
    const { messages, inputs } = items[index].value;
    const [{ ids, lossMask }] = template.encodeConversation(messages, inputs);
    const expected = [...prompt, ...answer];
    if (!isDeepStrictEqual(ids, expected)) return `${ids.join()} instead of ${expected.join()}`;
    const first = lossMask.findIndex((weight) => weight > 0);
    if (first !== prompt.length) return `learns from token ${first} on instead of ${prompt.length}`;
  }
  return null;
}

async function readingDifference(
  recorded: Extract<Recorded, { kind: 'implicit prompt' | 'roles' }>,
  work: string,
): Promise<string | null> {
  const { kind, row, found } = recorded;
  const plain = (messages: readonly ChatMessage[]) => messages.map(({ role, content }) => ({ role, content }));
  const { items } = await readConversations(dataFile(work, [row]), { preferences: true });
  if (kind === 'roles') {
    const messages = plain(listOf(items[0].value.messages));
    const expected = found.messages ?? [found.prompt, found.completion].flat();
    return isDeepStrictEqual(messages, expected) ? null : JSON.stringify(messages);
  }
  const asMessages = (value: unknown, role: string) => (typeof value === 'string' ? [{ role, content: value }] : value);
  for (const [index, key] of ['chosen', 'rejected'].entries()) {
    const messages = plain(listOf(items[index].value.messages));
    const expected = [asMessages(found.prompt, 'user'), asMessages(found[key], 'assistant')].flat();
    if (!isDeepStrictEqual(messages, expected))
      return `${JSON.stringify(messages)} instead of ${JSON.stringify(expected)}`;
  }
  return null;
}

async function templateDifference(
  recorded: Extract<Recorded, { kind: 'template' }>,
  work: string,
): Promise<string | null> {
  const { messages, tools, variables, prompt, text, ids, mask } = recorded;
  const tokenizer = await loadTokenizer(join(work, recorded.tokenizer));
  const template = chatTemplate(recorded.template, tokenizer);
  const row = { messages, ...(tools && { tools }), chat_template_kwargs: variables };
  const [{ value }] = (await readConversations(dataFile(work, [row]))).items;
  if (ids === null) {
    if (!(template instanceof JinjaTemplate)) return 'a template of its own';
    // Without marks, a dialogue is learned reply by reply as it would be asked for; here the whole of it is written.
    const written = template.render(value.messages, value.inputs ?? {}, prompt).text;
    return written === text ? null : `${JSON.stringify(written)} instead of ${JSON.stringify(text)}`;
  }
  const [encoded] = template.encodeConversation(value.messages, value.inputs);
  if (!isDeepStrictEqual(encoded.ids, ids)) return `${tokenizer.decode(encoded.ids)} instead of ${text}`;
  return isDeepStrictEqual(encoded.lossMask, mask)
    ? null
    : `mask ${encoded.lossMask.join('')} instead of ${mask!.join('')}`;
}

function difference(recorded: Recorded, work: string): string | null | Promise<string | null> {
  switch (recorded.kind) {
    case 'grpo loss':
      return grpoDifference(recorded);
    case 'rloo loss':
      return rlooDifference(recorded);
    case 'grpo advantages':
    case 'rloo advantages':
      return advantagesDifference(recorded);
    case 'dpo loss':
      return dpoDifference(recorded);
    case 'sft tokens':
      return sftDifference(recorded, work);
    case 'dpo tokens':
      return dpoTokensDifference(recorded, work);
    case 'template':
      return templateDifference(recorded, work);
    default:
      return readingDifference(recorded, work);
  }
}

/** Names what a case has that decides whether Bowyer has its counterpart. */
function about(recorded: Recorded, templates: ReadonlyMap<string, string>): string {
  const { kind } = recorded;
  if (kind === 'grpo loss') {
    const { loss_type: type, level } = recorded.settings;
    return [type, level, ...unknownOptions(recorded.settings)].join(', ');
  }
  if (kind === 'grpo advantages' || kind === 'rloo advantages') {
    const { scale, aggregation, normalize, clip, beta } = recorded.settings;
    const isPartial = recorded.rewards.some((row) => row.every((reward) => reward === null));
    return [
      scale ?? (normalize ? 'normalize' : 'plain'),
      ...(aggregation === 'normalize_then_sum' ? [aggregation] : []),
      ...(clip ? ['clip'] : []),
      ...(kind === 'rloo advantages' && beta !== 0 ? ['KL'] : []),
      ...(isPartial ? ['without a reward'] : []),
    ].join(', ');
  }
  if (kind === 'dpo loss') {
    const { loss_types: types, f_divergence: divergence, weighting, ld_alpha: alpha } = recorded.settings;
    return [
      types.join(' and '),
      ...(divergence === 'reverse_kl' ? [] : [divergence]),
      ...(weighting ? ['weighting'] : []),
      ...(alpha === null ? [] : ['ld_alpha']),
    ].join(', ');
  }
  if (kind === 'sft tokens') {
    const { assistant_only: assistant, completion_only: completion, truncation } = recorded.settings;
    return [
      Object.keys(recorded.row).join(' and '),
      assistant ? 'assistant' : completion ? 'completion' : 'everything',
      truncation,
    ].join(', ');
  }
  if (kind === 'template')
    return `${templates.get(recorded.template) ?? 'own'}, ${recorded.prompt ? 'prompt' : 'dialogue'}`;
  return kind === 'rloo loss' ? 'ratio' : Object.keys((recorded as { row: Json }).row).join(' and ');
}

function judged(recorded: Recorded, work: string, templates: ReadonlyMap<string, string>): Promise<CaseResult> {
  const name = `${recorded.kind}, ${about(recorded, templates)}: ${recorded.test.replace(/^tests\//, '')}`;
  return triedCase(name, () => difference(recorded, work));
}

const TESTS = ['chat_template_utils', 'data_utils', 'sft_trainer', 'dpo_trainer', 'grpo_trainer', 'rloo_trainer'];

/** Tests by their names: those of losses, advantages, datasets and templates, without images, servers, tools and other engines. */
const TAKEN = (
  'template masks extract chatml dataset labels loss_type divergence wpo train_with_ld iterations beta delta ' +
  'entropy scale truncated off_policy importance reward_func advantages clipped correction aggregation ' +
  'assistant_only completion_only'
).split(' ');
const LEFT_OUT = (
  'vlm liger tools environment Slow multimodal peft Callback iterable gpt_oss moe eval_dataset unpair pack ' +
  'toolcall harmony quantization padding_free init_ parse_response set_chat_template clone remote Schema ' +
  'Supports ForConditionalGeneration apply_chat_template adaptive'
).split(' ');
const CHOSEN = `(${TAKEN.join(' or ')}) and not (${LEFT_OUT.join(' or ')})`;

export default {
  title: "TRL's tests of losses, datasets and templates",
  against: 'losses, advantages, data files, chat templates',
  sources: [
    python,
    {
      github: 'huggingface/trl',
      commit: 'f2cd57710ae345ea6428ae95363267fcf38a3dc8',
      version: '1.10.0.dev0',
      paths: ['trl', 'tests'],
    },
  ],
  inCheck: false,
  notes:
    "TRL's own tests run under pytest, with small random models, a tokenizer of bytes and a small dataset under the names that they ask the hub for; a plugin records minibatches with their loss and its gradients, " +
    "rewards with their advantages, rows of datasets with their tokens and labels, and dialogues with the text and the assistant's tokens by TRL's own chat templates. Bowyer computes the same from the same.",
  async run({ folders: [installed, repository], work, log }) {
    const folder = join(repository, 'trl/chat_templates');
    const tests = TESTS.map((name) => join(repository, `tests/test_${name}.py`));
    const given = ['-c', '/dev/null', `--rootdir=${repository}`, '-k', CHOSEN, ...tests];
    const paths = [repository, import.meta.dirname];
    const env = { BOWYER_RECORDING: work, BOWYER_TEMPLATES: folder, HF_HUB_OFFLINE: '1' };
    log(`TRL: ${await recordPytest({ folder: work, python: installed, given, paths }, env)}`);
    const names = readdirSync(folder).filter((name) => name.endsWith('.jinja'));
    const templates = new Map(
      names.map((name) => [readFileSync(join(folder, name), 'utf8'), name.replace('.jinja', '')]),
    );
    const lines = jsonLines<Recorded>(readFileSync(join(work, 'recorded.jsonl'), 'utf8'));
    const cases: CaseResult[] = [];
    for (const line of lines) cases.push(await judged(line, work, templates));
    return cases;
  },
} satisfies Suite;
