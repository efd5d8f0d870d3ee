// Tests that each operator's gradient rule agrees with central differences, or that a gradient through its result is refused.
import { describeOnDevices } from '@bowyer/testing';
import { checkGradients } from '../check-gradients.js';
import { openDevice, type Device } from '../device/device.js';
import { webgpuAvailable } from '../device/node/provider-probe.js';
import { NotDifferentiableError } from '../errors.js';
import type { Value } from '../ir.js';
import { operatorSamples as samples, type OperatorSample } from '../../test/operator-samples.js';
import * as arithmetic from './arithmetic.js';
import * as elementwise from './elementwise.js';
import * as indexing from './indexing.js';
import * as matrix from './matrix.js';
import * as normalization from './normalization.js';
import * as quantized from './quantized.js';
import * as recurrence from './recurrence.js';
import * as reduce from './reduce.js';
import * as shape from './shape.js';

const ops = {
  ...arithmetic,
  ...elementwise,
  ...indexing,
  ...matrix,
  ...normalization,
  ...quantized,
  ...recurrence,
  ...reduce,
  ...shape,
};

test('every operator has a sample', () => {
  expect(Object.keys(samples).sort()).toEqual(Object.keys(ops).sort());
});

const names = Object.keys(ops) as (keyof typeof ops)[];

const gpu = await webgpuAvailable();

describeOnDevices(gpu, (residency) => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice({ device: residency, threads: 1 });
  });
  afterAll(() => device.close());

  test.each(names.filter((name) => Array.isArray(samples[name])))(
    '%s: rule agrees with central differences',
    async (name) => {
      for (const sample of samples[name] as OperatorSample[]) {
        for (const comparison of await checkGradients(device, sample, { step: 1e-2 })) {
          expect(comparison.error < 1e-3 ? 'agrees' : comparison).toBe('agrees');
        }
      }
    },
  );

  test.each(names.filter((name) => !Array.isArray(samples[name])))(
    '%s: a gradient through it is refused',
    async (name) => {
      const { flat: sample } = samples[name] as { flat: OperatorSample };
      const build: OperatorSample['build'] = (g, inputs) => g.cast(sample.build(g, inputs) as Value, 'float32');
      await expect(checkGradients(device, { ...sample, build }, { step: 1e-2 })).rejects.toThrow(
        NotDifferentiableError,
      );
    },
  );
});
