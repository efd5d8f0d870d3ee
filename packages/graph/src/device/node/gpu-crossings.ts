// Finds tensors that are copied between CPU and GPU in the middle of a graph's run, which is slow. ONNX Runtime silently runs on
// the CPU the operators that its WebGPU provider lacks, and inserts copies around them. The copies are found in the model that it
// writes after it has assigned all nodes to CPU or GPU.
import './disable-telemetry.js';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder, protobuf } from '@bowyer/core';
import type { Precision } from '../../dtype.js';
import { float16Form } from '../../float16-form.js';
import type { Graph } from '../../graph.js';
import { outputName } from '../../output-name.js';
import { onnx } from '../../onnx-messages.js';
import { serialize } from '../../serialize.js';
import { webgpuForm } from '../../webgpu-form.js';

export interface GpuCrossings {
  /** The tensors that are computed on the CPU and copied to the GPU, by their names in the model. */
  up: string[];
  /** The tensors that are computed on the GPU and copied to the CPU. */
  down: string[];
}

/**
 * Lets ONNX Runtime decide which nodes of the graph would run on the CPU and which on this machine's GPU; nothing is run. Feeds
 * and fetched outputs are not counted as crossings.
 *
 * @param stored outputs that stay on the GPU as state
 */
export async function gpuCrossings(
  graph: Graph,
  stored: readonly string[] = [],
  precision: Precision = 'float32',
): Promise<GpuCrossings> {
  // The library is imported here, since loading it takes longer than loading the rest of this package.
  const { InferenceSession } = await import('onnxruntime-node');
  const directory = makeTemporaryFolder('crossings');
  try {
    const path = join(directory, 'placed.onnx');
    const session = await InferenceSession.create(
      serialize(webgpuForm(precision === 'float16' ? float16Form(graph) : graph)),
      {
        executionProviders: ['webgpu'],
        graphOptimizationLevel: 'all',
        logSeverityLevel: 3,
        optimizedModelFilePath: path,
        ...(stored.length > 0 && {
          preferredOutputLocation: Object.fromEntries(stored.map((name) => [outputName(name), 'gpu-buffer'])),
        }),
      },
    );
    await session.release();
    const nodes = protobuf.decode(onnx.model, readFileSync(path), { unknown: 'skipped' }).graph?.node ?? [];
    const copied = (opType: string) => nodes.filter((node) => node.opType === opType).map((node) => node.input![0]!);
    return { up: copied('MemcpyFromHost'), down: copied('MemcpyToHost') };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
