// Minutes of a run that may be stopped and resumed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpuSeconds } from '../../examples/agents/common/cpu-seconds.js';

interface Minutes {
  wall: number;
  cpu: number;
}

export class Clock {
  readonly #before: Minutes;
  readonly #start = { wall: performance.now(), cpu: cpuSeconds() };

  /** @param file keeps the minutes of earlier processes */
  constructor(private readonly file: string) {
    this.#before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Minutes) : { wall: 0, cpu: 0 };
  }

  get minutes(): Minutes {
    return {
      wall: this.#before.wall + (performance.now() - this.#start.wall) / 60_000,
      cpu: this.#before.cpu + (cpuSeconds() - this.#start.cpu) / 60,
    };
  }

  save(): void {
    writeFileSync(this.file, JSON.stringify(this.minutes));
  }
}
