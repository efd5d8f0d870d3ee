// Implements task=finetune: trains a model on a user's conversations, or on prompts with completions. The command can be killed
// at any time: the same command resumes the training, and the metrics file ends with the same bytes.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import {
  conversationExamples,
  conversationLosses,
  imitate,
  InterruptedError,
  learnedTokens,
  type Metrics,
  type RunHooks,
} from '@bowyer/algorithms';
import {
  commandText,
  gainVerdict,
  overrideWord,
  ratioMean,
  shellQuoted,
  snakeKeys,
  writeFileAtomically,
} from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import { ProgressBar } from '@bowyer/logging';
import { LanguageModel } from '@bowyer/models';
import { jsonAsWritten } from '@bowyer/text';
import type { RunConfig } from '../../keys/run-keys.js';
import { checkpointsOf } from '../../run/checkpoint-progress.js';
import { owningRun } from '../../run/owning-run.js';
import { checkLoggers, RunLoggers, type LoggerConfig } from '../../run/open-loggers.js';
import { Recorder } from '../../run/recorder.js';
import { RunControl } from '../../run/run-control.js';
import { claimDirectory, RunFiles } from '../../run/run-files.js';
import { withReport } from '../../report/write-report.js';
import type { TaskContext } from '../../context/task-context.js';
import { dataFilesOf } from '@bowyer/conversations';
import { isAdapterFolder } from '../../agent/folders/model-folders.js';
import type { AgentConfig, NodePart } from '../../agent/keys/agent-keys.js';
import { deviceOf, type DeviceConfig } from '../../agent/policy/device-choice.js';
import { policyOptimizer, restoreOptimizer, savePolicyState } from '../../agent/policy/policy-setup.js';
import { loadExamples, type Examples, type ExamplesConfig, type FinetuneOptions } from './examples.js';
import { finetuneText, type FinetuneResults } from '../../run/finetune-results.js';
import { readResults, writeResults } from '../../run/results.js';
import { heldOut, type HeldOut } from './held-out-answers.js';
import { memoryEstimate } from './memory-estimate.js';
import { TimeEstimate } from './time-estimate.js';
import { promptOf } from './training-items.js';

export type FinetuneConfig = ExamplesConfig &
  DeviceConfig &
  Pick<RunConfig, 'projectName' | 'runName'> &
  Pick<AgentConfig, 'optimizer' | 'lora'> &
  NodePart<'policy', 'quantization'> &
  NodePart<'device', 'gradientCheckpointing'> & {
    task: FinetuneOptions;
    checkpoints: { minutes: number | null; epochs: number | null };
    logger: LoggerConfig;
  };

/** The number of times that the training loss is logged in an epoch, if `logging_steps` is not given. */
const LOGS_PER_EPOCH = 10;
/** The number of example prompts that are written to a file, with which the user can try the trained model. */
const TRIAL_PROMPTS = 4;

/** @param makeModel makes the model that the config names, once the run has locked its folder */
export async function finetune(
  config: FinetuneConfig,
  context: TaskContext,
  makeModel?: () => Promise<void>,
): Promise<void> {
  // The digest of the data is part of the run's identity: a file may be replaced under the same path, and a run may only be
  // resumed on the same items.
  const hash = createHash('sha256');
  for (const file of dataFilesOf(config.task.data, config.task.dataSplit))
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  const dataSha256 = hash.digest('hex');
  const decisive = { ...context.config.decisive, dataSha256 };
  const own = { ...context, config: { ...context.config, decisive } };
  await owningRun(own, async () => {
    await makeModel?.();
    await finetuneInFolder(config, own);
  });
}

async function finetuneInFolder(config: FinetuneConfig, context: TaskContext): Promise<void> {
  const { directory, log, print } = context;
  const finished = await readResults<FinetuneResults>(directory);
  if (finished !== null) {
    print(`this run is finished already: ${directory}\n\n${finetuneText(directory, finished)}\n`);
    return;
  }
  checkLoggers(config);
  const examples = await loadExamples(config, log);
  await withReport(context, async () => {
    await using device = await openDevice(deviceOf(config));
    const results = await trainOn(device, examples, config, context);
    if (results === null) {
      log(`stopped; the same command with ${shellQuoted(overrideWord('save_path', directory))} resumes it`);
      return 'interrupted';
    }
    await writeResults(directory, results);
    print(`\n${finetuneText(directory, results)}\n`);
    return 'finished';
  });
}

