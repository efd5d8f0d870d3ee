import { checkMemory } from './initialize-parameters.js';

test('a model that is larger than the memory of this machine is refused with its size', () => {
  const parameters = [{ name: 'wide', shape: [1e6, 1e6], init: { kind: 'zeros' as const } }];
  expect(() => checkMemory(parameters)).toThrow(
    /^the model has 1000\.0 billion parameters, 3726 GiB in float32; this machine has \d+ GiB of memory\n {2}choose a smaller width/,
  );
  expect(() => checkMemory([{ ...parameters[0], shape: [2, 3] }])).not.toThrow();
});
