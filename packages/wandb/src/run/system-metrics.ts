// Samples the load of this process and of its computer (CPU, memory, disk, network), under the names that W&B uses. GPUs are not
// included.
import { readFile, statfs } from 'node:fs/promises';
import { cpus, freemem, totalmem } from 'node:os';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

interface Times {
  busy: number;
  all: number;
}

export class SystemMetrics {
  #cores = cores();
  #process = process.cpuUsage();
  #at = performance.now();
  #network = { sent: NaN, recv: NaN };

  /**
   * Samples all metrics. Percentages are those of the time since the last call; sizes are in the units that their names contain.
   */
  async sample(directory: string): Promise<Record<string, number>> {
    const { rss } = process.memoryUsage();
    const disk = await statfs(directory).catch(() => null);
    const threads = /^Threads:\s+(\d+)/m.exec(await readFile('/proc/self/status', 'utf8').catch(() => ''))?.[1];
    return {
      ...this.#cpu(),
      memory_percent: 100 * (1 - freemem() / totalmem()),
      'proc.memory.rssMB': rss / MIB,
      'proc.memory.percent': (100 * rss) / totalmem(),
      'proc.memory.availableMB': freemem() / MIB,
      ...(threads !== undefined && { 'proc.cpu.threads': Number(threads) }),
      ...(disk && {
        'disk.\\.usagePercent': 100 * (1 - disk.bavail / disk.blocks),
        'disk.\\.usageGB': ((disk.blocks - disk.bavail) * disk.bsize) / GIB,
      }),
      ...(await this.#traffic()),
    };
  }

  #cpu(): Record<string, number> {
    const [before, now] = [this.#cores, cores()];
    const { user, system } = process.cpuUsage(this.#process);
    const milliseconds = performance.now() - this.#at;
    this.#cores = now;
    this.#process = process.cpuUsage();
    this.#at = performance.now();
    const shares = now.map(({ busy, all }, core) => {
      const passed = all - (before[core]?.all ?? 0);
      return [`cpu.${core}.cpu_percent`, passed > 0 ? (100 * (busy - (before[core]?.busy ?? 0))) / passed : 0];
    });
    return { cpu: (user + system) / 10 / milliseconds / now.length, ...Object.fromEntries(shares) };
  }

  /** Returns the numbers of bytes that were sent and received since the first call. */
  async #traffic(): Promise<Record<string, number>> {
    const lines = (await readFile('/proc/net/dev', 'utf8').catch(() => '')).split('\n').slice(2);
    const counts = lines
      .filter((line) => line.includes(':') && !line.trim().startsWith('lo:'))
      .map((line) => line.split(':')[1].trim().split(/\s+/).map(Number));
    const [recv, sent] = [0, 8].map((column) => counts.reduce((sum, count) => sum + count[column], 0));
    if (Number.isNaN(this.#network.sent)) this.#network = { sent, recv };
    return { 'network.sent': sent - this.#network.sent, 'network.recv': recv - this.#network.recv };
  }
}

const cores = (): Times[] =>
  cpus().map(({ times: { user, nice, sys, irq, idle } }) => {
    const busy = user + nice + sys + irq;
    return { busy, all: busy + idle };
  });