/** Returns the final metrics for loggers: the losses of the last model in the results, and the tool calls of the saved model. */
const finalFigures = ({ models }: FinetuneResults) => {
  const { nll, perplexity } = models.at(-1)!;
  const { recorded = 0, rightName = 0, rightArguments = 0, noCall = 0 } = models[1]?.calls ?? {};
  const shares = {
    'test/calls/right_name': rightName / recorded,
    'test/calls/right_arguments': rightArguments / recorded,
    'test/calls/none': noCall / recorded,
  };
  return { 'test/nll': nll, 'test/perplexity': perplexity, ...(recorded > 0 && shares) };
};

/**
 * Trains the model from the beginning or from the newest checkpoint.
 *
 * @returns null if the user stopped the run before its end
 */
async function trainOn(
  device: Device,
  examples: Examples,
  config: FinetuneConfig,
  context: TaskContext,
): Promise<FinetuneResults | null> {
  const { directory, log } = context;
  const store = checkpointsOf(directory);
  const found = await store.newest((warning) => log(warning, 'WARNING'));
  if (found) log(`resumed after optimizer step ${found.progress.nextIteration}`);
  const model = await loadModel(found ? join(found.folder, 'policy') : config.task.model, config, examples, device);
  try {
    if (config.task.dropout) model.useDropout(config.seed);
    logPlan(model, examples, config, log);
    await model.createOptimizer(policyOptimizer(config));
    if (found) await restoreOptimizer(model, join(found.folder, 'policy'));
    await claimDirectory(directory, context.config.decisive);

    const progress = found?.progress;
    const files = await RunFiles.open(directory, progress?.fileLengths ?? {});
    const [state, firstIteration] = [progress?.state ?? {}, progress?.nextIteration ?? 0];
    const saveable = {
      saveState: (folder: string) => savePolicyState(model, join(folder, 'policy')),
      saveAgent: (folder: string) => model.save(folder),
    };
    await using loggers = await RunLoggers.open(config, context, firstIteration);
    await using control = await RunControl.open(directory, log, () => (recorder.stopRequested = true));
    const recorder = new Recorder(
      { files, checkpoints: store, saveable, logger: loggers },
      { iterations: null, firstIteration, state, best: progress?.best ?? null },
      {
        saveMinutes: config.checkpoints.minutes,
        saveEpochs: { between: config.checkpoints.epochs, all: config.task.epochs },
        control,
      },
      context,
    );
    const stop = () => {
      recorder.stopRequested = true;
      control.endPause();
    };
    context.onInterrupt(stop, 'stopping after this step');
    await train(model, examples, config, { state, firstIteration, recorder, context });
    recorder.finish();
    if (recorder.stopRequested) {
      await loggers.finish(null);
      return null;
    }
    if (recorder.best === null) await model.save(recorder.bestFolder); // without held-out items the last model counts as the best
    const replies = await heldOut(recorder.bestFolder, examples, config, device, log);
    const results = await resultsOf(recorder, examples, config, context, replies, state);
    await loggers.finish(finalFigures(results));
    return results;
  } finally {
    await model.release();
  }
}

function loadModel(
  dir: string,
  config: Pick<FinetuneConfig, 'policy' | 'lora' | 'seed' | 'device'>,
  { chatTemplate }: Pick<Examples, 'chatTemplate'>,
  device: Device,
): Promise<LanguageModel> {
  return LanguageModel.load({
    device,
    dir,
    quantization: config.policy.quantization,
    gradientCheckpointing: config.device.gradientCheckpointing,
    chatTemplate,
    lora: config.lora.enabled ? { ...config.lora, seed: config.seed } : undefined,
    masksPadding: false, // the data decides which tokens are learned, so that no token is masked
  });
}

