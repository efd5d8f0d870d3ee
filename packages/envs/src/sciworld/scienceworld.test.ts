// Tests ScienceWorld over Py4J's protocol: against a local gateway that answers from the recordings, and, where SCIENCEWORLD_JAR
// names the simulator's jar or class path, in the simulator itself, which must give the same episodes.
import { createHash } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { recordedLines, when, whenRecorded } from '@bowyer/testing';
import type { SciWorldJavaOptions } from './options.js';
import { ScienceWorld, variationsOf } from './scienceworld.js';

interface Recorded {
  observation: string;
  score: number;
  reward: number;
  completed: boolean;
  done: boolean;
  moves: number;
  validSha1: string;
}

interface Episode {
  id: string;
  task: string;
  variation: number;
  simplifications: string;
  taskDesc: string;
  finalScore: number;
  reset: Recorded;
  steps: (Recorded & { action: string })[];
}

const file = 'transcripts/scienceworld.jsonl';
const recorded = whenRecorded(file);
const episodes = recordedLines<Episode>(file);

const jar = process.env.SCIENCEWORLD_JAR ?? null;

const options = (more: Partial<SciWorldJavaOptions>): SciWorldJavaOptions => ({
  baseUrl: null,
  timeoutMs: 60_000,
  maxRounds: null,
  jar: null,
  tasks: null,
  fold: 'train',
  simplifications: '',
  validActions: false,
  ...more,
});

/** Plays one recording and compares all that was recorded. */
async function expectAsRecorded(env: ScienceWorld, episode: Episode, withValidActions: boolean): Promise<void> {
  const { task, variation, taskDesc, reset, steps, finalScore } = episode;
  const start = await env.reset({ task, variation });
  expect(start.observation).toBe(`${taskDesc}\n${reset.observation}`);
  expect(start.info).toMatchObject({ task, variation, score: reset.score, moves: reset.moves, won: false });
  let total = reset.score;
  for (const recorded of steps) {
    const { observation, reward, terminated, truncated, info } = await env.step(recorded.action);
    total += reward;
    expect({ observation, reward, terminated, truncated }).toEqual({
      observation: recorded.observation,
      reward: recorded.reward,
      terminated: recorded.done,
      truncated: false,
    });
    expect(info).toMatchObject({ score: recorded.score, moves: recorded.moves, won: recorded.score === 100 });
    if (!withValidActions) continue;
    const sorted = [...(info.validActions as string[])].sort();
    expect(createHash('sha1').update(sorted.join('\n')).digest('hex')).toBe(recorded.validSha1);
  }
  expect(total).toBe(finalScore);
}

/** The reaction of a gateway to a request: it answers, stays silent, hangs up, or sends what is no answer. */
type Manner = 'answer' | 'silent' | 'hang up' | 'nonsense' | 'exception';

/** A gateway of Py4J around the recorded engine: commands are lines, and end with one of 'e'. */
class Gateway {
  #episode: Episode | null = null;
  #at: Recorded | null = null;
  #next = 0;
  alive = 0;
  manner: Manner = 'answer';
  readonly #server: Server = createServer((socket) => this.#serve(socket));

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    return `127.0.0.1:${typeof address === 'object' ? address!.port : ''}`;
  }

  close(): void {
    this.#server.close();
  }

  #serve(socket: Socket): void {
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      received += text;
      if (!received.endsWith('\ne\n')) return;
      const fields = received.slice(0, -3).split('\n');
      received = '';
      if (this.manner === 'hang up') socket.destroy();
      else if (this.manner !== 'silent') socket.write(`${this.#answer(fields)}\n`);
    });
  }

  #answer([command, target, method, ...args]: string[]): string {
    if (this.manner === 'nonsense') return 'HTTP/1.1 400 Bad Request';
    if (this.manner === 'exception') return '!xro7';
    if (command === 'i') {
      this.alive++;
      return target === 'scienceworld.runtime.pythonapi.PythonInterface' ? '!yro1' : '!xsno such class';
    }
    if (command === 'm') {
      this.alive--;
      return '!yv';
    }
    switch (method) {
      case 'getTaskMaxVariations':
        return '!yi8';
      case 'load':
        return this.#load(args);
      case 'step':
        return this.#step(args[0].slice(1));
      case 'getTaskDescription':
        return `!ys${this.#episode!.taskDesc}`;
      case 'getScore':
        return `!yd${this.#at!.score / 100}`;
      case 'getCompleted':
        return `!yb${this.#at!.completed}`;
      case 'getNumMoves':
        return `!yi${this.#at!.moves}`;
      default:
        return `!xsno method ${method}`;
    }
  }

  #load([task, variation]: string[]): string {
    this.#episode = episodes.find((known) => known.id === this.wanted)!;
    if (task !== `s${this.#episode.task}` || variation !== `i${this.#episode.variation}`) return '!xsanother task';
    this.#next = -1;
    return '!ys';
  }

  /** The name of the recording that is meant, since several are of the same world. */
  wanted = '';

  #step(action: string): string {
    const { reset, steps } = this.#episode!;
    this.#at = this.#next < 0 ? reset : steps[this.#next];
    const expected = this.#next < 0 ? 'look around' : steps[this.#next].action;
    this.#next++;
    if (action !== expected) return `!xsnot recorded: ${action}`;
    return `!ys${this.#at.observation.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`;
  }
}

