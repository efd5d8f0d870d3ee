// Makes and checks API keys, one for each rollout, by which the server learns to which rollout a model call belongs. A key
// contains the rollout's id and a signature, so that a restarted server recognizes it.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export class RolloutKeys {
  private constructor(private readonly secret: Buffer) {}

  /** Reads the secret that signs keys from a file in the folder that only its owner can read; makes the file if it is missing. */
  static async open(folder: string): Promise<RolloutKeys> {
    const path = join(folder, 'rollouts.key');
    const known = await readFile(path).catch(() => null);
    if (known?.length === 32) return new RolloutKeys(known);
    const secret = randomBytes(32);
    const file = await open(path, 'w', 0o600);
    try {
      await file.writeFile(secret);
      await file.sync();
    } finally {
      await file.close();
    }
    return new RolloutKeys(secret);
  }

  keyOf(rollout: string): string {
    return `rollout-${Buffer.from(rollout).toString('base64url')}-${this.#mac(rollout)}`;
  }

  /** Returns the id of the rollout whose key this is; null if the key was not made with this folder's secret. */
  rolloutOf(key: string): string | null {
    const found = /^rollout-([\w-]+)-([0-9a-f]{32})$/.exec(key);
    if (!found) return null;
    const rollout = Buffer.from(found[1], 'base64url').toString();
    return timingSafeEqual(Buffer.from(found[2]), Buffer.from(this.#mac(rollout))) ? rollout : null;
  }

  #mac(rollout: string): string {
    return createHmac('sha256', this.secret).update(rollout).digest('hex').slice(0, 32);
  }
}
