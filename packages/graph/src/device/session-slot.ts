// Holds an ONNX Runtime session that can be closed, which frees its working memory, and opens it again for its next run.
import type { InferenceSession } from 'onnxruntime-node';

export class SessionSlot {
  /** @param reopen opens the same session again; null if it cannot be opened again */
  constructor(
    private current: InferenceSession | null,
    private readonly reopen: (() => Promise<InferenceSession>) | null,
  ) {}

  async session(): Promise<InferenceSession> {
    return (this.current ??= await this.reopen!());
  }

  /** Closes the session until its next run, if it can be opened again. */
  async rest(): Promise<void> {
    if (this.reopen) await this.release();
  }

  async release(): Promise<void> {
    await this.current?.release();
    this.current = null;
  }
}
