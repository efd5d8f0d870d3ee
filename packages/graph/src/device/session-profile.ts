// Limits a session's profile to the first runs, since one run of a large graph has thousands of operators.
import type { InferenceSession } from 'onnxruntime-node';
import { wallClock } from './worker-clock.js';

const PROFILED_RUNS = 3;
let sessions = 0;

/** Makes a session write a profile. Its file's name begins with the wall clock at its start, from which times in it count. */
export function profileOptions(folder: string | null): Partial<InferenceSession.SessionOptions> {
  if (folder === null) return {};
  return { enableProfiling: true, profileFilePrefix: `${folder}/${wallClock().toFixed(3)}_${++sessions}` };
}

/** Returns the session with a `run` that ends the profile after the first runs. */
export function limitProfile<Session extends Pick<InferenceSession, 'run' | 'endProfiling'>>(
  session: Session,
  folder: string | null,
): Session {
  if (folder === null) return session;
  const run = session.run.bind(session) as (...given: unknown[]) => Promise<InferenceSession.ReturnType>;
  let runs = 0;
  session.run = async (...given: unknown[]) => {
    try {
      return await run(...given);
    } finally {
      // Failed runs count too, since runs that avoid copies end with an error on purpose (see host-binding.ts).
      if (++runs === PROFILED_RUNS) session.endProfiling();
    }
  };
  return session;
}
