import { TimeEstimate } from './time-estimate.js';

test.each([
  // After step 2 of 10, 8 steps of 2 s remain, and 3 epochs each end with a validation of 10 s.
  { stepSeconds: 2, validationSeconds: 10, said: 'about 46 seconds for optimizer steps 3 to 10 (2.0 s each)' },
  { stepSeconds: 60, validationSeconds: 0, said: 'about 8 minutes for optimizer steps 3 to 10 (60 s each)' },
  { stepSeconds: 1800, validationSeconds: 0, said: 'about 4 hours for optimizer steps 3 to 10 (1800 s each)' },
])('$said', ({ stepSeconds, validationSeconds, said }) => {
  let now = 0;
  const lines: string[] = [];
  const time = new TimeEstimate(
    3,
    (line) => lines.push(line),
    () => now,
  );
  time.validation(validationSeconds);
  for (let step = 1; step <= 10; step++) {
    // The first step takes longer, since it also compiles kernels, and must not count in the estimate.
    now += step === 1 ? 1000 : stepSeconds;
    time.step(step, 10);
  }
  expect(lines).toEqual([`time: ${said} and validation`]);
});
