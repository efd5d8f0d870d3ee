// Tests the Java backend against a local server of Py4J's protocol, with the embedded games behind it. replay.test.ts plays the
// original simulator through it where one is listening.
import { createServer, type Server, type Socket } from 'node:net';
import { builtInContent } from '../content/built-in-content.js';
import { gameKinds } from '../games/index.js';
import type { TextGame, GameTurn } from '../games/text-game.js';
import { defaultsOf } from '../../option.js';
import { textWorldExpressSchema, type TextWorldExpressOptions } from '../options.js';
import { parseParameters, type Fold } from '../parameters.js';
import { TextWorldExpress } from '../textworld-express.js';

/** The reaction of a connection to a request: it answers, stays silent, hangs up, or sends an invalid answer. */
type Manner = 'answer' | 'silent' | 'hang up' | 'nonsense' | 'exception';

class GatewayServer {
  manner: Manner = 'answer';
  readonly requests: string[][] = [];
  /** The objects that were made and not yet released. */
  readonly alive = new Map<string, Simulator>();
  #made = 0;
  #server: Server = createServer((socket) => this.#serve(socket));

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return `127.0.0.1:${address.port}`;
  }

  close(): void {
    this.#server.close();
  }

  #serve(socket: Socket): void {
    let received = '';
    let fields: string[] = [];
    socket.setEncoding('utf8').setNoDelay(true);
    socket.on('data', (text: string) => {
      received += text;
      for (let end = received.indexOf('\n'); end >= 0; end = received.indexOf('\n')) {
        const line = received.slice(0, end);
        received = received.slice(end + 1);
        if (line !== 'e') {
          fields.push(line);
          continue;
        }
        this.requests.push(fields);
        if (this.manner === 'hang up') socket.destroy();
        // The answer is sent in two pieces, as a network may do.
        else if (this.manner !== 'silent') for (const piece of halves(`${this.#answer(fields)}\n`)) socket.write(piece);
        fields = [];
      }
    });
  }

  #answer([command, ...rest]: string[]): string {
    if (this.manner === 'nonsense') return 'HTTP/1.1 400 Bad Request';
    if (this.manner === 'exception') return '!xro7';
    if (command === 'i') {
      const id = `o${this.#made++}`;
      this.alive.set(id, new Simulator());
      return `!yr${id}`;
    }
    if (command === 'm') {
      this.alive.delete(rest[1]);
      return '!yv';
    }
    const [id, method, ...args] = rest;
    const simulator = this.alive.get(id.replace('.path', ''));
    return simulator === undefined ? '!xsno such object' : simulator.call(id, method, args.map(decode));
  }
}

/** A stand-in for PythonInterface, with our games. */
class Simulator {
  #kind = gameKinds[0];
  #params = '';
  #game: TextGame | null = null;
  #path: string[] = [];