function logPlan(
  model: LanguageModel,
  { training, longest }: Pick<Examples, 'training' | 'longest'>,
  config: Pick<FinetuneConfig, 'task' | 'device' | 'lora' | 'policy' | 'optimizer'>,
  log: TaskContext['log'],
) {
  const { quantization } = config.policy;
  const { kind, gradientCheckpointing } = config.device;
  const { model: folder, epochs, batchSize, gradAccumSteps, schedule } = config.task;
  const stepsPerEpoch = Math.ceil(training.length / batchSize);
  const steps = epochs * stepsPerEpoch;
  const rows = Math.ceil(Math.min(batchSize, training.length) / gradAccumSteps);
  if (config.lora.enabled && isAdapterFolder(folder))
    log('task.model is an adapter and keeps its own settings: the node lora has no effect');
  log(
    `training ${model.parameters.size} parameters: ${steps} optimizer steps (task.epochs=${epochs}, ${stepsPerEpoch} each), ` +
      `items through the model at once: ${rows}`,
  );
  if (schedule.warmupSteps >= steps)
    log(
      `task.schedule.warmup_steps=${schedule.warmupSteps}: the warm-up takes all ${steps} steps, so the learning rate stays below task.lr`,
      'WARNING',
    );
  const optimizer = policyOptimizer(config);
  const memory = memoryEstimate(model, { optimizer, quantization, gradientCheckpointing, rows, tokens: longest });
  const total = Object.values(memory).reduce((sum, bytes) => sum + bytes, 0);
  const parts = Object.entries(memory).map(([name, bytes]) => `${name} ${size(bytes)}`);
  log(`memory: about ${size(total)} (${parts.join(', ')})`);
  if (kind === 'cpu' && total > totalmem())
    log(
      `this machine has ${size(totalmem())}; a larger task.grad_accum_steps, device.gradient_checkpointing=true, optimizer=adamw_8bit and ` +
        'lora.enabled=true need less',
      'WARNING',
    );
}

/** Writes a number of bytes as `12 MB` or `3.4 GB`. */
const size = (bytes: number): string =>
  bytes < 1e9 ? `${Math.max(1, Math.round(bytes / 1e6))} MB` : `${(bytes / 1e9).toFixed(1)} GB`;

/**
 * The validation losses that every checkpoint contains: the nats of each held-out item under the initial model and under the best
 * one so far.
 */
interface LossState {
  start?: number[];
  best?: number[];
}

interface Training {
  state: Record<string, unknown>;
  firstIteration: number;
  recorder: Recorder;
  context: TaskContext;
}

async function train(
  model: LanguageModel,
  { training, validation }: Pick<Examples, 'training' | 'validation'>,
  { seed, task }: Pick<FinetuneConfig, 'seed' | 'task'>,
  { state, firstIteration, recorder, context }: Training,
): Promise<void> {
  const { batchSize, gradAccumSteps, epochs, loggingSteps, lr, schedule, maxGradNorm } = task;
  const rows = Math.ceil(batchSize / gradAccumSteps);
  const stepsPerEpoch = Math.ceil(training.length / batchSize);
  const time = new TimeEstimate(epochs, context.log);
  const held = validation.map(({ tokens }) => tokens);
  const heldTokens = held.reduce((sum, tokens) => sum + learnedTokens(tokens), 0);
  let newest: number[] = [];
  const measure = async (): Promise<Metrics> => {
    const started = performance.now();
    const bar = new ProgressBar('validation', held.length, context.progress);
    const onProgress = (done: number) => {
      if (recorder.interrupted) throw new InterruptedError('validation');
      bar.update(done);
    };
    const losses = await conversationLosses(model, held, rows, onProgress).finally(() => bar.remove());
    time.validation((performance.now() - started) / 1000);
    (state as LossState).start ??= losses;
    newest = losses;
    const nll = losses.reduce((sum, loss) => sum + loss, 0) / heldTokens;
    return { 'eval/nll': nll, 'eval/perplexity': Math.exp(nll) };
  };
  const hooks: RunHooks = {
    progress: (_, done, total) => {
      time.step(done, total);
      recorder.progress('training', done, total);
    },
    log: (step, metrics) => recorder.log(step, metrics),
    async keepBest(step, score) {
      await recorder.keepBest(step, score);
      if (recorder.best?.iteration === step + 1) (state as LossState).best = newest;
    },
    checkpoint: (step) => recorder.checkpoint(step),
    get checkpointDue() {
      return recorder.checkpointDue;
    },
    get stopRequested() {
      return recorder.stopRequested;
    },
  };
  const examples = conversationExamples(training.map(({ tokens }) => tokens));
  await imitate(
    { policy: model, hooks, state, firstIteration },
    {
      ...examples,
      metricsOf: ({ lr, ...interval }) => ({ ...examples.metricsOf({ ...interval, lr }), 'optim/lm_lr': lr }),
    },
    { epochs, seed, actor: { lr, schedule, maxGradNorm } },
    {
      batchSize,
      parts: gradAccumSteps,
      loggingSteps,
      logsPerEpoch: LOGS_PER_EPOCH,
      evaluation: held.length > 0 ? { isDue: (step) => step % stepsPerEpoch === 0, measure } : null,
    },
  );
}

