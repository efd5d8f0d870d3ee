import type { InferenceSession } from 'onnxruntime-node';
import { limitProfile } from './session-profile.js';

test('a profile ends after three runs, also where runs end with an error', async () => {
  let ended = 0;
  const fake: Pick<InferenceSession, 'run' | 'endProfiling'> = {
    run: () => Promise.reject(new Error('no tensor')),
    endProfiling: () => ended++,
  };
  const session = limitProfile(fake, '/tmp');
  for (const expected of [0, 0, 1, 1]) {
    await expect(session.run({})).rejects.toThrow('no tensor');
    expect(ended).toBe(expected);
  }
});