  call(id: string, method: string, args: string[]): string {
    switch (method) {
      case 'load': {
        this.#kind = gameKinds.find((kind) => kind.name === args[0])!;
        this.#params = args[1];
        return '!ys';
      }
      case 'generateNewGameJSON': {
        const parameters = parseParameters(this.#kind.name, this.#kind.parameters, this.#params);
        const choice = { seed: Number(args[0]), fold: args[1] as Fold, parameters, content: builtInContent() };
        this.#game = this.#kind.make(choice);
        if (args[2] === 'True') this.#path = ['look around', ...this.#kind.goldPath(choice)];
        return text(stepJson(this.#game.begin()));
      }
      case 'stepJSON':
        return text(stepJson(this.#game!.act(args[0])));
      case 'getTaskDescription':
        return text(this.#game!.taskDescription);
      case 'getGenerationPropertiesJSON':
        return text(JSON.stringify(this.#game!.properties));
      case 'getGoldActionSequence':
        return `!yl${id}.path`;
      case 'size':
        return `!yi${this.#path.length}`;
      case 'get':
        return text(this.#path[Number(args[0])]);
      default:
        return '!xsno such method';
    }
  }
}

const text = (value: string) => `!ys${value.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`;
const decode = (argument: string) => argument.slice(1).replace(/\\\\/g, '\\');
const halves = (line: string) => [line.slice(0, line.length / 2), line.slice(line.length / 2)];

const stepJson = ({ observation, look, inventory, validActions, score }: GameTurn) =>
  JSON.stringify({
    observation,
    look,
    inventory,
    validActions,
    scoreRaw: score.raw,
    score: score.normalized,
    tasksuccess: score.won,
    taskfailure: score.failed,
  });

const optionsFor = (baseUrl: string | null): TextWorldExpressOptions => ({
  ...defaultsOf(textWorldExpressSchema),
  ...(baseUrl !== null && { backend: 'java', baseUrl, timeoutMs: 300 }),
  fold: 'train',
  stepLimit: 200,
});

let server: GatewayServer;
let baseUrl: string;
beforeEach(async () => {
  server = new GatewayServer();
  baseUrl = await server.listen();
});
afterEach(() => server.close());

test.each(gameKinds.map((kind) => kind.name))('%s over the wire is %s in this process', async (game) => {
  const [remote, local] = [
    new TextWorldExpress(game, optionsFor(baseUrl)),
    new TextWorldExpress(game, optionsFor(null)),
  ];
  try {
    for (const seed of [3, -7]) {
      expect(await remote.reset({ seed })).toEqual(await local.reset({ seed }));
      const path = await local.goldPath();
      expect(await remote.goldPath()).toEqual(path);
      for (const action of ['not an action', ...path])
        expect(await remote.step(action)).toEqual(await local.step(action));
    }
  } finally {
    await remote.close();
  }
  expect(server.alive.size).toBe(0);
});

test('arguments travel as Py4J writes them, and only valid actions travel', async () => {
  const env = new TextWorldExpress('coin', { ...optionsFor(`tcp://${baseUrl}`), params: 'numLocations=3' });
  await env.reset({ seed: -7, fold: 'dev' });
  await env.step('dance');
  await env.step(' look around ');
  await env.close();
  expect(server.requests).toEqual([
    ['i', 'textworldexpress.runtime.PythonInterface'],
    ['c', 'o0', 'load', 'scoin', 'snumLocations=3'],
    ['c', 'o0', 'generateNewGameJSON', 'i-7', 'sdev', 'bFalse'],
    ['c', 'o0', 'getTaskDescription'],
    ['c', 'o0', 'getGenerationPropertiesJSON'],
    ['c', 'o0', 'stepJSON', 'slook around'],
    ['m', 'd', 'o0'],
  ]);
});

test.each<[Manner, RegExp]>([
  ['silent', /^Java server 127\.0\.0\.1:\d+: stepJSON failed: no answer in 300 ms$/],
  ['hang up', /^Java server 127\.0\.0\.1:\d+: stepJSON failed: (the connection was closed|read ECONNRESET)$/],
  [
    'nonsense',
    /^Java server 127\.0\.0\.1:\d+: stepJSON got an answer that is not Py4J's: 'HTTP\/1\.1 400 Bad Request'$/,
  ],
  ['exception', /^Java server 127\.0\.0\.1:\d+: stepJSON failed with an exception in Java$/],
])(
  'a server that is %s fails the step, and the next episode is played on a new connection',
  async (manner, message) => {
    const env = new TextWorldExpress('coin', optionsFor(baseUrl));
    try {
      await env.reset({ seed: 1 });
      server.manner = manner;
      await expect(env.step('look around')).rejects.toThrow(message);
      server.manner = 'answer';
      await env.reset({ seed: 1 });
      expect((await env.step('look around')).info.accepted).toBe(true);
    } finally {
      await env.close();
    }
  },
);

test('no server: the error names the address and how to mend it', async () => {
  server.close();
  const env = new TextWorldExpress('coin', optionsFor(baseUrl));
  await expect(env.reset({ seed: 1 })).rejects.toThrow(
    `Java server ${baseUrl}: connect failed: connect ECONNREFUSED ${baseUrl}; start it, or correct env.base_url`,
  );
  await env.close();
});