recorded.test('the recorded episodes over the wire, and the simulator is released', async () => {
  const gateway = new Gateway();
  const env = new ScienceWorld(options({ baseUrl: await gateway.listen() }));
  try {
    for (const episode of episodes) {
      gateway.wanted = episode.id;
      await expectAsRecorded(env, episode, false);
    }
  } finally {
    await env.close();
    gateway.close();
  }
  expect(gateway.alive).toBe(0);
});

recorded.test.each<[Manner, RegExp]>([
  ['silent', /^Java server 127\.0\.0\.1:\d+: step failed: no answer in 300 ms$/],
  ['hang up', /^Java server 127\.0\.0\.1:\d+: step failed: (the connection was closed|read ECONNRESET)$/],
  ['nonsense', /^Java server 127\.0\.0\.1:\d+: step got an answer that is not Py4J's: 'HTTP\/1\.1 400 Bad Request'$/],
  ['exception', /^Java server 127\.0\.0\.1:\d+: step failed with an exception in Java$/],
])('a server that is %s fails the step, and the next episode has a new connection', async (manner, message) => {
  const gateway = new Gateway();
  const baseUrl = await gateway.listen();
  const env = new ScienceWorld(options({ baseUrl, timeoutMs: 300 }));
  const [{ id, task, variation, steps }] = episodes;
  try {
    gateway.wanted = id;
    await env.reset({ task, variation });
    gateway.manner = manner;
    await expect(env.step(steps[0].action)).rejects.toThrow(message);
    gateway.manner = 'answer';
    await env.reset({ task, variation });
    await env.step(steps[0].action);
  } finally {
    await env.close();
    gateway.close();
  }
  await expect(new ScienceWorld(options({ baseUrl, tasks: [task] })).reset({ seed: 1 })).rejects.toThrow(
    `Java server ${baseUrl}: connect failed: connect ECONNREFUSED ${baseUrl}; start it, or correct env.base_url`,
  );
});

const inSimulator = jar === null ? when(false, "SCIENCEWORLD_JAR names no simulator's jar") : recorded;

inSimulator.test(
  'the recorded episodes in the simulator itself, valid actions too',
  async () => {
    for (const simplifications of ['easy', '']) {
      const env = new ScienceWorld(options({ jar, simplifications, validActions: true, timeoutMs: 120_000 }));
      try {
        for (const episode of episodes.filter((known) => known.simplifications === simplifications))
          await expectAsRecorded(env, episode, true);
        const drawn = await env.reset({ seed: 3 });
        expect(await env.reset({ seed: 3 })).toEqual(drawn);
      } finally {
        await env.close();
      }
    }
  },
  600_000,
);

test.each([
  [1, [0], [], [0]],
  [2, [0], [], [1]],
  [3, [0], [1], [2]],
  [4, [0, 1], [2], [3]],
  [9, [0, 1, 2, 3], [4, 5], [6, 7, 8]],
])('%i variations are split into folds', (count, train, dev, testing) => {
  expect(variationsOf(count, 'train')).toEqual(train);
  expect(variationsOf(count, 'dev')).toEqual(dev);
  expect(variationsOf(count, 'test')).toEqual(testing);
});

test('a missing file, or one that is not a jar, is reported', async () => {
  const reset = (path: string) => new ScienceWorld(options({ jar: path, tasks: ['boil'] })).reset({ seed: 1 });
  await expect(reset('/no/such.jar')).rejects.toThrow("env.jar: there is no file '/no/such.jar'");
  await expect(reset(import.meta.filename)).rejects.toThrow(/^java -cp .* did not start: /);
});
