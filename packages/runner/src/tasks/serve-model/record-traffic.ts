// Records the requests to a served model and the users' feedback, and opens the canary: a new model that answers a share of the
// conversations.
import type { ModelServerOptions } from '@bowyer/serving';
import {
  conversationKey,
  feedbackRoutes,
  isOfCanary,
  readCanary,
  redactPatterns,
  RolloutLog,
  TrafficRecorder,
  writeCanary,
  type Canary,
  type TrafficRecorderOptions,
} from '@bowyer/rollouts';
import type { TaskContext } from '../../context/task-context.js';

export interface TrafficConfig {
  record: string | null;
  recordMb: number;
  recordRedact: readonly string[];
  canary: string | null;
  canaryShare: number;
}

interface Traffic {
  options: Pick<ModelServerOptions, 'protocols'> & { observer: TrafficRecorder };
  /** Closes the recording; it must be called after the server has closed. */
  close: () => Promise<void>;
}

/** The number of newest answers for which feedback is still accepted. */
const MOST_RATED = 1 << 18;

/** The milliseconds after which the canary's share is read again from its file, which task=canary changes. */
const LOOK_MS = 500;

/**
 * @param model the name by which clients request the model
 * @returns null where the config records nothing
 */
export async function openTraffic(
  config: TrafficConfig,
  model: string,
  log: TaskContext['log'],
): Promise<Traffic | null> {
  const { record, recordMb, recordRedact } = config;
  if (record === null) return null;
  const mostBytes = recordMb * 2 ** 20;
  const partBytes = Math.min(64 << 20, mostBytes / 8);
  const rollouts = await RolloutLog.open(record, { partBytes, mostBytes, mostEnded: MOST_RATED });
  const { cutBytes } = rollouts;
  if (cutBytes > 0) log(`${record}: ${cutBytes} bytes of a line that was cut off are removed`, 'WARNING');
  const canary = await openCanary({ ...config, record }, model, log);
  const observer = new TrafficRecorder({
    log: rollouts,
    ...(recordRedact.length > 0 && { redact: redactPatterns(recordRedact) }),
    ...(canary && { route: canary.route }),
  });
  return {
    options: { observer, protocols: () => [feedbackRoutes(observer)] },
    close: () => {
      canary?.stop();
      return rollouts.close();
    },
  };
}

/** Opens the canary. If the same canary was served before, it keeps the share that it had at last. */
async function openCanary(
  { record, canary: name, canaryShare }: TrafficConfig & { record: string },
  model: string,
  log: TaskContext['log'],
): Promise<{ route: NonNullable<TrafficRecorderOptions['route']>; stop: () => void } | null> {
  if (name === null) return null;
  const known = await readCanary(record);
  let canary: Canary = { model, canary: name, share: canaryShare, since: Date.now() };
  if (known?.canary === name && known.model === model) canary = known;
  else await writeCanary(record, canary);
  log(`${name} answers ${canary.share * 100} % of the conversations with ${model}`);
  const look = async () => {
    const found = await readCanary(record);
    if (found === null || found.share === canary.share || found.canary !== name) return;
    canary = found;
    log(`${name} answers ${canary.share * 100} % of the conversations with ${model} from now on`);
  };
  const looking = setInterval(() => void look().catch(({ message }: Error) => log(message, 'WARNING')), LOOK_MS);
  return {
    route: ({ model: asked, chat, prompts: [{ ids: promptIds }] }, session) => {
      const shown = { session, messages: chat?.messages ?? [], promptIds };
      return asked === model && isOfCanary(canary, conversationKey(shown)) ? name : asked;
    },
    stop: () => clearInterval(looking),
  };
}
