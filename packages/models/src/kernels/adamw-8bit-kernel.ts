// One AdamW step with the moments of large tensors in 8 bits, in the device's worker. Piece by piece the moments become
// float32, take the step of adam-kernel.ts and are rounded again; the parameter sees the moments before they are rounded.
import type { KernelCall, KernelState } from '@bowyer/graph';
import type { AdamArgs } from './adam-kernel.js';
import { dequantizePiece, dynamicCode, quantizePiece, type DynamicCode } from './dynamic-quantization.js';
import { adamInPlace, type AdamScalars } from './elementwise-simd.js';
import { clipGradients, type StepResult } from './gradient-clip.js';

/** Values that are float32 at one time: a multiple of the block. */
const pieceLength = 8192;

let loadedCodes: { first: DynamicCode; second: DynamicCode } | undefined;
const codes = () => (loadedCodes ??= { first: dynamicCode(true), second: dynamicCode(false) });

type Roles = 'p' | 'g' | 'm' | 'v' | 'firstScales' | 'secondScales';

/** `m` and `v` hold codes (uint8) where the scales have a tensor of that name, else float32 moments. */
export function adamW8bitStep({ states, args }: KernelCall<Roles, AdamArgs>): StepResult {
  const clip = clipGradients(states.g, args);
  if (!Number.isFinite(clip.gradientNorm)) return clip;
  const scalars = { ...args, gradientScale: args.gradientScale * clip.clipCoefficient };
  for (const name of Object.keys(states.p)) {
    if (states.firstScales[name]) stepInPieces(states, name, scalars);
    else
      adamInPlace(
        floats(states.p, name),
        floats(states.g, name),
        floats(states.m, name),
        floats(states.v, name),
        scalars,
      );
  }
  return clip;
}

const floats = (state: KernelState, name: string) => state[name].data as Float32Array;

function stepInPieces(states: Readonly<Record<Roles, KernelState>>, name: string, scalars: AdamScalars): void {
  const { first, second } = codes();
  const [p, g] = [floats(states.p, name), floats(states.g, name)];
  const [m, v] = [states.m[name].data as Uint8Array, states.v[name].data as Uint8Array];
  const [mScales, vScales] = [floats(states.firstScales, name), floats(states.secondScales, name)];
  const moments = [new Float32Array(pieceLength), new Float32Array(pieceLength)];
  for (let begin = 0; begin < p.length; begin += pieceLength) {
    const end = Math.min(p.length, begin + pieceLength);
    const [mPiece, vPiece] = moments.map((array) => array.subarray(0, end - begin));
    dequantizePiece(m, mScales, first, begin, mPiece);
    dequantizePiece(v, vScales, second, begin, vPiece);
    adamInPlace(p.subarray(begin, end), g.subarray(begin, end), mPiece, vPiece, scalars);
    quantizePiece(mPiece, first, begin, m, mScales);
    quantizePiece(vPiece, second, begin, v, vScales);
  }
}
