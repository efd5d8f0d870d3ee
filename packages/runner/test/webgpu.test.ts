// Tests that an update of an algorithm gives the same weights on a GPU as on the CPU. A software GPU takes a second or two for
// each update, so that one algorithm of each loss is tested, and all of them in the long form.
import { algorithmNames, findAlgorithm } from '@bowyer/algorithms';
import { openDevice, webgpuAvailable, type Device } from '@bowyer/graph';
import { isExhaustive, when } from '@bowyer/testing';
import { oneUpdate, relativeDifference } from './small-training.js';

const withKl = (name: string) => ('kl' in findAlgorithm(name)!.options.properties ? { klCoefficient: 0.1 } : {});

when(await webgpuAvailable(), 'no WebGPU adapter').describe('one update on webgpu', () => {
  let cpu: Device;
  let gpu: Device;
  beforeAll(async () => {
    cpu = await openDevice({ device: 'cpu', threads: 1 });
    gpu = await openDevice({ device: 'webgpu', threads: 1 });
  });
  afterAll(async () => {
    await cpu.close();
    await gpu.close();
  });

  test.each<[string, object]>([
    ...(isExhaustive() ? algorithmNames().map((name): [string, object] => [name, withKl(name)]) : []),
    ['dpo', {}],
    ['ppo', { klCoefficient: 0.1 }],
    ['archer', { useBaseline: true, klCoefficient: 0.1, importanceClip: 5 }],
  ])('%s %j has the CPU’s weights and values', async (name, changes) => {
    const expected = await oneUpdate(name, cpu, changes);
    if (findAlgorithm(name)!.trainsPolicy) expect(expected.after.policy).not.toEqual(expected.before.policy);
    expect(relativeDifference(expected, await oneUpdate(name, gpu, changes))).toBeLessThan(1e-4);
  });
});