async function resultsOf(
  { best, bestFolder }: Recorder,
  { training, validation }: Pick<Examples, 'training' | 'validation'>,
  config: Pick<FinetuneConfig, 'task' | 'chat' | 'policy'>,
  { directory, log }: Pick<TaskContext, 'directory' | 'log'>,
  { answers, calls }: HeldOut,
  { start, best: ofBest }: LossState,
): Promise<FinetuneResults> {
  const { metrics } = await RunFiles.read(directory);
  const isHeldOut = validation.length > 0;
  const key = isHeldOut ? 'eval' : 'losses';
  const evaluated = metrics.filter((line) => `${key}/nll` in line);
  const figures = (name: string, line: Record<string, number>) => ({
    name,
    nll: line[`${key}/nll`],
    perplexity: line[`${key}/perplexity`],
  });
  const lastStep = evaluated.at(-1)!.iteration;
  const bestLine = best && evaluated.find(({ iteration }) => iteration === best.iteration)!;
  const last = figures(`last (epoch ${config.task.epochs})`, evaluated.at(-1)!);
  const models: FinetuneResults['models'] = isHeldOut
    ? [{ ...figures('start', evaluated[0]), ...(calls && { calls: calls.start }) }]
    : [];
  // If items are held out, the first line of the results is that of the initial model.
  if (bestLine)
    models.push({
      ...figures(`best (epoch ${evaluated.indexOf(bestLine)})`, bestLine),
      ...(calls && { calls: calls.best }),
    });
  if (bestLine?.iteration !== lastStep) models.push(last);
  const gain = start && ofBest ? lossGain(validation, start, ofBest) : undefined;
  if (best !== null && models[1].nll >= models[0].nll)
    log('no epoch has a smaller validation loss than the start: a smaller task.lr or more items may help', 'WARNING');
  const prompts = [...validation, ...training].flatMap(({ item }) => promptOf(item) ?? []).slice(0, TRIAL_PROMPTS);
  const input = join(directory, 'prompts.jsonl');
  await writeFileAtomically(input, prompts.map((prompt) => `${jsonAsWritten(prompt)}\n`).join(''));
  return {
    validationItems: validation.length,
    models,
    ...(gain && { gain }),
    answers,
    model: bestFolder,
    trial: trialOf(config, bestFolder, input, directory),
  };
}

/**
 * Computes by how much the loss of the second model is smaller, in nats per learned token, with an interval over the held-out
 * items.
 */
function lossGain(
  validation: Examples['validation'],
  first: readonly number[],
  second: readonly number[],
): NonNullable<FinetuneResults['gain']> {
  const items = validation.map(({ tokens }, i) => ({ sum: first[i] - second[i], count: learnedTokens(tokens) }));
  const { mean, low, high } = ratioMean(items);
  return { mean, ...(Number.isFinite(low) && { interval: { low, high } }), verdict: gainVerdict({ low, high }) };
}

/** Returns the shell command with which the user can try the model. */
function trialOf(
  { chat, policy: { quantization } }: Pick<FinetuneConfig, 'chat' | 'policy'>,
  model: string,
  input: string,
  directory: string,
): string {
  return commandText(
    '--config-name',
    'generate',
    overrideWord('model', model),
    overrideWord('input', input),
    overrideWord('output', join(directory, 'texts.jsonl')),
    ...Object.entries(snakeKeys(chat.templateKwargs) as object).map(
      ([name, value]) => `+chat_template_kwargs.${name}=${JSON.stringify(value)}`,
    ),
    ...(quantization === 'none' ? [] : [`policy.quantization=${quantization}`]),
  );
}
