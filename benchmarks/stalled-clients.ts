// Clients that occupy a server's memory: with incomplete bodies, and with connections whose answers they do not read.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const PIECE = Buffer.alloc(2 ** 18, 'a');

/** The longest time in which the server takes no byte. */
const PATIENCE_MS = 15_000;

/** Opens a connection to `origin`; `said` returns the text that the server has sent. */
async function open(origin: string): Promise<{ socket: Socket; said: () => string }> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  socket.setMaxListeners(0); // one for each wait
  let said = '';
  socket.on('data', (piece: Buffer) => (said = (said + piece.toString('latin1')).slice(0, 500)));
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  return { socket, said: () => said };
}

/** Writes as fast as the server reads, until it has read `bytes`, has closed the connection, or has stopped reading for `patienceMs`. */
async function push(socket: Socket, bytes: number, patienceMs: number): Promise<void> {
  for (let left = bytes; left > 0 && !socket.destroyed; left -= PIECE.length) {
    const isTaken = socket.write(left >= PIECE.length ? PIECE : PIECE.subarray(0, left));
    if (!isTaken && !(await drained(socket, patienceMs))) return;
  }
}

const drained = (socket: Socket, patienceMs: number) =>
  Promise.race([
    new Promise<boolean>((resolve) => socket.once('drain', () => resolve(true)).once('close', () => resolve(false))),
    sleep(patienceMs, false, { ref: false }),
  ]);

/** Sends `count` bodies of `bytes` without their last byte, 10 at a time. @returns the number of answers by status */
export async function halfSentBodies(origin: string, path: string, count: number, bytes: number): Promise<Stalled> {
  const clients: Awaited<ReturnType<typeof open>>[] = [];
  const lane = async () => {
    while (clients.length < count) {
      const index = clients.length++; // the index is taken before the connection is open, so that other lanes take the next ones
      const client = await open(origin);
      clients[index] = client;
      client.socket.write(
        `POST ${path} HTTP/1.1\r\nhost: ${new URL(origin).host}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`,
      );
      await push(client.socket, bytes - 1, PATIENCE_MS);
    }
  };
  await Promise.all(Array.from({ length: 10 }, lane));
  return stalled(clients);
}

/** Makes a text frame with a mask of zero. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(14);
  head.set([0x81, 0x80 | 127]);
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

/** Sends `text` repeatedly on `count` WebSockets without reading answers, up to a time limit or `bytes` on each. */
export async function unreadFrames(origin: string, text: string, count: number, bytes: number): Promise<Stalled> {
  const clients = await Promise.all(Array.from({ length: count }, () => open(origin)));
  const sent = frame(text);
  const talk = async ({ socket }: (typeof clients)[number]) => {
    socket.write(
      `GET /ws HTTP/1.1\r\nhost: ${new URL(origin).host}\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    );
    await sleep(200);
    socket.pause();
    for (let left = bytes; left > 0 && !socket.destroyed; left -= sent.length)
      if (!socket.write(sent) && !(await drained(socket, PATIENCE_MS))) return;
  };
  await Promise.all(clients.map(talk));
  return stalled(clients);
}

export interface Stalled {
  /** The number of answers by status; 'waits' for connections that are open without an answer. */
  answers: Map<string, number>;
  leave: () => void;
}

function stalled(clients: readonly { socket: Socket; said: () => string }[]): Stalled {
  const answers = new Map<string, number>();
  for (const { socket, said } of clients) {
    const status = /^HTTP\/1\.1 (\d+)/.exec(said())?.[1] ?? (socket.destroyed ? 'closed' : 'waits');
    answers.set(status, (answers.get(status) ?? 0) + 1);
  }
  return { answers, leave: () => clients.forEach(({ socket }) => socket.destroy()) };
}
